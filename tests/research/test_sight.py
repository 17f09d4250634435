"""What is shown of a table, in words and in numbers."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from domain.migrato.rules.cards import FACE, NAME
from domain.migrato.rules.state import State
from research import sight
from tests.domain.playing import position
from tests.research.playing import VARIANTS, tables, twins

variants = pytest.mark.parametrize("options", VARIANTS, ids=str)


def numbers(state: State, seat: int, viewer: int | None, recalls: bool = False) -> sight.Numbers:
    """All numbers in a row."""
    flat = np.zeros(sight.SIZE, np.float32)
    sight.fill(sight.pieces(flat), state, seat, viewer, recalls)
    return flat


@variants
def test_all_numbers_are_from_0_to_1(options: dict[str, Any]) -> None:
    for table in tables(1, options | {"turn_limit": 40}, 100):
        for seat in (0, 1):
            assert numbers(table.state, seat, seat, recalls=True).min() >= 0
            assert numbers(table.state, seat, seat, recalls=True).max() <= 1.0001


@variants
def test_cards_that_only_the_opponent_has_seen_are_shown_nowhere(options: dict[str, Any]) -> None:
    pairs = 0
    for table, twin in twins(1, options, 16):
        pairs += table.state != twin.state
        for viewer, recalls in product((0, None), (False, True)):
            words = sight.described(table.state, viewer, recalls)
            shown = numbers(table.state, 0, viewer, recalls)

            assert words == sight.described(twin.state, viewer, recalls)
            assert np.array_equal(shown, numbers(twin.state, 0, viewer, recalls))
    assert pairs > 50


def test_own_face_down_cards_are_shown_to_who_recalls_them_only() -> None:
    state = buried()
    name = NAME[state.players[0].columns[0][0]]
    place = numbers(state, 0, 0, recalls=True)

    assert f"column 1: ({name})" in sight.described(state, 0, recalls=True)
    assert "column 1: ?" in sight.described(state, 0, recalls=False)
    assert "column 1: ?" in sight.described(state, 1, recalls=True)
    assert not np.array_equal(place, numbers(state, 0, 0, recalls=False))
    assert np.array_equal(numbers(state, 1, 1, recalls=True), numbers(state, 1, 1, recalls=False))


def test_a_spectator_sees_no_hand_and_a_player_the_own_one() -> None:
    state = position(1, {}, 8)
    hand = " ".join(NAME[card] for card in sorted(state.players[0].hand))

    assert f"hand {hand}" in sight.described(state, 0, recalls=False)
    assert f"hand {hand}" not in sight.described(state, None, recalls=False)
    assert sight.pieces(numbers(state, 0, 0))["hand"].sum() == pytest.approx(len(state.players[0].hand) / 3)
    assert sight.pieces(numbers(state, 0, None))["hand"].sum() == 0


def buried() -> State:
    """A table where seat 0 has one card, face down."""
    state = position(1, {}, 0)
    night = FACE["S6n"]
    player = state.players[0]._replace(columns=((night,), (), (), ()), shapes=((0,), (), (), ()))
    return state._replace(players=(player, state.players[1]))
