"""Migo's own columns of the archive's tables, beside those of every game."""

from typing import Final

from domain.lifecycle import Json
from domain.migo.rules.options import SEAT_COUNTS
from domain.migo.rules.state import State, setup_of

_MOST_SEATS: Final = SEAT_COUNTS[-1]

GAME_COLUMNS: Final = {
    **{f"flags_{seat}": "int8" for seat in range(_MOST_SEATS)},
    "rounds": "int8",
    "layout_size": "name",
}
EVENT_COLUMNS: Final = {
    "card": "name",
    "face": "name",
    "cards": "strings",
    "place": "int8",
    "round": "int8",
    "layout": "name",
}


def game_row(state: State) -> Json:
    """The flags of every seat (None where there is no such seat), and how many rounds have ended."""
    flags: list[int | None] = [player.flags for player in state.players]
    flags += [None] * (_MOST_SEATS - len(flags))
    return {
        **{f"flags_{seat}": number for seat, number in enumerate(flags)},
        "rounds": len(state.rounds),
        "layout_size": setup_of(state).options.layout_size,
    }
