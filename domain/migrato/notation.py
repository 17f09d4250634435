"""Every event in one readable line, for logs and the terminal; a hidden card is written "?"."""

from collections.abc import Callable
from typing import Any, Final

from domain.lifecycle import EventRecord, Json


def notation(record: EventRecord) -> str:
    """One line, such as "seat 0 plays G5d to column 2"; works on whole and on redacted data."""
    sentence = _SENTENCES[record.type](record.data)
    return sentence if record.seat is None else f"seat {record.seat} {sentence}"


def _cards(cards: list[str] | None, count: int = 0) -> str:
    if cards is None:
        return " ".join("?" * count)
    return " ".join(cards) or "nothing"


def _card(card: str | None) -> str:
    return card or "?"


def _aim(target: Json) -> str:
    return f"column {target['slot']}" if "slot" in target else f"the {target['pile']} pile"


def _moved(data: Json) -> str:
    return (
        f"moves column {data['from']} from card {data['index'] + 1} on to column {data['to']}"
        f"{' and uncovers it' if data['uncover'] else ''}"
    )


def _ended(data: Json) -> str:
    scores = " : ".join(str(points) for points in data["scores"])
    verdict = "a draw" if data["winner"] is None else f"seat {data['winner']} wins"
    return f"{verdict}, {scores}"


_SENTENCES: Final[dict[str, Callable[[dict[str, Any]], str]]] = {
    "game_created": lambda d: f"game {d['id']} created, rules {d['options']['rules']}",
    "seat_taken": lambda d: f"is taken by {d['player']}",
    "game_started": lambda d: f"the game starts with seat {d['first_seat']}",
    "position_set": lambda d: (
        f"the game goes on from turn {d['turn']} of another, seat {d['to_act']} is to act"
    ),
    "moves_taken_back": lambda d: f"takes its last move back: the table is as after event {d['to_version']}",
    "bird_played": lambda d: f"plays {_card(d['card'])} to column {d['slot']}",
    "cards_moved": _moved,
    "danger_played": lambda d: f"plays {d['danger']} and takes {_card(d['card'])} from {_aim(d['target'])}",
    "birds_arrived": lambda d: f"lands {d['species']}: {_cards(d['cards'])}",
    "arrival_failed": lambda d: f"uncovers column {d['slot']}, no flock: {_cards(d['cards'])}",
    "return_flight_taken": lambda d: f"takes the return flight of {d['species']} for {_cards(d['cards'])}",
    "column_discarded": lambda d: (
        f"{'abandons' if d['abandoned'] else 'loses'} {_cards(d['cards'])} of column {d['slot']}"
    ),
    "hand_exchanged": lambda d: f"exchanges {_cards(d['cards'])}",
    "card_discarded": lambda d: f"discards {d['card']}",
    "cards_drawn": lambda d: f"draws {_cards(d['cards'], d['count'])}",
    "deck_reshuffled": lambda d: f"the discard pile becomes a deck of {d['count']}",
    "turn_passed": lambda _: "passes",
    "player_resigned": lambda _: "resigns",
    "game_ended": lambda d: f"the game ends ({d['reason']}): {_ended(d)}",
    "game_scored": lambda d: f"the result is confirmed: {_ended(d)}",
}
