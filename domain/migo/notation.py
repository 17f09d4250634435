"""Events and moves in one readable line, for logs, apps and the terminal; hidden parts are left out."""

from collections.abc import Callable
from typing import Any, Final

from domain.lifecycle import EventRecord, Json
from domain.migo import words
from domain.words import common
from domain.words.languages import EMPTY, Said, Words, joined, same


def event_said(record: EventRecord) -> Said:
    """One line, such as "seat 0 takes E07a from place 3"; works on whole and on redacted data."""
    return common.said(record) or _EVENTS[record.type](record.data, common.seat(record.seat))


def move_said(move: Json, view: Json | None) -> Said:
    """A legal move, with the faces of its cards if the view is given."""
    if move["type"] != "take":
        return Said(common.RESIGN)
    state: Json = {"table": [], "players": []} if view is None else view["state"]
    lying = next((card for card in state["table"] if card["place"] == move["place"]), None)
    parts = {
        "place": move["place"],
        "card": "" if lying is None else f", {lying['card']} {words.faces(lying)}",
        "flip": _flip(move["flip"], state["players"]) if "flip" in move else EMPTY,
        "drink": Said(words.DRINK) if move.get("drink") else EMPTY,
    }
    return Said(words.TAKE, parts)


def _flip(name: str | None, players: list[Json]) -> Said:
    """The card that is turned over, and what it shows then."""
    if name is None:
        return Said(words.NO_FLIP)
    own = next((card for player in players for card in player["cards"] if card["card"] == name), None)
    if own is None:
        return Said(words.FLIP, {"card": name})
    return Said(words.FLIP_TO, {"card": name, "face": words.face(own["down"])})


def _points(points: list[int]) -> str:
    return " : ".join(map(str, points))


def _round_started(data: Json, _: Said) -> Said:
    layout = words.LAYOUTS.get(data["layout"])
    turned = Said(words.TURNED, {"cards": " ".join(data["turned"])}) if data["turned"] else EMPTY
    shown = {"layout": Said(layout) if layout else data["layout"], "cards": " ".join(data["cards"])}
    return Said(words.ROUND_STARTED, {**data, **shown, "turned": turned})


def _verdict(places: list[int]) -> Said:
    first = [seat for seat, place in enumerate(places) if place == 1]
    if len(first) == 1:
        return Said(common.WINNER, {"seat": first[0]})
    seats = joined(*[part for seat in first for part in (common.AND, same(str(seat)))][1:])
    return Said(words.SHARED, {"seats": Said(seats)})


def _ended(data: Json, _: Said) -> Said:
    reason = common.reason(data["reason"], words.REASONS)
    shown = {"flags": _points(data["flags"]), "scores": _points(data["scores"])}
    verdict = {"reason": reason, "verdict": _verdict(data["places"])}
    return Said(words.GAME_ENDED, shown | verdict)


def _of_a_seat(said: Words) -> Callable[[Any, Said], Said]:
    """An event of a seat that says what its data say."""
    return lambda data, who: Said(said, {**data, "who": who})


_EVENTS: Final[dict[str, Callable[[Any, Said], Said]]] = {
    "game_created": lambda data, _: common.created(data, Said(words.SEATS, {"seats": len(data["seats"])})),
    "game_started": lambda data, _: Said(common.STARTED, data),
    "position_set": lambda data, _: common.goes_on(data, Said(words.TO_ACT, data)),
    "round_started": _round_started,
    "card_taken": _of_a_seat(words.CARD_TAKEN),
    "bottle_gained": _of_a_seat(words.BOTTLE_GAINED),
    "sherpa_dismissed": _of_a_seat(words.SHERPA_DISMISSED),
    "card_flipped": _of_a_seat(words.CARD_FLIPPED),
    "bottle_drunk": _of_a_seat(words.BOTTLE_DRUNK),
    "round_ended": lambda data, _: Said(words.ROUND_ENDED, {**data, "scores": _points(data["scores"])}),
    "game_ended": _ended,
    "game_scored": lambda data, _: Said(words.GAME_SCORED, {"verdict": _verdict(data["places"])}),
}
