"""The net: its arithmetic, what it may not depend on, and how its players move."""

import random
from typing import Any

import pytest

from domain.migrato.belief.observation import observe
from domain.migrato.belief.resampling import resampled
from domain.migrato.bots.learned.net import NET
from domain.migrato.net.checked_in import trained
from domain.migrato.net.judge import Judge
from domain.migrato.net.layout import INPUTS
from domain.migrato.net.trained import NET as WRITTEN
from domain.migrato.rules.legal import legal_moves
from domain.net.logistic import CERTAINTY, logit_of, probability_of
from domain.net.native import NativeNetwork
from domain.net.network import LOGIT, ONE, SECOND, WEIGHT, Network
from domain.net.written import read_network
from domain.prng import Prng
from tests.domain.playing import OPTIONS
from tests.domain.remembering import games_told


@pytest.mark.parametrize("kind", [Network, NativeNetwork])
@pytest.mark.parametrize("width", [16, 64, 128])
def test_numbers_side_by_side_are_layers_written_out(kind: type[Network], width: int) -> None:
    """Sums below zero borrow from their neighbours and are given back, however wide the first layer is."""
    rng = random.Random(1)

    def numbers(count: int, most: int) -> list[int]:
        return [rng.randint(-most, most) for _ in range(count)]

    first, bias = [numbers(width, 900) for _ in range(30)], numbers(width, 9000)
    second, second_bias = [numbers(SECOND, 300) for _ in range(width)], numbers(SECOND, 9000)
    last = numbers(SECOND, 300)
    network = kind(first, bias, second, second_bias, last, 77)
    for _ in range(50):
        inputs = [
            (rng.randrange(30), rng.choice((ONE, ONE, -ONE, rng.randint(-4096, 4096)))) for _ in range(20)
        ]
        sums = [bias[j] + sum(first[at][j] * value for at, value in inputs) for j in range(width)]
        shown = [min((1 << 20) // width, max(0, x) >> 8) for x in sums]
        then = [second_bias[j] + sum(shown[i] * second[i][j] for i in range(width)) for j in range(SECOND)]
        expected = 77 + sum(last[j] * (max(0, x) >> 7) for j, x in enumerate(then))
        assert network.logit(network.add(network.bias, inputs)) == expected


def test_a_net_of_another_size_is_not_read() -> None:
    """Nor is one that was trained for other inputs."""
    assert len(read_network(WRITTEN, INPUTS).rows) == INPUTS
    with pytest.raises(ValueError, match="no net of"):
        read_network(WRITTEN, INPUTS + 1)


def test_probabilities_and_logits_agree() -> None:
    """Both ways, never decreasing."""
    probabilities = [probability_of(logit) for logit in range(-12 * LOGIT, 12 * LOGIT, 97)]
    assert probabilities == sorted(probabilities)
    assert probability_of(0) == CERTAINTY // 2
    assert all(abs(logit_of(probability_of(x)) - x) <= 1 for x in range(-4 * LOGIT, 4 * LOGIT, 997))
    assert WEIGHT * WEIGHT == LOGIT


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_what_is_hidden_changes_nothing(options: dict[str, Any]) -> None:
    """Two truths that a seat cannot tell apart are judged the same, move by move, to the last digit."""
    compared = 0
    for seed in range(3):
        for number, told in enumerate(games_told(seed, options, 60, wild=0.2)):
            state, seat = told.state, told.state.to_act
            if seat is None or number % 3:
                continue
            other = resampled(state, seat, told.memories[seat], number)
            one, two = told.seen(seat), observe(other, seat, told.memories[seat])
            first, second = Judge(one, trained()), Judge(two, trained())
            assert [first.logit(m) for m in one.moves] == [second.logit(m) for m in two.moves]
            compared += len(one.moves) * (other != state)
    assert compared > 100


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_player_moves_legally_and_needs_no_chance(options: dict[str, Any]) -> None:
    """Whatever the seed, in either phase of a turn."""
    for number, told in enumerate(games_told(5, options, 80)):
        seat = told.state.to_act
        if seat is None or number % 8:
            continue
        moves = {NET.choose(told.seen(seat), Prng(seed)) for seed in range(3)}
        assert len(moves) == 1
        assert moves <= set(legal_moves(told.state))


def test_a_winning_landing_is_taken() -> None:
    """Nothing is worth more than the end of the game ahead."""
    found = 0
    for told in (told for seed in range(11, 16) for told in games_told(seed, {}, 200, wild=0.1)):
        seat = told.state.to_act
        if seat is None:
            continue
        seen = told.seen(seat)
        judge = Judge(seen, trained())
        logits = [judge.logit(move) for move in seen.moves]
        if max(logits) == 12 * LOGIT:
            found += 1
            assert logits[seen.moves.index(NET.choose(seen, Prng(1)))] == 12 * LOGIT
    assert found
