"""What is checked in can be trained on."""

from array import array
from base64 import b85decode
from importlib import import_module
from pathlib import Path
from struct import unpack
from zlib import decompress

import pytest

from domain.migrato.net.layout import INPUTS
from domain.migrato.net.trained import NET
from domain.net.network import FIRST_WEIGHT, LOGIT, ONE, SECOND, WEIGHT
from domain.net.written import fingerprint, read_network, width_of
from research.training.export import module_of, written
from research.training.subjects import SUBJECTS


def floats_of(net: str) -> bytes:
    """What `written` gave as a file of the trainer's again, as exact as its whole numbers are."""
    data = decompress(b85decode(net))
    width = width_of(len(data), INPUTS)
    first, second = INPUTS * width, width * SECOND
    weights = first + second + SECOND
    whole = unpack(f"<{weights}h{width + SECOND + 1}i", data)
    scales = [FIRST_WEIGHT] * first + [WEIGHT] * (second + SECOND)
    scales += [ONE * FIRST_WEIGHT] * width + [WEIGHT * WEIGHT] * SECOND + [LOGIT]
    numbers = [number / scale for number, scale in zip(whole, scales, strict=True)]
    middle, last, biases = (
        numbers[first : first + second],
        numbers[first + second : weights],
        numbers[weights:],
    )
    file = array("f", numbers[:first])
    for part in (biases[:width], middle, biases[width:-1], last, biases[-1:], [0.0] * 15):
        file.extend(part)
    return file.tobytes()


def test_the_net_becomes_a_file_of_the_trainers_and_the_same_net_again(tmp_path: Path) -> None:
    """Nothing is lost but what whole numbers had lost before."""
    file = tmp_path / "000000.net"
    file.write_bytes(floats_of(NET))
    assert written(file, INPUTS) == NET


@pytest.mark.parametrize("width", [16, 128])
def test_a_first_layer_may_be_of_any_width(width: int, tmp_path: Path) -> None:
    """The file says by its size how wide it is, and so does what is written."""
    file, numbers = tmp_path / "000000.net", INPUTS * width + width + width * SECOND + 2 * SECOND + 16
    floats = array("f", [0.0] * numbers)
    floats[7 * width - 1] = (
        1.0  # from the input 6 to the last of the first layer, and on to the last of the second
    )
    floats[(INPUTS + 1 + SECOND) * width - 1] = 1.0
    floats[-17] = 1.0
    file.write_bytes(floats.tobytes())
    net = written(file, INPUTS)
    network = read_network(net, INPUTS)
    assert network.logit(network.add(network.bias, [(6, 3 * ONE)])) == 3 * WEIGHT * WEIGHT
    assert floats_of(net) == file.read_bytes()


def test_a_file_of_another_size_is_refused(tmp_path: Path) -> None:
    """Such a net was trained for other inputs."""
    file = tmp_path / "000000.net"
    file.write_bytes(floats_of(NET) + bytes(4))
    with pytest.raises(ValueError, match="are no net of"):
        written(file, INPUTS)


@pytest.mark.parametrize("game", SUBJECTS)
def test_what_is_checked_in_is_as_it_was_written(game: str) -> None:
    """Weights and record belong together."""
    module = import_module(f"domain.{game}.net.trained")
    _, record = str(module.__doc__).split("\n\n")
    assert record.startswith(f"Net {fingerprint(module.NET)}: ")
    assert SUBJECTS[game].checked_in.read_text() == module_of(module.NET, record, game)
