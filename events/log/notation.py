"""Words beside events that are shown: they follow from the shown data alone, so they reveal nothing else."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import orjson

from domain.game import Presentation
from domain.lifecycle import EventRecord, Json
from domain.words.languages import ENGLISH

Languages = tuple[str, ...]

ONLY_ENGLISH: Final[Languages] = (ENGLISH,)
KEPT: Final = 4096  # lines of events, most of which are of a few hundred forms
LONG: Final = (
    500  # bytes of an event's data, beyond which its line is not kept: a whole position does not come again
)


def line(game: Presentation, kind: str, schema: int, seat: int | None, data: bytes, language: str) -> str:
    """The line of an event that shows such data, as JSON."""
    say = _kept if len(data) <= LONG else _line
    speaker: Any = game  # a protocol does not promise the hash that every object has
    return say(speaker, kind, schema, seat, data, language)


def _line(game: Any, kind: str, schema: int, seat: int | None, data: bytes, language: str) -> str:
    text: str = game.notation(EventRecord(kind, schema, seat, orjson.loads(data)), language)
    return text


_kept = lru_cache(maxsize=KEPT)(_line)


def lines(game: Presentation, shown: Sequence[Json], languages: Languages) -> dict[str, list[str]]:
    """A line for each event's document, by language."""
    written = [(one["type"], one["schema"], one["seat"], orjson.dumps(one["data"])) for one in shown]
    return {language: [line(game, *event, language) for event in written] for language in languages}


def labels(
    game: Presentation, moves: Sequence[Json], view: Json, languages: Languages
) -> dict[str, list[str]]:
    """A label for each legal move, by language, for who sees that view."""
    return {language: [game.describe_move(move, view, language) for move in moves] for language in languages}
