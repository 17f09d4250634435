# compiled into rules
"""The table of Migrato as plain text, from the documents that the service gives."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import Final

from domain.lifecycle import Json, seat_names
from domain.migrato.rules.columns import SLOTS as SLOT_COUNT

LEGEND: Final = """\
G5d: the species, how many birds (points), and d for day or n for night. Night cards lie face down: ###.
  G  brant goose   a column of 5 arrives      S  stilt       a column of 4, night cards only
  K  black kite    a column of 4, day only    B  bee-eater   a column of 3, day only
  T  teal          a column of 2
  HUN  hunter: takes a day card         HAB  habitat destruction: takes any card
  LIG  light pollution: takes a night card
A danger takes the last card of an opponent's column, or the top card of a pile that has arrived.
A ? is a card that you do not see."""
_SLOTS: Final = range(1, SLOT_COUNT + 1)
_FACE_DOWN: Final = "###"
_COLUMN: Final = 9  # characters
_ARRIVED: Final = 24


def draw(view: Json, seat: int) -> str:
    """The opponents' sides in seat order after `seat`, what lies in the middle, the seat's own side and hand."""
    state, players = view["state"], view["state"]["players"]
    opponents = [players[(seat + step) % len(players)] for step in range(1, len(players))]
    lines = []
    names = seat_names(view["seats"])
    for player in opponents:
        lines += [*_side(player, names[player["seat"]]), ""]
    lines += [_middle(state, view["turn"]), ""]
    lines += [*_side(players[seat], "you"), "", f"hand  {' '.join(players[seat]['hand'])}"]
    return "\n".join(lines)


def _side(player: Json, title: str) -> list[str]:
    """The columns side by side, top cards above, and what has arrived beside them."""
    columns = {
        column["slot"]: [card["face"] or _FACE_DOWN for card in column["cards"]]
        for column in player["columns"]
    }
    cells = [columns.get(slot, []) for slot in _SLOTS]
    rows = [
        [f"column {slot}" for slot in _SLOTS] + ["arrived"],
        ["-" * _COLUMN] * len(_SLOTS) + ["-" * _ARRIVED],
        *zip_longest(*cells, _arrived(player), fillvalue=""),
    ]
    return [f"{title}: {player['score']} points", *map(_row, rows)]


def _row(cells: Sequence[str]) -> str:
    return "  ".join(cell.ljust(_COLUMN) for cell in cells).rstrip()


def _arrived(player: Json) -> list[str]:
    piles = [f"{_words(species)} {pile[-1]}" for species, pile in player["arrivals"].items()]
    return piles + [f"{_words(species)} (return flight)" for species in player["return_flights"]]


def _middle(state: Json, turn: int) -> str:
    pile = state["discard_pile"]
    last = pile[-6:]
    dots = "... " if len(pile) > len(last) else ""
    return f"turn {turn}, deck {state['deck']}, discard pile {len(pile)}: {dots}{' '.join(last)}".rstrip()


def _words(identifier: str) -> str:
    return identifier.replace("_", " ")
