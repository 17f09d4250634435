"""Events as the person at the terminal reads them: "you" and names instead of the numbers of seats."""

import re
from collections.abc import Sequence

from domain.lifecycle import EventRecord, Json, seat_names

_SEAT = re.compile(r"\bseat (\d+)\b(?: ([a-z]+s)\b)?")
_SEATS = re.compile(r"\bseats (\d+(?: and \d+)+)")
_IRREGULAR = {"is": "are", "has": "have", "does": "do"}
YOU = "you"


def names_of(seats: Sequence[Json], own: int) -> list[str]:
    """Names of the seats: "you", or its player or bot."""
    return [
        YOU if seat == own else f"{name} (another one)" if name.lower() == YOU else name
        for seat, name in enumerate(seat_names(seats))
    ]


def told(record: EventRecord, notation: str, names: Sequence[str], own: int) -> str:
    """The event's notation with names for seats, and with verbs that fit them."""
    if record.type == "seat_taken":
        return f"{record.data['player']} sits down"
    if record.type == "hint_given":
        return f"{_name(names, record.seat)} asked {record.data['bot']} for a hint"
    if record.type == "seat_handed_over":
        return f"{record.data['player']} plays from now on for {_name(names, record.seat)}"

    def named(match: re.Match[str]) -> str:
        seat, verb = int(match[1]), match[2]
        if verb is None:
            return _name(names, seat)
        return f"{_name(names, seat)} {second_person(verb) if seat == own else verb}"

    def several(match: re.Match[str]) -> str:
        return " and ".join(_name(names, int(seat)) for seat in match[1].split(" and "))

    text = _SEATS.sub(several, _SEAT.sub(named, notation))
    return text.replace(" its last move", " your last move") if record.seat == own else text


def second_person(verb: str) -> str:
    """The verb of the third person as it is with "you"."""
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    return verb[:-2] if verb.endswith(("sses", "shes", "ches", "xes")) else verb[:-1]


def _name(names: Sequence[str], seat: int | None) -> str:
    return names[seat] if seat is not None and seat < len(names) else f"seat {seat}"
