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
from tests.domain.table import side, table

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
    document["history"] += [
        {"type": "move_chosen", "seat": 0, "data": {}},
        {"type": "hint_given", "seat": 1, "data": {}},
        {"type": "seat_token_reissued", "seat": 1, "data": {}},
        {"type": "player_replaced", "seat": 1, "data": {}},
        {"type": "seat_handed_over", "seat": 1, "data": {}},
        {"type": "clock_set", "seat": None, "data": {}},
        {"type": "turn_timed_out", "seat": 1, "data": {}},
        {"type": "clock_credited", "seat": 1, "data": {}},
    ]
    for number, event in enumerate(document["history"], 1):
        event["version"] = number
    assert position_of(document) == TOLD.seen(SEAT)


def test_what_the_seat_may_not_see_is_never_looked_at() -> None:
    """Whoever tells more than the seat may know makes no difference by it."""
    document = copy.deepcopy(ENTRY)
    whole = history_document(TOLD.events, SEAT)
    for shown, event in zip(whole, TOLD.events, strict=True):
        if shown["type"] in ("bird_played", "cards_drawn", "deck_reshuffled", "game_started"):
            shown["data"] = encode(event).data
    document["history"] = whole
    assert position_of(document) == TOLD.seen(SEAT)


@pytest.mark.parametrize("history", ["absent", "null"])
def test_without_a_history_the_view_alone_must_do(history: str) -> None:
    """Nothing is remembered then."""
    state = table(
        side("G5d HUN S1n", {1: "G4d G3n"}),
        side("K4d K3d B4d", {2: "S6n S3n"}, {"teal": "T5d T4n"}),
        memory_aid=True,
    )
    document = {"view": view_document(state, 0)} | ({"history": None} if history == "null" else {})
    assert position_of(document) == observe(state, 0)


def test_without_a_history_the_own_face_down_cards_must_be_shown() -> None:
    """Whoever asks may fill them in, as `memory_aid` does."""
    state = table(side("G5d HUN S1n", {1: "G4d G3n"}), side("K4d K3d B4d"))
    view = view_document(state, 0)
    assert _refused({"view": view}) == ("impossible-position", ["view.state.players.0.columns"])
    view["state"]["players"][0]["columns"][0]["cards"][1]["face"] = "G3n"
    assert position_of({"view": view}) == observe(state, 0)


def _refused(document: Any) -> tuple[str, list[str]]:
    with pytest.raises(DomainError) as caught:
        position_of(document)
    assert caught.value.detail
    return caught.value.code, sorted(caught.value.data["errors"])


Change = Callable[[Json], object]


def _me(document: Json) -> Json:
    mine: Json = document["view"]["state"]["players"][SEAT]
    return mine


def _other(document: Json) -> Json:
    other: Json = document["view"]["state"]["players"][1 - SEAT]
    return other


def _hand(document: Json, *faces: str) -> None:
    _me(document).update(hand=list(faces), hand_size=len(faces))


