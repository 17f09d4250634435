"""Numbered rulings, each by name; the model meets the others (`tests/model/test_against_model.py`)."""

from random import Random
from typing import Any

import pytest

from domain.chance import SeededChance
from domain.errors import DomainError
from domain.lifecycle import Create
from domain.migrato.codec.event_codec import encode
from domain.migrato.codec.move_codec import parse_move
from domain.migrato.rules.cards import names
from domain.migrato.rules.decide import decide
from domain.migrato.rules.legal import legal_moves
from domain.migrato.rules.options import options_document, resolve, rules_from
from domain.migrato.rules.rule_books import TURN_CAP
from domain.migrato.rules.state import DISCARD, INITIAL, fold
from domain.migrato.rules.view import redact, view
from tests.domain.table import CHANCE, SEATS, legal, side, table, when


def _started(seed: int = 0, **options: Any) -> Any:
    chance = SeededChance(seed.to_bytes(32, "big"), "g")
    return fold(INITIAL, decide(INITIAL, None, Create("g", "c", options, SEATS), chance))


def test_r1_seat_0_starts_unless_the_game_says_otherwise() -> None:
    """R1: `first_seat`, or drawn from the game's seed."""
    assert _started().to_act == 0
    assert _started(first_seat=1).to_act == 1
    drawn = [_started(seed, first_seat="random").to_act for seed in range(40)]
    assert set(drawn) == {0, 1}
    assert drawn == [_started(seed, first_seat="random").to_act for seed in range(40)]
    with pytest.raises(DomainError, match="first_seat"):
        _started(first_seat=2)


def test_r3_the_pile_is_reshuffled_when_a_card_must_be_drawn_and_not_earlier() -> None:
    """R3: the card just discarded is part of it."""
    state = table(side(hand="K4d G5n HUN"), deck="S1n S3n", discard_pile="B1d")
    state = when(state, type="play", card="K4d", slot=None).happens()
    after = when(state, type="discard", card="HUN").then("seat 0 discards HUN", "seat 0 draws S1n S3n")
    assert (after.deck, names(after.discard_pile)) == ((), ["B1d", "HUN"])
    short = table(side(hand="K4d G5n HUN"), deck="S1n", discard_pile="B1d")
    short = when(short, type="play", card="K4d", slot=None).happens()
    events = decide(short, 0, parse_move({"type": "discard", "card": "HUN"}), CHANCE)
    kinds = [encode(event).type for event in events]
    assert kinds == ["card_discarded", "cards_drawn", "deck_reshuffled", "cards_drawn"]
    assert sorted(encode(events[2]).data["deck"]) == ["B1d", "HUN"]
    assert len(fold(short, events).deck) == 1


def test_r4_with_both_piles_empty_the_player_goes_on_with_fewer_cards() -> None:
    """R4; and without a card in hand nothing is discarded."""
    state = table(side(hand="K4d"), deck="")
    after = when(state, type="play", card="K4d", slot=None).then(
        "seat 0 plays K4d to column 1", "seat 0 draws nothing"
    )
    assert (after.to_act, after.players[0].hand) == (1, ())
    drawing = table(side(hand="K4d"), deck="G5d S1n")
    when(drawing, type="play", card="K4d", slot=None).then(
        "seat 0 plays K4d to column 1", "seat 0 draws G5d S1n"
    )
    moving = table(side(columns={1: "G5d", 2: "G4d"}), deck="")
    after = when(moving, type="move_cards", from_=2, index=0, to=1).then(
        "seat 0 moves column 2 from card 1 on to column 1", "seat 0 draws nothing"
    )
    assert after.to_act == 1


def test_r6_a_face_down_column_is_checked_at_the_goal_of_the_species_just_played() -> None:
    """R6: the fourth card fails as a stilt's, not as a goose's; a fifth as a goose's."""
    down = side(hand="S1n G3n T2n", columns={1: "S6n S6n S3n", 2: "T4n", 3: "G5n G5n G4n S1n"})
    state = table(down)
    when(state, type="play", card="S1n", slot=1).then(
        "seat 0 plays S1n to column 1", "seat 0 lands stilt: S6n S6n S3n S1n"
    )
    when(state, type="play", card="G3n", slot=1).then("seat 0 plays G3n to column 1")
    when(state, type="play", card="T2n", slot=2).then(
        "seat 0 plays T2n to column 2", "seat 0 lands teal: T4n T2n"
    )
    when(state, type="play", card="G3n", slot=3).then(
        "seat 0 plays G3n to column 3", "seat 0 uncovers column 3, no flock: G5n G5n G4n S1n G3n"
    )


