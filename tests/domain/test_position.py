"""Positions told from outside: the same observation as in a game played here, and contradictions refused by name."""

import copy
import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.errors import DomainError
from domain.lifecycle import Json
from domain.migrato.belief.observation import observe
from domain.migrato.codec.event_codec import encode
from domain.migrato.codec.position_reader import position_of
from domain.migrato.rules.state import DISCARD
from tests.domain.playing import OPTIONS
from tests.domain.remembering import Told, games_told, history_document, view_document
from tests.domain.table import refusal, side, table

SEEDS = st.integers(0, 10_000)


def _told(seed: int, moves: int, options: dict[str, Any] | None = None) -> Told:
    """A game after so many moves."""
    *_, last = games_told(seed, options or {}, moves)
    return last


def _document(seed: int, moves: int) -> Json:
    told = _told(seed, moves)
    assert told.state.to_act is not None
    return told.document(told.state.to_act)


TOLD = _told(3, 61)
SEAT = TOLD.state.to_act or 0
ENTRY: Json = TOLD.document(SEAT)


@settings(max_examples=8, deadline=None)
@given(SEEDS, st.sampled_from(OPTIONS), st.sampled_from([0.2, 1.0]))
def test_a_view_and_a_history_give_the_very_same_observation(
    seed: int, options: dict[str, Any], wild: float
) -> None:
    """Memory included; so nothing that is hidden from the seat is in it, for nothing of that is in the documents."""
    for number, told in enumerate(games_told(seed, options, 100, wild)):
        if number % 13 == 0:
            seat = told.state.to_act
            assert seat is not None
            assert position_of(told.document(seat)) == told.seen(seat)


def test_remarks_of_bots_are_passed_over() -> None:
    """They are numbered as all events are, and nothing follows from them."""
    document = copy.deepcopy(ENTRY)
    for kind in (
        "move_chosen", "hint_given", "seat_token_reissued", "player_replaced", "seat_handed_over", "clock_set",
        "turn_timed_out", "clock_credited",
    ):  # fmt: skip
        document["history"].append({"type": kind, "seat": 1, "data": {}})
    _renumbered(document, document["history"])
    assert position_of(document) == TOLD.seen(SEAT)


def test_cards_that_the_seat_may_not_see_are_never_looked_at() -> None:
    """Cards that the seat may not see are never looked at: to tell more than it may know makes no difference."""
    document = copy.deepcopy(ENTRY)
    whole = history_document(TOLD.events, SEAT)
    for shown, event in zip(whole, TOLD.events, strict=True):
        if shown["type"] in ("bird_played", "cards_drawn", "deck_reshuffled", "game_started"):
            shown["data"] = encode(event).data
    document["history"] = whole
    assert position_of(document) == TOLD.seen(SEAT)


def test_without_a_history_the_view_alone_must_do() -> None:
    """Nothing is remembered then. The own face-down cards must be shown, by the caller or by `memory_aid`."""
    me, other = side("G5d HUN S1n", {1: "G4d G3n"}), side("K4d K3d B4d", {2: "S6n S3n"}, {"teal": "T5d T4n"})
    aided, state = table(me, other, memory_aid=True), table(me, other)
    for document in ({"view": view_document(aided, 0)}, {"view": view_document(aided, 0), "history": None}):
        assert position_of(document) == observe(aided, 0)
    view = view_document(state, 0)
    assert _refused({"view": view}) == ("impossible-position", ["view.state.players.0.columns"])
    view["state"]["players"][0]["columns"][0]["cards"][1]["face"] = "G3n"
    assert position_of({"view": view}) == observe(state, 0)


def _refused(document: Any) -> tuple[str, list[str]]:
    why = refusal(position_of, document)
    assert why.detail
    return why.code, sorted(why.data["errors"])


Change = Callable[[Json], object]


def _me(document: Json) -> Json:
    mine: Json = document["view"]["state"]["players"][SEAT]
    return mine


def _other(document: Json) -> Json:
    other: Json = document["view"]["state"]["players"][1 - SEAT]
    return other


def _state(document: Json) -> Json:
    state: Json = document["view"]["state"]
    return state


def _hand(document: Json, *faces: str) -> None:
    _me(document).update(hand=list(faces), hand_size=len(faces))


def _column(document: Json, *cards: tuple[str | None, bool]) -> None:
    column = {"slot": 1, "cards": [{"face": face, "down": down} for face, down in cards]}
    _me(document).update(columns=[column])