ME, OTHER = f"view.state.players.{SEAT}", f"view.state.players.{1 - SEAT}"
VIEWS: dict[str, tuple[Change, str, str]] = {
    "a hand of five": (lambda d: _hand(d, *["G5d"] * 5), "impossible-position", f"{ME}.hand"),
    "a face too often": (lambda d: _hand(d, "T5d", "T5d"), "impossible-position", "view.state"),
    "55 cards": (
        lambda d: d["view"]["state"].update(deck=d["view"]["state"]["deck"] + 1),
        "impossible-position",
        "view.state.deck",
    ),
    "a full hand for the opponent": (
        lambda d: _other(d).update(hand_size=4),
        "impossible-position",
        f"{OTHER}.hand_size",
    ),
    "the opponent's cards": (
        lambda d: _other(d).update(hand=["G5d"]),
        "impossible-position",
        f"{OTHER}.hand",
    ),
    "a column that no flock fills": (
        lambda d: _me(d).update(
            columns=[{"slot": 1, "cards": [{"face": "K4d", "down": False}, {"face": None, "down": True}]}]
        ),
        "impossible-position",
        f"{ME}.columns.0.cards",
    ),
    "two columns in a slot": (
        lambda d: _me(d).update(columns=[{"slot": 1, "cards": [{"face": "K4d", "down": False}]}] * 2),
        "impossible-position",
        f"{ME}.columns.1.slot",
    ),
    "an empty column": (
        lambda d: _me(d).update(columns=[{"slot": 1, "cards": []}]),
        "impossible-position",
        f"{ME}.columns.0.cards",
    ),
    "a day card face down": (
        lambda d: _me(d).update(columns=[{"slot": 1, "cards": [{"face": "K4d", "down": True}]}]),
        "impossible-position",
        f"{ME}.columns.0.cards.0.face",
    ),
    "a pile that never arrived": (
        lambda d: _me(d).update(arrivals={"teal": ["K4d"]}),
        "impossible-position",
        f"{ME}.arrivals.teal",
    ),
    "a pile of dangers": (
        lambda d: _me(d).update(arrivals={"teal": ["HUN"]}),
        "impossible-position",
        f"{ME}.arrivals.teal",
    ),
    "an unknown species": (
        lambda d: _me(d).update(arrivals={"dodo": []}),
        "validation-error",
        f"{ME}.arrivals.dodo",
    ),
    "a wrong score": (lambda d: _me(d).update(score=99), "impossible-position", f"{ME}.score"),
    "a Return Flight card that is not played for": (
        lambda d: _me(d).update(return_flights=["teal"]),
        "impossible-position",
        f"{ME}.return_flights.0",
    ),
    "a spectator": (lambda d: d["view"].update(viewer=None), "impossible-position", "view.viewer"),
    "somebody who is not to act": (
        lambda d: d["view"].update(to_act=1 - SEAT),
        "impossible-position",
        "view.to_act",
    ),
    "a finished game": (lambda d: d["view"].update(status="finished"), "impossible-position", "view.status"),
    "a game not begun": (lambda d: d["view"].update(state=None), "impossible-position", "view.state"),
    "another game": (lambda d: d["view"].update(game="chess"), "validation-error", "view.game"),
    "true for a number": (lambda d: d["view"].update(turn=True), "validation-error", "view.turn"),
    "a seat that is not there": (lambda d: d["view"].update(viewer=2), "validation-error", "view.viewer"),
    "an unknown option": (
        lambda d: d["view"]["options"].update(dice=6),
        "validation-error",
        "view.options.dice",
    ),
    "options that are a list": (lambda d: d["view"].update(options=[]), "validation-error", "view.options"),
    "no options": (lambda d: d["view"].pop("options"), "validation-error", "view.options"),
    "a face that is not": (lambda d: _hand(d, "X9x"), "validation-error", f"{ME}.hand.0"),
    "another number of events": (
        lambda d: d["view"].update(version=2),
        "impossible-position",
        "view.version",
    ),
    "no view": (lambda d: d.pop("view"), "validation-error", "view"),
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_that_cannot_be_is_refused_by_name(name: str) -> None:
    """With the place that is wrong, whether there is a history or not."""
    change, code, place = VIEWS[name]
    document = copy.deepcopy(ENTRY)
    change(document)
    assert _refused(document) == (code, [place])


def _at(kind: str) -> int:
    """The index of the last event of that type."""
    return max(at for at, event in enumerate(ENTRY["history"]) if event["type"] == kind)


def _event(document: Json, kind: str) -> Json:
    event: Json = document["history"][_at(kind)]
    return event


def _renumbered(document: Json, history: list[Json]) -> None:
    document["history"] = [event | {"version": number} for number, event in enumerate(history, 1)]


OPPOSING = next(
    at
    for at, event in enumerate(ENTRY["history"])
    if event["type"] == "birds_arrived" and event["seat"] != SEAT
)
HISTORIES: dict[str, tuple[Change, str, str]] = {
    "a gap": (lambda d: d["history"].pop(5), "impossible-position", "history.5.version"),
    "no creation": (lambda d: _renumbered(d, d["history"][1:]), "impossible-position", "history.0.type"),
    "no start": (
        lambda d: _renumbered(d, [e for e in d["history"] if e["type"] != "game_started"]),
        "impossible-position",
        "history.1.type",
    ),
    "nothing": (lambda d: d.update(history=[]), "impossible-position", "history"),
    "an event missing at the end": (lambda d: d["history"].pop(), "impossible-position", ""),
    "other options": (
        lambda d: d["history"][0]["data"]["options"].update(return_flight=True),
        "impossible-position",
        "history.0.data.options",
    ),
    "another hand": (
        lambda d: d["history"][1]["data"]["hands"].__setitem__(SEAT, ["HUN", "HUN", "HAB"]),
        "impossible-position",
        "",
    ),
    "another seat's turn": (
        lambda d: d["history"][2].update(seat=1 - d["history"][2]["seat"]),
        "impossible-position",
        "history.2.seat",
    ),
    "an end": (
        lambda d: d["history"].append(
            {"version": len(d["history"]) + 1, "type": "game_ended", "seat": None, "data": {}}
        ),
        "impossible-position",
        f"history.{len(ENTRY['history'])}.type",
    ),
    "an unknown event": (
        lambda d: d["history"][3].update(type="dance"),
        "validation-error",
        "history.3.type",
    ),
    "a list for an event": (
        lambda d: d["history"].__setitem__(3, []),
        "validation-error",
        "history.3",
    ),
    "an object for a history": (lambda d: d.update(history={}), "validation-error", "history"),
    "too many drawn": (
        lambda d: _event(d, "cards_drawn")["data"].update(count=3),
        "impossible-position",
        f"history.{_at('cards_drawn')}.data.count",
    ),
    "an arrival left out at the end": (
        lambda d: _renumbered(
            d, d["history"][: _at("birds_arrived")] + d["history"][_at("birds_arrived") + 1 :]
        ),
        "impossible-position",
        f"{ME}.columns",
    ),
    "an arrival of other birds": (
        lambda d: _event(d, "birds_arrived")["data"].update(species="stilt"),
        "impossible-position",
        f"history.{_at('birds_arrived')}.data.species",
    ),
    "an arrival of cards that lay elsewhere": (
        lambda d: _event(d, "birds_arrived")["data"].update(cards=["K4d"] * 4),
        "impossible-position",
        f"history.{_at('birds_arrived')}.data.cards",
    ),
    "an opposing arrival left out": (
        lambda d: _renumbered(d, d["history"][:OPPOSING] + d["history"][OPPOSING + 1 :]),
        "impossible-position",
        "",
    ),
    "a face-down card that no opposing arrival turned up": (
        lambda d: d["history"][OPPOSING]["data"].update(cards=["S6n", "S6n", "S6n"]),
        "impossible-position",
        f"history.{OPPOSING}.type",
    ),
    "another card thrown away": (
        lambda d: _event(d, "card_discarded")["data"].update(card="HUN"),
        "impossible-position",
        "",
    ),
}


@pytest.mark.parametrize("name", HISTORIES)
def test_a_history_that_cannot_be_is_refused_by_name(name: str) -> None:
    """With the place that is wrong; where one mistake shows depends on what comes after it for some."""
    change, code, place = HISTORIES[name]
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
    None,
    True,
    -1,
    0,
    1,
    2,
    9,
    10**30,
    0.5,
    "",
    "G5n",
    "HUN",
    "slot",
    [],
    [1],
    {},
    {"slot": 1},
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
def test_whatever_is_sent_is_understood_or_refused(seed: int, alone: bool) -> None:
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


@pytest.mark.parametrize("document", ODD, ids=repr)
def test_anything_at_all_is_refused(document: Any) -> None:
    """It need not even be an object."""
    assert _refused(document)[0] == "validation-error"


def test_a_turn_half_done_can_be_told_too() -> None:
    """After the action, before the discard."""
    seen = 0
    for told in games_told(4, {}, 40):
        if told.state.phase is DISCARD and told.state.to_act is not None:
            seen += 1
            assert position_of(told.document(told.state.to_act)) == told.seen(told.state.to_act)
    assert seen
