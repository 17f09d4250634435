"""A table as it is shown, in words and in numbers."""

import numpy as np
import pytest

from domain.migrato.rules.cards import FACE, NAME
from domain.migrato.rules.state import State
from research import sight
from tests.domain.playing import position
from tests.research.playing import VARIANTS, tables


def numbers(state: State, seat: int, viewer: int | None, recalls: bool = False) -> sight.Numbers:
    """All numbers in a row."""
    flat = np.zeros(sight.SIZE, np.float32)
    sight.fill(sight.pieces(flat), state, seat, viewer, recalls)
    return flat


def test_all_numbers_are_from_0_to_1() -> None:
    for options in VARIANTS:
        for table in tables(1, options | {"turn_limit": 40}, 100):
            for seat in (0, 1):
                seen = numbers(table.state, seat, seat, recalls=True)
                assert 0 <= seen.min() <= seen.max() <= 1.0001


def test_own_face_down_cards_are_shown_to_who_recalls_them_only() -> None:
    state, night = position(1, {}, 0), FACE["S6n"]
    player = state.players[0]._replace(columns=((night,), (), (), ()), shapes=((0,), (), (), ()))
    state = state._replace(players=(player, state.players[1]))
    place = numbers(state, 0, 0, recalls=True)
    assert "column 1: (S6n)" in sight.described(state, 0, recalls=True)
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