def test_r7_uncovering_is_offered_at_length_2_4_or_5() -> None:
    """R7: after `move_cards`, all cards face down; otherwise it is refused."""
    for first, second, offered in (
        ("S6n", "S3n", True),
        ("S6n S6n", "S3n", False),
        ("S6n S6n", "S3n S3n", True),
        ("G5n G5n G4n", "G4n G3n", True),
        ("G5d", "G4n", False),
    ):
        state = table(side(hand="HUN", columns={1: first, 2: second}))
        joined = [
            m["uncover"] for m in legal(state, "move_cards") if (m["from"], m["index"], m["to"]) == (2, 0, 1)
        ]
        assert joined == ([False, True] if offered else [False])
        if not offered:
            when(state, type="move_cards", from_=2, index=0, to=1, uncover=True).fails("illegal-move", "R7")


def _faces(state: Any, viewer: int | None) -> list[str | None]:
    shown = view(state, viewer)
    assert shown is not None
    return [card["face"] for card in shown["players"][0]["columns"][0]["cards"]]


def test_r13_memory_aid_shows_players_their_own_night_cards() -> None:
    """R13: and nobody else's, and to nobody else."""
    mine = side(columns={1: "G5d S1n"})
    assert _faces(table(mine), 0) == ["G5d", None]
    aided = table(mine, memory_aid=True)
    assert [_faces(aided, viewer) for viewer in (0, 1, None)] == [
        ["G5d", "S1n"],
        ["G5d", None],
        ["G5d", None],
    ]


def test_r14_thief_and_victim_see_a_stolen_face_down_card_and_no_spectator() -> None:
    """R14: the victim once played it."""
    state = table(side(hand="LIG"), side(columns={1: "S6n"}))
    move = parse_move({"type": "danger", "card": "LIG", "target": {"slot": 1}})
    event = encode(decide(state, 0, move, CHANCE)[0])
    assert [redact(event, viewer)[0]["card"] for viewer in (0, 1, None)] == ["S6n", "S6n", None]
    assert [redact(event, viewer)[1] for viewer in (0, 1, None)] == [[], [], ["card"]]


def test_r17_a_discard_in_the_same_request_is_a_known_card() -> None:
    """R17: a card that a theft in the open brings may be named, one from a face-down place may not."""
    state = table(side(hand="HAB B1d"), side(columns={1: "K4d", 2: "S6n"}))
    when(state, type="danger", card="HAB", target={"slot": 1}, discard="K4d").happens()
    when(state, type="danger", card="HAB", target={"slot": 2}, discard="S6n").fails("illegal-move", "R17")
    when(state, type="danger", card="HAB", target={"slot": 2}, discard="B1d").happens()


def test_the_options_of_any_game_can_be_posted_again() -> None:
    """Resolved options mean the same rules; what follows from the others cannot be chosen."""
    rules = resolve({"rules": "opla", "return_flight": True, "turn_limit": 7})
    assert resolve(options_document(rules)) == rules
    with pytest.raises(DomainError, match=r"options\.sweep"):
        resolve({"rules": "opla", "sweep": "seen_columns"})


def test_r20_a_game_without_a_limit_ends_after_its_last_turn() -> None:
    """R20: the cap stands in the options, and the end is that of R10."""
    mine = side(hand="K4d G5d", arrivals={"teal": "T5d T4n"})
    state = table(mine, turn=TURN_CAP)
    assert state.setup is not None
    assert options_document(state.setup.rules)["turn_cap"] == TURN_CAP
    result = when(state, type="exchange").happens().result
    assert result is not None
    assert (result.reason, result.winner, result.scores) == ("turn_limit", 0, (4, 0))
    assert when(table(mine, turn=TURN_CAP - 1), type="exchange").happens().result is None


def test_r20_no_limit_is_beyond_the_cap() -> None:
    """R20: callers choose a limit up to it, and never the cap."""
    assert _started(turn_limit=TURN_CAP).setup.rules.last_turn == TURN_CAP
    for options in ({"turn_limit": TURN_CAP + 1}, {"turn_cap": TURN_CAP + 1}, {"turn_cap": None}):
        with pytest.raises(DomainError, match=r"Must be null|Follows from"):
            _started(**options)
    assert resolve(options_document(resolve({}))) == resolve({})


def test_r20_games_of_0_1_0_have_no_cap() -> None:
    """R20: that version was never released, so they are refused."""
    options = {name: value for name, value in options_document(resolve({})).items() if name != "turn_cap"}
    with pytest.raises(DomainError, match=r"of 0\.1\.0. That version was never released"):
        rules_from(options)


def test_r20_every_move_brings_the_last_turn_nearer() -> None:
    """R20: a turn has at most two moves, and a move at most eight events; so a game has a greatest length."""
    variants: tuple[dict[str, Any], ...] = ({}, {"rules": "opla", "return_flight": True})
    for options in variants:
        rng, state = Random(20), _started(**options, turn_limit=300)
        while state.to_act is not None:
            before, moves = (state.turn, state.phase is DISCARD), legal_moves(state)
            events = decide(state, state.to_act, rng.choice(moves), CHANCE)
            state = fold(state, events)
            assert len(events) <= 8
            assert state.result is not None or (state.turn, state.phase is DISCARD) > before
        assert state.turn == 301
