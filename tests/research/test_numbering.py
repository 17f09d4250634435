"""The numbers of moves."""

import random

import pytest

from domain.migrato.rules.legal import legal_moves
from domain.migrato.rules.moves import RETURN, SETTLE, MoveCards, Play
from research.numbering import MOVES, NUMBER_OF, described
from tests.domain.playing import OPTIONS, positions

REACHED = [{**options, "turn_limit": 120} for options in OPTIONS]


def test_every_number_names_one_move_in_words_of_its_own() -> None:
    """Every number names one move in words of its own, and each move leads back to its number."""
    assert [NUMBER_OF[move] for move in MOVES] == list(range(len(MOVES)))
    assert len({described(number) for number in range(len(MOVES))}) == len(MOVES)


def test_to_settle_has_the_number_of_making_no_choice() -> None:
    choices = [move for move in NUMBER_OF if isinstance(move, Play | MoveCards) and move.on_arrival == SETTLE]
    assert choices
    for move in choices:
        assert MOVES[NUMBER_OF[move]].on_arrival is None  # type: ignore[union-attr]


@pytest.mark.parametrize("options", REACHED, ids=str)
def test_the_legal_moves_of_a_position_have_numbers_of_their_own(options: dict[str, object]) -> None:
    returns = 0
    for seed in range(3):
        for state in positions(seed, options, 400, wild=random.Random(seed).random()):
            moves = legal_moves(state)
            returns += any(isinstance(m, Play | MoveCards) and m.on_arrival == RETURN for m in moves)
            assert len({NUMBER_OF[move] for move in moves}) == len(moves)
    assert bool(returns) == bool(options.get("return_flight"))