KITE = {"slot": 1, "cards": [{"face": "K4d", "down": False}]}
ME, OTHER = f"view.state.players.{SEAT}", f"view.state.players.{1 - SEAT}"
IMPOSSIBLE_VIEWS: dict[str, tuple[Change, str]] = {
    "a hand of five": (lambda d: _hand(d, *["G5d"] * 5), f"{ME}.hand"),
    "a face too often": (lambda d: _hand(d, "T5d", "T5d"), "view.state"),
    "55 cards": (lambda d: _state(d).update(deck=_state(d)["deck"] + 1), "view.state.deck"),
    "a full hand for the opponent": (lambda d: _other(d).update(hand_size=4), f"{OTHER}.hand_size"),
    "the opponent's cards": (lambda d: _other(d).update(hand=["G5d"]), f"{OTHER}.hand"),
    "no flock's column": (lambda d: _column(d, ("K4d", False), (None, True)), f"{ME}.columns.0.cards"),
    "two columns in a slot": (lambda d: _me(d).update(columns=[KITE, KITE]), f"{ME}.columns.1.slot"),
    "an empty column": (_column, f"{ME}.columns.0.cards"),
    "a day card face down": (lambda d: _column(d, ("K4d", True)), f"{ME}.columns.0.cards.0.face"),
    "no arrival's pile": (lambda d: _me(d).update(arrivals={"teal": ["K4d"]}), f"{ME}.arrivals.teal"),
    "a pile of dangers": (lambda d: _me(d).update(arrivals={"teal": ["HUN"]}), f"{ME}.arrivals.teal"),
    "a wrong score": (lambda d: _me(d).update(score=99), f"{ME}.score"),
    "no Return Flight": (lambda d: _me(d).update(return_flights=["teal"]), f"{ME}.return_flights.0"),
    "a spectator": (lambda d: d["view"].update(viewer=None), "view.viewer"),
    "somebody who is not to act": (lambda d: d["view"].update(to_act=1 - SEAT), "view.to_act"),
    "a finished game": (lambda d: d["view"].update(status="finished"), "view.status"),
    "a game not begun": (lambda d: d["view"].update(state=None), "view.state"),
    "another number of events": (lambda d: d["view"].update(version=2), "view.version"),
}
INVALID_VIEWS: dict[str, tuple[Change, str]] = {
    "an unknown species": (lambda d: _me(d).update(arrivals={"dodo": []}), f"{ME}.arrivals.dodo"),
    "another game": (lambda d: d["view"].update(game="chess"), "view.game"),
    "true for a number": (lambda d: d["view"].update(turn=True), "view.turn"),
    "a seat that is not there": (lambda d: d["view"].update(viewer=2), "view.viewer"),
    "an unknown option": (lambda d: d["view"]["options"].update(dice=6), "view.options.dice"),
    "options that are a list": (lambda d: d["view"].update(options=[]), "view.options"),
    "no options": (lambda d: d["view"].pop("options"), "view.options"),
    "a face that is not": (lambda d: _hand(d, "X9x"), f"{ME}.hand.0"),
    "no view": (lambda d: d.pop("view"), "view"),
}


def _at(kind: str) -> int:
    """The index of the last event of that type."""
    return max(at for at, event in enumerate(ENTRY["history"]) if event["type"] == kind)


def _data(document: Json, at: int) -> Json:
    data: Json = document["history"][at]["data"]
    return data


def _renumbered(document: Json, history: list[Json]) -> None:
    document["history"] = [event | {"version": number} for number, event in enumerate(history, 1)]


def _without(document: Json, at: int) -> None:
    _renumbered(document, [*document["history"][:at], *document["history"][at + 1 :]])


