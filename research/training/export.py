"""Turns the trainer's nets, in floats, into the whole numbers that the domain plays by."""

from array import array
from base64 import b85decode, b85encode
from collections.abc import Sequence
from pathlib import Path
from struct import Struct, pack
from textwrap import wrap
from typing import Final
from zlib import compress, decompress

from domain.net.network import FIRST_WEIGHT, LOGIT, ONE, SECOND, WEIGHT
from domain.net.written import width_of

_PADDED: Final = 16  # numbers that the last bias takes in the file
_FLOAT: Final = 4  # bytes
_WIDTH: Final = 96
_MODULE: Final = '''"""The net that was trained, as `python -m research.training{option}` wrote it: data.

{record}
"""

from typing import Final

NET: Final = (
{lines}
)
'''


def written(path: Path, inputs: int) -> str:
    """The net of a file of the trainer's as `domain.net.written.read_network` reads it; ValueError if it is of
    another size or a weight is too large to be written.
    """
    width = width_of_floats(path, inputs)
    floats = array("f")
    floats.frombytes(path.read_bytes())
    sizes = (inputs * width, width, width * SECOND, SECOND, SECOND, _PADDED)
    parts: list[Sequence[float]] = []
    for size in sizes:
        parts.append(floats[:size])
        floats = floats[size:]
    weights = [
        *_whole(parts[0], FIRST_WEIGHT, 1 << 15),
        *_whole(parts[2], WEIGHT, 1 << 10),
        *_whole(parts[4], WEIGHT, 1 << 15),
    ]
    biases = [
        *_whole(parts[1], ONE * FIRST_WEIGHT, 1 << 28),
        *_whole(parts[3], WEIGHT * WEIGHT, 1 << 28),
        *_whole(parts[5][:1], LOGIT, 1 << 28),
    ]
    return b85encode(compress(pack(f"<{len(weights)}h{len(biases)}i", *weights, *biases), 9)).decode()


def in_floats(net: str, inputs: int) -> bytes:
    """The net that `written` has written, as a file of the trainer's; what was rounded stays so."""
    data = decompress(b85decode(net))
    width = width_of(len(data), inputs)
    first, second = inputs * width, width * SECOND
    numbers = Struct(f"<{first + second + SECOND}h{width + SECOND + 1}i").unpack(data)
    weights, biases = numbers[: first + second + SECOND], numbers[first + second + SECOND :]
    scaled = [
        *[weight / FIRST_WEIGHT for weight in weights[:first]],
        *[bias / (ONE * FIRST_WEIGHT) for bias in biases[:width]],
        *[weight / WEIGHT for weight in weights[first : first + second]],
        *[bias / WEIGHT**2 for bias in biases[width:-1]],
        *[weight / WEIGHT for weight in weights[first + second :]],
        biases[-1] / LOGIT,
        *[0.0] * (_PADDED - 1),
    ]
    return array("f", scaled).tobytes()


def width_of_floats(path: Path, inputs: int) -> int:
    """Width of the first layer of the net in a file of the trainer's; ValueError if the size is not a net's."""
    size = path.stat().st_size
    width, rest = divmod(size // _FLOAT - 2 * SECOND - _PADDED, inputs + 1 + SECOND)
    if width <= 0 or rest or size % _FLOAT:
        raise ValueError(f"{path}: {size} bytes are no net of {inputs} inputs")
    return width


def _whole(numbers: Sequence[float], scale: int, limit: int) -> list[int]:
    whole = [round(number * scale) for number in numbers]
    if any(abs(number) >= limit for number in whole):
        raise ValueError(f"a weight of {max(map(abs, whole)) / scale:.1f} is too large")
    return whole


def module_of(net: str, record: str, game: str) -> str:
    """The source of the module that is checked in, with a record of the run in its docstring."""
    lines = "\n".join(f'    "{net[at : at + _WIDTH]}"' for at in range(0, len(net), _WIDTH))
    option = "" if game == "migrato" else f" --game {game}"
    return _MODULE.format(option=option, record="\n".join(wrap(record, 110)), lines=lines)
