"""The trainer's file becomes the domain's net and plays the same; what is checked in can be trained on."""

from array import array
from base64 import b85decode
from collections.abc import Iterator, Mapping
from importlib import import_module
from math import exp
from pathlib import Path
from random import Random
from statistics import mean, pstdev
from struct import unpack
from typing import Any
from zlib import decompress

import pytest

from domain.chance import SeededChance
from domain.migrato.belief.hypotheses import unseen
from domain.migrato.net.inputs import closed_cards
from domain.migrato.net.layout import INPUTS
from domain.migrato.net.trained import NET
from domain.migrato.rules.state import DISCARD
from domain.net.network import FIRST_WEIGHT, LOGIT, ONE, SECOND, WEIGHT
from domain.net.written import fingerprint, read_network, width_of
from research.training.export import module_of, written
from research.training.migrato_kernel import Kernel, action_of
from research.training.subjects import SUBJECTS
from tests.domain.remembering import games_told
from tests.research.test_training_kernel import VARIANTS, turn


def floats_of(net: str, off: float = 0.0) -> bytes:
    """A net that was `written` as a file of the trainer's again, as exact as its whole numbers are; or each of them was
    `off` by up to so much of 1 before it was divided.
    """
    rng = Random(1)
    data = decompress(b85decode(net))
    width = width_of(len(data), INPUTS)
    first, second = INPUTS * width, width * SECOND
    weights = first + second + SECOND
    whole = unpack(f"<{weights}h{width + SECOND + 1}i", data)
    scales = [FIRST_WEIGHT] * first + [WEIGHT] * (second + SECOND)
    scales += [ONE * FIRST_WEIGHT] * width + [WEIGHT * WEIGHT] * SECOND + [LOGIT]
    numbers = [(number + rng.uniform(-off, off)) / scale for number, scale in zip(whole, scales, strict=True)]
    middle, last, biases = (
        numbers[first : first + second],
        numbers[first + second : weights],
        numbers[weights:],
    )
    file = array("f", numbers[:first])
    for part in (biases[:width], middle, biases[width:-1], last, biases[-1:], [0.0] * 15):
        file.extend(part)
    return file.tobytes()


def test_a_net_becomes_a_file_of_the_trainers_and_the_same_net_again(tmp_path: Path) -> None:
    """Nothing is lost but what whole numbers had lost before; a file of another size was trained for other inputs."""
    file = tmp_path / "000000.net"
    file.write_bytes(floats_of(NET))
    assert written(file, INPUTS) == NET
    file.write_bytes(floats_of(NET) + bytes(4))
    with pytest.raises(ValueError, match="are no net of"):
        written(file, INPUTS)


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_whole_numbers_judge_as_the_floats_do(
    options: dict[str, Any], tmp_path: Path, kernel: Kernel
) -> None:
    """To a quarter of a logit, and 2 % of a win, with floats as far off as rounding allows; the means are nearer."""
    file = tmp_path / "000000.net"
    file.write_bytes(floats_of(NET, 0.49))
    net = written(file, INPUTS)
    assert net == NET
    network, all_told = read_network(net, INPUTS), list(told_to_the_net(options, kernel))
    floats = [kernel.logit(file, told) for told in all_told]
    whole = [network.logit(network.add(network.bias, list(told.items()))) / LOGIT for told in all_told]
    assert len(floats) > 50
    assert pstdev(floats) > 1
    assert mean(floats) == pytest.approx(mean(whole), abs=0.03)
    assert floats == pytest.approx(whole, abs=0.25)
    assert [_chance(one) for one in floats] == pytest.approx([_chance(one) for one in whole], abs=0.02)


def _chance(logit: float) -> float:
    return 1 / (1 + exp(-logit))


def told_to_the_net(options: dict[str, Any], kernel: Kernel) -> Iterator[Mapping[int, int]]:
    """The inputs of the net after any turn in positions of sensible games."""
    rng, chance = Random(1), SeededChance(bytes(32), "test")
    for told in (told for seed in range(2) for told in games_told(seed, options, 120, wild=0.1)):
        state = told.state
        if state.to_act is None or state.phase is DISCARD:
            continue
        seen = told.seen(state.to_act)
        move = rng.choice(seen.moves)
        after, discard = turn(state, move, chance, rng)
        if after.result is None:
            closed = closed_cards(seen, unseen(seen.rules.deck, seen.me, seen.other, seen.discard_pile))
            yield kernel.net_inputs(state, action_of(move), discard, closed)


@pytest.mark.parametrize("width", [16, 128])
def test_a_first_layer_may_be_of_any_width(width: int, tmp_path: Path) -> None:
    """The file says by its size how wide it is, and so does what is written."""
    file, numbers = tmp_path / "000000.net", INPUTS * width + width + width * SECOND + 2 * SECOND + 16
    floats = array("f", [0.0] * numbers)
    floats[7 * width - 1] = (
        1.0  # from input 6 to the last of the first layer, and on to the last of the second
    )
    floats[(INPUTS + 1 + SECOND) * width - 1] = 1.0
    floats[-17] = 1.0
    file.write_bytes(floats.tobytes())
    net = written(file, INPUTS)
    network = read_network(net, INPUTS)
    assert network.logit(network.add(network.bias, [(6, 3 * ONE)])) == 3 * WEIGHT * WEIGHT
    assert floats_of(net) == file.read_bytes()


@pytest.mark.parametrize("game", SUBJECTS)
def test_the_checked_in_net_is_as_it_was_written(game: str) -> None:
    """Weights and record belong together."""
    module = import_module(f"domain.{game}.net.trained")
    _, record = str(module.__doc__).split("\n\n")
    assert record.startswith(f"Net {fingerprint(module.NET)}: ")
    assert SUBJECTS[game].checked_in.read_text() == module_of(module.NET, record, game)
