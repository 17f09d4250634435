"""The table and the moves of Migo as plain text, from the documents that the service gives."""

from itertools import zip_longest
from typing import Final

from domain.lifecycle import Json
from domain.migo.rules.layouts import ROPES, Layout, layout_of
from domain.migo.rules.options import size_of_layouts

_CELL: Final = 16  # characters
_SHORT: Final[dict[str, str]] = {"carabiner": "carab", "crampons": "cramp", "ice_axe": "ice"}


def draw(view: Json, seat: int) -> str:
    """The opponents in seat order after `seat`, the cards that lie, and the seat's own cards."""
    state, players = view["state"], view["state"]["players"]
    opponents = [players[(seat + step) % len(players)] for step in range(1, len(players))]
    lines: list[str] = []
    for player in opponents:
        lines += [*_player(player, f"{_name(view, player['seat'])} (seat {player['seat']})"), ""]
    lines += [f"round {state['round']}, turn {view['turn']}, bottles left: {state['bottles']}", ""]
    lines += [*_table(view), ""]
    lines += _player(players[seat], f"you (seat {seat})")
    return "\n".join(lines)


def describe_move(move: Json) -> str:
    """A legal move in words."""
    if move["type"] != "take":
        return str(move["type"])
    text = f"take the card at place {move['place']}"
    if move.get("flip"):
        text += f", turn {move['flip']} over"
    if move.get("drink"):
        text += ", drink and play again"
    return text


def _table(view: Json) -> list[str]:
    """The cards by place, with what is up and what is down; those in brackets can be taken."""
    state = view["state"]
    size = size_of_layouts(view["options"]["layout_size"], len(state["players"]))
    layout = layout_of(state["layout"], size)
    cells = [""] * layout.size
    for card in state["table"]:
        text = f"{card['place']} {_face(card['up'])}/{_face(card['down'])}"
        cells[card["place"]] = f"[{text}]" if card["free"] else text
    return _ropes(layout, cells) if layout.name == ROPES else _pyramids(layout, cells)


def _ropes(layout: Layout, cells: list[str]) -> list[str]:
    """The columns side by side, the ends that can be taken below."""
    columns, at = [], 0
    for length in layout.groups[0]:
        columns.append(cells[at : at + length])
        at += length
    return [_row(row) for row in zip_longest(*columns, fillvalue="")]


def _pyramids(layout: Layout, cells: list[str]) -> list[str]:
    """One below the other, each row over the gaps of the row above."""
    lines, at = list[str](), 0
    for group in layout.groups:
        for depth, width in enumerate(group):
            lines.append((" " * (depth * _CELL // 2) + _row(cells[at : at + width])).rstrip())
            at += width
        lines.append("")
    return lines[:-1]


def _row(cells: "list[str] | tuple[str, ...]") -> str:
    return " ".join(cell.ljust(_CELL - 1) for cell in cells).rstrip()


def _face(shown: Json) -> str:
    kind: str = _SHORT.get(shown["kind"]) or shown["kind"]
    return f"{kind}{shown['count']}" if shown["count"] > 1 else kind


def _name(view: Json, seat: int) -> str:
    who = view["seats"][seat]
    return str(who.get("player") or who.get("bot") or f"seat {seat}")


def _player(player: Json, title: str) -> list[str]:
    """What lies before a player, in two lines."""
    bottles = player["bottles"]
    drunk = f"{bottles['full']} full and {bottles['empty']} empty bottles"
    gone = ", resigned" if player["resigned"] else ""
    cards = "  ".join(f"{card['card']} {_face(card['up'])}/{_face(card['down'])}" for card in player["cards"])
    return [
        f"{title}: {player['flags']} flags, {player['score']} points in this round, {drunk}{gone}",
        f"  {cards or 'no cards yet'}",
    ]
