"""The table of Migo as plain text, from the documents that the service gives."""

from itertools import zip_longest
from typing import Final

from domain.lifecycle import Json, seat_names
from domain.migo.rules.layouts import ROPES, Layout, layout_of
from domain.migo.rules.options import size_of_layouts
from domain.migo.words import SHORT, faces

LEGEND: Final = """\
E07: a card. A card has two sides, and both are known: rope2/hat shows a rope with 2 pieces, and a hat on its back.
  rope, carab (carabiner), cramp (crampons), ice (ice axe)   equipment: most pieces of a kind score
  hat     a climber with a hat              bottle   gives a bottle, which one drinks for another turn
  sherpa  helps to turn one of your own cards over, and leaves
[7 rope/hat]: place 7, and what lies there can be taken."""
_LEGEND: Final = ", ".join(
    ["place up/down, in brackets: can be taken", *(f"{short}: {kind}" for kind, short in SHORT.items())]
).replace("_", " ")


def draw(view: Json, seat: int) -> str:
    """The opponents in seat order after `seat`, the cards that lie, and the seat's own cards."""
    state, players = view["state"], view["state"]["players"]
    opponents = [players[(seat + step) % len(players)] for step in range(1, len(players))]
    lines: list[str] = []
    names = seat_names(view["seats"])
    for player in opponents:
        lines += [*_player(player, names[player["seat"]]), ""]
    lines += [f"round {state['round']}, turn {view['turn']}, bottles left: {state['bottles']}"]
    if state["table"]:
        lines += [_LEGEND, "", *_table(view)]
    lines.append("")
    lines += _player(players[seat], "you")
    return "\n".join(lines)


def _table(view: Json) -> list[str]:
    """The cards by place, with what is up and what is down; those in brackets can be taken."""
    state = view["state"]
    size = size_of_layouts(view["options"]["layout_size"], len(state["players"]))
    layout = layout_of(state["layout"], size)
    cells = [""] * layout.size
    for card in state["table"]:
        text = f"{card['place']} {faces(card)}"
        cells[card["place"]] = f"[{text}]" if card["free"] else text
    width = max(map(len, cells)) // 2 * 2 + 2  # even, for pyramids; with a space at least between two cells
    return _ropes(layout, cells, width) if layout.name == ROPES else _pyramids(layout, cells, width)


def _ropes(layout: Layout, cells: list[str], width: int) -> list[str]:
    """The columns side by side, the ends that can be taken below."""
    columns, at = [], 0
    for length in layout.groups[0]:
        columns.append(cells[at : at + length])
        at += length
    rows = [_row(row, width) for row in zip_longest(*columns, fillvalue="")]
    return [row for row in rows if row]


def _pyramids(layout: Layout, cells: list[str], width: int) -> list[str]:
    """One below the other, each row over the gaps of the row above."""
    lines, at = list[str](), 0
    for group in layout.groups:
        for depth, length in enumerate(group):
            row = _row(cells[at : at + length], width)
            if row:
                lines.append(" " * (depth * width // 2) + row)
            at += length
        if lines and lines[-1]:
            lines.append("")
    return lines[:-1]


def _row(cells: "list[str] | tuple[str, ...]", width: int) -> str:
    return "".join(cell.ljust(width) for cell in cells).rstrip()


def _player(player: Json, title: str) -> list[str]:
    """A player's pieces, in two lines."""
    bottles = player["bottles"]
    drunk = f"bottles: {bottles['full']} full, {bottles['empty']} empty"
    gone = ", resigned" if player["resigned"] else ""
    cards = "  ".join(f"{card['card']} {faces(card)}" for card in player["cards"])
    return [
        f"{title}: {_count(player['flags'], 'flag')}, {_count(player['score'], 'point')} in this round, {drunk}{gone}",
        f"  {cards or 'no cards yet'}",
    ]


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
