"""Every event in one readable line, for logs and the terminal; what is hidden is not mentioned."""

from collections.abc import Callable
from typing import Any, Final

from domain.lifecycle import EventRecord


def notation(record: EventRecord) -> str:
    """One line, such as "seat 0 takes E07a from place 3"; works on whole and on redacted data."""
    sentence = _SENTENCES[record.type](record.data)
    return sentence if record.seat is None else f"seat {record.seat} {sentence}"


def _points(points: list[int]) -> str:
    return " : ".join(map(str, points))


def _started(data: dict[str, Any]) -> str:
    turned = f", turned to climbers: {' '.join(data['turned'])}" if data["turned"] else ""
    what = f"round {data['round']} ({data['layout']}), seat {data['starter']} starts"
    return f"{what}: {' '.join(data['cards'])}{turned}"


def _verdict(places: list[int]) -> str:
    first = [seat for seat, place in enumerate(places) if place == 1]
    if len(first) == 1:
        return f"seat {first[0]} wins"
    return f"seats {' and '.join(map(str, first))} share the first place"


_SENTENCES: Final[dict[str, Callable[[dict[str, Any]], str]]] = {
    "game_created": lambda d: f"game {d['id']} created for {len(d['seats'])}",
    "seat_taken": lambda d: f"is taken by {d['player']}",
    "game_started": lambda d: f"the game starts with seat {d['first_seat']}",
    "position_set": lambda d: (
        f"the game goes on from turn {d['turn']} of another, in round {d['round']}; seat {d['to_act']} is to act"
    ),
    "moves_taken_back": lambda d: f"takes its last move back: the table is as after event {d['to_version']}",
    "round_started": _started,
    "card_taken": lambda d: f"takes {d['card']}{d['face']} from place {d['place']}",
    "bottle_gained": lambda _: "gets a full bottle",
    "sherpa_dismissed": lambda d: f"dismisses the sherpa of {d['card']}",
    "card_flipped": lambda d: f"turns {d['card']} to {d['card']}{d['face']}",
    "bottle_drunk": lambda _: "drinks a bottle and plays again",
    "round_ended": lambda d: (
        f"round {d['round']} ends, {_points(d['scores'])}: seat {d['winner']} takes a flag"
    ),
    "player_resigned": lambda _: "resigns",
    "game_ended": lambda d: (
        f"the game ends ({d['reason']}): {_verdict(d['places'])}, flags {_points(d['flags'])}, "
        f"points {_points(d['scores'])}"
    ),
    "game_scored": lambda d: f"the result is confirmed: {_verdict(d['places'])}",
}
