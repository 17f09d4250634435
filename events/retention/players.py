"""Players who have not been seen for a long time: found, and erased."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Final

from events.application import Application
from events.archive.rolls import Rolls, day_named
from events.errors import PlayerNotFound
from events.features.listings.projection import Listings
from events.retention.periods import DAY
from events.store.whole_games import RedisGames
from events.times import milliseconds_of

PREFIX: Final = "{p???}:player:"


@dataclass(frozen=True, slots=True)
class Known:
    """A player of an app who is not erased; `since`: when the player was created, in milliseconds."""

    id: str
    app: str
    since: int


def players_of(
    games: RedisGames, application: Application, apps: Collection[str] | None = None
) -> Iterator[Known]:
    """All players of these apps, or of all; one may come twice. Raises StoreUnavailable."""
    for found in games.keys(f"{PREFIX}*"):
        ids = [key.decode(errors="replace")[len(PREFIX) :] for key in found]
        for player_id, record in application.players.records(ids).items():
            if apps is None or record.app in apps:
                yield Known(player_id, record.app, milliseconds_of(record.created_at))


def erase_unseen(
    before: int,
    games: RedisGames,
    application: Application,
    listings: Listings,
    rolls: Rolls | None,
    erase: Callable[[str], bool] = lambda _: True,
) -> int:
    """Erase the players who have sat at no game since a time, in milliseconds, and sit at no unfinished game;
    return their number.

    A player who is known since then stays. `rolls` tell of games that are not listed any more. `erase` is asked for
    each of them. Raises StoreUnavailable, CorruptStream.
    """
    seen, erased = _in_rolls(rolls, before), 0
    for player in players_of(games, application):
        if player.since >= before or player.id in seen:
            continue
        if listings.has_played(player.app, player.id, before) or not erase(player.id):
            continue
        try:
            application.erasure.erase(player.app, player.id)
        except PlayerNotFound:
            continue
        erased += 1
    return erased


def _in_rolls(rolls: Rolls | None, since: int) -> set[str]:
    """The players of games that have ended since a time, in milliseconds, and are not listed any more."""
    seen, first = set[str](), day_named(since // DAY)
    for day in () if rolls is None else rolls.days():
        if day >= first:
            for entry in rolls.of_day(day).values() if rolls is not None else ():
                seats = entry.line["seats"] if entry.line is not None else ()
                seen.update(seat["player_id"] for seat in seats if "player_id" in seat)
    return seen