ARRIVAL = _at("birds_arrived")
ARRIVALS = [at for at, event in enumerate(ENTRY["history"]) if event["type"] == "birds_arrived"]
OPPOSING = next(at for at in ARRIVALS if ENTRY["history"][at]["seat"] != SEAT)
# "": the place depends on the moves after the mistake
IMPOSSIBLE_HISTORIES: dict[str, tuple[Change, str]] = {
    "a gap": (lambda d: d["history"].pop(5), "history.5.version"),
    "no creation": (lambda d: _without(d, 0), "history.0.type"),
    "no start": (lambda d: _without(d, _at("game_started")), "history.1.type"),
    "nothing": (lambda d: d.update(history=[]), "history"),
    "an event missing at the end": (lambda d: d["history"].pop(), ""),
    "other options": (
        lambda d: d["history"][0]["data"]["options"].update(return_flight=True),
        "history.0.data.options",
    ),
    "another hand": (lambda d: d["history"][1]["data"]["hands"].__setitem__(SEAT, ["HUN", "HUN", "HAB"]), ""),
    "another turn": (lambda d: d["history"][2].update(seat=1 - d["history"][2]["seat"]), "history.2.seat"),
    "an end": (
        lambda d: _renumbered(d, [*d["history"], {"type": "game_ended", "seat": None, "data": {}}]),
        f"history.{len(ENTRY['history'])}.type",
    ),
    "too many drawn": (
        lambda d: _data(d, _at("cards_drawn")).update(count=3),
        f"history.{_at('cards_drawn')}.data.count",
    ),
    "an arrival left out at the end": (lambda d: _without(d, ARRIVAL), f"{ME}.columns"),
    "other birds": (lambda d: _data(d, ARRIVAL).update(species="stilt"), f"history.{ARRIVAL}.data.species"),
    "cards elsewhere": (
        lambda d: _data(d, ARRIVAL).update(cards=["K4d"] * 4),
        f"history.{ARRIVAL}.data.cards",
    ),
    "an opposing arrival left out": (lambda d: _without(d, OPPOSING), ""),
    "face-down cards elsewhere": (
        lambda d: _data(d, OPPOSING).update(cards=["S6n", "S6n", "S6n"]),
        f"history.{OPPOSING}.type",
    ),
    "another card thrown away": (lambda d: _data(d, _at("card_discarded")).update(card="HUN"), ""),
}
INVALID_HISTORIES: dict[str, tuple[Change, str]] = {
    "an unknown event": (lambda d: d["history"][3].update(type="dance"), "history.3.type"),
    "a list for an event": (lambda d: d["history"].__setitem__(3, []), "history.3"),
    "an object for a history": (lambda d: d.update(history={}), "history"),
}
MISTAKES = {
    "impossible-position": IMPOSSIBLE_VIEWS | IMPOSSIBLE_HISTORIES,
    "validation-error": INVALID_VIEWS | INVALID_HISTORIES,
}


def test_a_mistake_is_refused_by_the_place_that_is_wrong(subtests: pytest.Subtests) -> None:
    for code, mistakes in MISTAKES.items():
        for name, (change, place) in mistakes.items():
            with subtests.test(name):
                document = copy.deepcopy(ENTRY)
                change(document)
                refused, places = _refused(document)
                assert refused == code
                assert not place or places == [place]


def test_the_history_must_lead_to_the_table_of_the_view() -> None:
    """Each has all its cards, but they are not the same."""
    document, pile = copy.deepcopy(ENTRY), ENTRY["view"]["state"]["discard_pile"]
    _hand(document, pile[0], *_me(document)["hand"][1:])
    document["view"]["state"]["discard_pile"] = [_me(ENTRY)["hand"][0], *pile[1:]]
    code, places = _refused(document)
    assert code == "impossible-position"
    assert places in (["view.state.discard_pile"], [f"{ME}.hand"])


ODD: tuple[Any, ...] = (
    *(None, True, -1, 0, 1, 2, 9, 10**30, 0.5),
    *("", "G5n", "HUN", "slot", [], [1], {}, {"slot": 1}),
)


def _spoilt(document: Json, rng: random.Random) -> None:
    """Something else, or nothing, somewhere in the document."""
    value: Any = document
    path: list[tuple[Any, Any]] = []
    while isinstance(value, dict | list) and value:
        key = rng.choice(list(value) if isinstance(value, dict) else range(len(value)))
        path.append((value, key))
        value = value[key]
    if not path:
        return
    container, key = rng.choice(path)
    if rng.random() < 0.7:
        container[key] = copy.deepcopy(rng.choice(ODD))  # else it may come to hold itself
    else:
        del container[key]


REFUSALS = ("validation-error", "impossible-position")


def _refusal(document: Any) -> DomainError | None:
    try:
        position_of(document)
    except DomainError as error:
        return error
    return None


SMALL = json.dumps(_document(7, 14))


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.booleans())
def test_any_document_is_understood_or_refused(seed: int, alone: bool) -> None:
    """Many documents, each with a few places spoilt: never anything but a DomainError that names the place."""
    rng = random.Random(seed)
    for _ in range(40):
        document: Json = json.loads(SMALL)
        if alone:
            del document["history"]
        for _ in range(rng.randint(1, 3)):
            _spoilt(document, rng)
        refusal = _refusal(document)
        assert refusal is None or (refusal.code in REFUSALS and refusal.data["errors"])


def test_anything_at_all_is_refused() -> None:
    """Anything that is no position is refused, and it need not even be an object."""
    for document in ODD:
        assert _refused(document)[0] == "validation-error", document


def test_a_turn_half_done_can_be_told_too() -> None:
    """A position may also be told of a turn half done, after the action and before the discard."""
    seen = 0
    for told in games_told(4, {}, 40):
        if told.state.phase is DISCARD and told.state.to_act is not None:
            seen += 1
            assert position_of(told.document(told.state.to_act)) == told.seen(told.state.to_act)
    assert seen
