"""The net's arithmetic."""

import random

import pytest

from domain.migo.net.layout import INPUTS as MIGOS_INPUTS
from domain.migo.net.trained import NET as MIGOS
from domain.migrato.net.layout import INPUTS
from domain.migrato.net.trained import NET as WRITTEN
from domain.net.logistic import CERTAINTY, logit_of, probability_of
from domain.net.native import NativeNetwork
from domain.net.network import LOGIT, ONE, SECOND, WEIGHT, Network
from domain.net.written import read_network


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
    for _ in range(25):
        inputs = [
            (rng.randrange(30), rng.choice((ONE, ONE, -ONE, rng.randint(-4096, 4096)))) for _ in range(20)
        ]
        sums = [bias[j] + sum(first[at][j] * value for at, value in inputs) for j in range(width)]
        shown = [min((1 << 20) // width, max(0, x) >> 8) for x in sums]
        then = [second_bias[j] + sum(shown[i] * second[i][j] for i in range(width)) for j in range(SECOND)]
        expected = 77 + sum(last[j] * (max(0, x) >> 7) for j, x in enumerate(then))
        assert network.logit(network.add(network.bias, inputs)) == expected


def test_a_net_of_another_size_is_not_read() -> None:
    """A net that was trained for other inputs is refused, too."""
    for written, inputs in ((WRITTEN, INPUTS), (MIGOS, MIGOS_INPUTS)):
        assert len(read_network(written, inputs).rows) == inputs
        with pytest.raises(ValueError, match="no net of"):
            read_network(written, inputs + 1)


def test_probabilities_and_logits_agree() -> None:
    """Probabilities and logits lead to each other both ways, and one never falls where the other rises."""
    probabilities = [probability_of(logit) for logit in range(-12 * LOGIT, 12 * LOGIT, 97)]
    assert probabilities == sorted(probabilities)
    assert probability_of(0) == CERTAINTY // 2
    assert all(abs(logit_of(probability_of(x)) - x) <= 1 for x in range(-4 * LOGIT, 4 * LOGIT, 997))
    assert WEIGHT * WEIGHT == LOGIT
