"""Rules 9, row by row: who may see what."""

from typing import Any

from domain.lifecycle import Create, EventRecord
from domain.migrato.codec.event_codec import encode
from domain.migrato.codec.move_codec import parse_move
from domain.migrato.rules.cards import names
from domain.migrato.rules.decide import decide
from domain.migrato.rules.state import INITIAL
from domain.migrato.rules.view import redact
from tests.domain.table import CHANCE, SEATS, cards, side, table, when

STATE = table(
    side(hand="G5d HUN S1n", columns={1: "G5d S1n"}, arrivals={"teal": "T5d T4n"}),
    side(hand="K4d K3d", columns={2: "S6n"}, flights=("stilt",)),
    top="B1d",
    discard_pile="K2d",
    return_flight=True,
)


def _events(*documents: dict[str, Any]) -> list[EventRecord]:
    wires, state = [], STATE
    for document in documents:
        events = decide(state, 0, parse_move(document), CHANCE)
        wires += [encode(event) for event in events]
        state = when(
            state, **{key.replace("from", "from_"): value for key, value in document.items()}
        ).happens()
    return wires


def test_a_card_played_face_down_is_seen_by_its_player_only() -> None:
    """Rules 9: others see that one was played, and where."""
    [night] = _events({"type": "play", "card": "S1n", "slot": None})
    assert redact(night, 0) == ({"card": "S1n", "slot": 2}, [])
    for viewer in (1, None):
        assert redact(night, viewer) == ({"card": None, "slot": 2}, ["card"])
    [day] = _events({"type": "play", "card": "G5d", "slot": None})
    assert redact(day, None) == ({"card": "G5d", "slot": 2}, [])


def test_drawn_cards_are_a_number_to_others() -> None:
    """Rules 9."""
    drawn = _events({"type": "exchange"})[1]
    assert redact(drawn, 0)[0]["cards"] is not None
    assert redact(drawn, 1) == ({"cards": None, "count": 3}, ["cards"])


def test_a_shuffle_shows_that_it_happened() -> None:
    """Rules 9: its order to nobody, not even a seat."""
    for wire in (encode(e) for e in decide(INITIAL, None, Create("g", "c", {}, SEATS), CHANCE)):
        for viewer in (0, 1, None):
            data, hidden = redact(wire, viewer)
            assert data["deck"] is None
            if wire.type == "game_started":
                assert hidden == ["deck", "hands"]
                assert [hand is not None for hand in data["hands"]] == [viewer == 0, viewer == 1]
            else:
                assert hidden == []


def test_a_deck_that_was_set_up_is_public_as_a_fact_and_hidden_as_an_order() -> None:
    """Everyone can see that it was set up; nobody sees the order before the end."""
    deck = tuple(names(tuple(sorted(cards(" ".join(names(INITIAL_DECK)))))))
    created = encode(decide(INITIAL, None, Create("g", "c", {}, SEATS, {"deck": deck}), CHANCE)[0])
    data, hidden = redact(created, 0)
    assert (data["setup"], data["deck"], hidden) == (True, None, ["deck"])


INITIAL_DECK = STATE.setup.rules.deck if STATE.setup else ()


def test_a_new_field_is_hidden_until_someone_shows_it() -> None:
    """Redaction is an allow-list."""
    [wire] = _events({"type": "play", "card": "G5d", "slot": None})
    grown = wire._replace(data=wire.data | {"secret": 7})
    assert redact(grown, 0) == (wire.data | {"secret": None}, ["secret"])
