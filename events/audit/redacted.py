"""What the events of a game that is not over hide: exactly what the game's own rule hides from one and the same viewer.

What is hidden is not known here. So something that would be hidden is put in its place, and the game's rule is asked
what it shows of that: it must be the event as it stands in the file. No engine gives out an event that hides more, less
or something else.
"""

from collections.abc import Callable
from typing import Any, Final

from domain.errors import DomainError
from domain.game import Game
from domain.lifecycle import EventRecord, Json, Viewer
from domain.migrato.codec import position_codec
from events.audit.findings import CheckFailed
from events.audit.infer_commands import how
from events.log import chain
from events.log.upcasters import UPCASTERS, upcast

CHECK: Final = "redacted"
_MALFORMED: Final = (ArithmeticError, AttributeError, DomainError, LookupError, TypeError, ValueError)
_HIDDEN: Final = "T4n"  # a night card: face down wherever it lies
_MOST: Final = 200  # cards of a deck
_REMARKS: Final = frozenset(("move_chosen", "hint_given"))


def check_redacted(game: Game, document: Json, viewer: Viewer, seats: int) -> None:
    """Wrong "redacted" unless the event is shown as it is to that viewer while the game runs."""
    version, seat = document["version"], document["seat"]
    if (seat is not None and not 0 <= seat < seats) or (viewer is not None and not 0 <= viewer < seats):
        raise CheckFailed(CHECK, version, "There is no such seat.", f"0 to {seats - 1}", seat)
    try:
        wire = _whole(game, document)
        shown, hidden = game.redact(wire, viewer)
        possible = _is_event(game, wire, document)
    except (*_MALFORMED, CheckFailed):
        possible = False
    if not possible:
        raise CheckFailed(CHECK, version, "No event can look like this.", None, _told(document))
    if hidden != document["redacted"] or (hidden and not _same(shown, document["data"])):
        who = "a spectator" if viewer is None else f"seat {viewer}"
        what = f"This is not what {who} is shown of such an event."
        raise CheckFailed(CHECK, version, what, {"redacted": hidden, "data": shown}, _told(document))


def _whole(game: Game, document: Json) -> EventRecord:
    """The event as it may have been recorded, in today's form. Raises what malformed data lead to."""
    kind, schema, seat, data = (document[name] for name in ("type", "schema", "seat", "data"))
    if not document["redacted"]:
        return upcast(game.name, EventRecord(kind, schema, seat, data))
    while (game.name, kind, schema) in UPCASTERS:  # what hides something is shown in today's form
        schema += 1
    put_in = _STAND_INS[game.name]
    return EventRecord(
        kind, schema, seat, data | {name: put_in[kind, name](data) for name in document["redacted"]}
    )


def _is_event(game: Game, wire: EventRecord, document: Json) -> bool:
    """Whether the game reads it, and would write it just so."""
    if wire.type in _REMARKS:
        how({**document, "data": wire.data})
    again = game.encode(game.decode(wire))
    return again[:3] == wire[:3] and _same(again.data, wire.data)


def _same(one: Json, other: Json) -> bool:
    """Whether they are the same JSON, where Python takes true for 1."""
    return chain.canonical(one) == chain.canonical(other)


def _told(document: Json) -> Json:
    return {name: document[name] for name in ("type", "seat", "redacted", "data")}


# --- Migrato --------------------------------------------------------------------------------------------------------


def _cards(count: Any) -> list[str]:
    if type(count) is not int or not 0 <= count <= _MOST:
        raise ValueError("not so many cards")
    return [_HIDDEN] * count


def _some_card(_data: Json) -> str:
    return _HIDDEN


def _a_deck(_data: Json) -> list[str]:
    return [_HIDDEN]


def _counted(data: Json) -> list[str]:
    return _cards(data["count"])


def _dealt(data: Json) -> list[list[str]]:
    return [_cards(3) if hand is None else hand for hand in data["hands"]]


def _held(data: Json) -> list[list[str]]:
    told = zip(data["hands"], data["hand_sizes"], strict=True)
    return [_cards(size) if hand is None else hand for hand, size in told]


def _laid(data: Json) -> list[list[Json]]:
    return [[{**column, "cards": _seen(column["cards"])} for column in side] for side in data["columns"]]


def _seen(cards: list[Json]) -> list[Json]:
    return [{**card, "face": _HIDDEN} if card["face"] is None else card for card in cards]


def _a_budget(_data: Json) -> Json:
    return {"iterations": 1}


def _a_seed(_data: Json) -> str:
    return "0" * 16


_StandIns = dict[tuple[str, str], Callable[[Json], Any]]
_MIGRATO: Final[_StandIns] = {
    ("game_created", "deck"): _a_deck,
    ("game_started", "deck"): _a_deck,
    ("game_started", "hands"): _dealt,
    ("bird_played", "card"): _some_card,
    ("danger_played", "card"): _some_card,
    ("cards_drawn", "cards"): _counted,
    ("deck_reshuffled", "deck"): _counted,
    (position_codec.KIND, "deck"): _counted,
    (position_codec.KIND, "hands"): _held,
    (position_codec.KIND, "columns"): _laid,
    ("move_chosen", "budget"): _a_budget,
    ("move_chosen", "seed"): _a_seed,
    ("hint_given", "budget"): _a_budget,
    ("hint_given", "seed"): _a_seed,
}
_STAND_INS: Final[dict[str, _StandIns]] = {"migrato": _MIGRATO}
