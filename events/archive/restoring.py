"""Brings games back from the archive into Redis, as they were."""

from collections import Counter
from collections.abc import Callable, Iterable

from events.archive.record import ArchivedGame
from events.errors import EngineError, StoreUnavailable
from events.ports import WholeGames

Restored = Counter[str]


def restore(
    store: WholeGames,
    records: Iterable[ArchivedGame],
    list_game: Callable[[str], None],
    report: Callable[[str, str], None] = lambda *_: None,
) -> Restored:
    """Put the games back with all that stands beside them, and into their apps' listings; how many came to what.

    A game is "restored", "present" (the very same is there already) or "different": then another stream of that id is
    there, and is left alone. The archive keeps its copy; the archiver leaves a game here as long as one just finished.
    """
    outcomes = Restored()
    for record in records:
        game_id = record.raw.game_id
        outcome = store.restore(record.raw)
        outcomes[outcome] += 1
        if outcome != "different":
            _list(game_id, list_game)
        report(game_id, outcome)
    return outcomes


def _list(game_id: str, list_game: Callable[[str], None]) -> None:
    try:
        list_game(game_id)
    except StoreUnavailable:
        raise
    except EngineError:
        return  # it is back and can be looked at, which says what is wrong with it
