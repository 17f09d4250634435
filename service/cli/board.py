"""The table of a game of Migrato, drawn for a terminal from the view document that the service gives."""

from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

Json = dict[str, Any]
SLOTS = (1, 2, 3, 4)
STYLES = {"d": "yellow", "n": "blue"}  # by day, by night


def draw(view: Json, me: int) -> RenderableType:
    """The opponent's side, what lies in the middle, the own side."""
    state = view["state"]
    own, other = state["players"][me], state["players"][1 - me]
    names = [seat.get("player") or seat.get("bot") or f"seat {seat['seat']}" for seat in view["seats"]]
    return Group(
        _side(other, f"{names[1 - me]} (seat {1 - me})"),
        _middle(state, view["turn"]),
        _side(own, f"you (seat {me})"),
        Text("hand  ") + _cards(own["hand"]),
    )


def move_text(move: Json) -> str:
    """A legal move in words."""
    text = _action_text(move)
    if move.get("uncover"):
        text += " and uncover it"
    if move.get("on_arrival") == "return":
        text += ", on arrival take the return flight"
    return text


def _action_text(move: Json) -> str:
    match move["type"]:
        case "play":
            return f"play {move['card']} {_place(move['slot'])}"
        case "move_cards":
            return f"move column {move['from']} from card {move['index'] + 1} on {_place(move['to'])}"
        case "danger":
            target = move["target"]
            where = f"column {target['slot']}" if "slot" in target else f"the {_species(target['pile'])} pile"
            return f"play {move['card']} and take a card from {where}"
        case "discard":
            return f"discard {move['card']}"
        case "exchange":
            return "exchange the whole hand"
        case "abandon":
            return f"abandon column {move['slot']}"
        case other:
            return str(other)


def _place(slot: int | None) -> str:
    return "as a new column" if slot is None else f"to column {slot}"


def _side(player: Json, title: str) -> Table:
    table = Table(title=f"{title}: {player['score']} points", title_justify="left", min_width=60)
    columns = {column["slot"]: column["cards"] for column in player["columns"]}
    for slot in SLOTS:
        table.add_column(f"column {slot}", min_width=8)
    table.add_column("arrived", min_width=16)
    deepest = max((len(cards) for cards in columns.values()), default=0)
    landed = _landed(player)
    for row in range(max(deepest, len(landed), 1)):
        cells = [_column_card(columns.get(slot, []), row) for slot in SLOTS]
        table.add_row(*cells, landed[row] if row < len(landed) else "")
    return table


def _landed(player: Json) -> list[Text]:
    piles = [Text(f"{_species(species)} ") + _card(pile[-1]) for species, pile in player["arrivals"].items()]
    return piles + [Text(f"{_species(species)} (return flight)") for species in player["return_flights"]]


def _middle(state: Json, turn: int) -> Text:
    last = state["discard_pile"][-6:]
    text = Text(f"turn {turn}, deck {state['deck']}, discard pile {len(state['discard_pile'])}")
    return text + Text(": ... " if len(state["discard_pile"]) > len(last) else ": ") + _cards(last)


def _column_card(cards: list[Json], row: int) -> Text:
    if row >= len(cards):
        return Text("")
    card = cards[row]
    return _card(card["face"]) if card["face"] else Text("###", style="dim")


def _cards(faces: list[str]) -> Text:
    return Text(" ").join(_card(face) for face in faces)


def _card(face: str) -> Text:
    return Text(face, style=STYLES.get(face[-1], "red"))


def _species(species: str) -> str:
    return species.replace("_", " ")
