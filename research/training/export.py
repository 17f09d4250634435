"""A net as the trainer writes it, in floats, becomes the whole numbers that the domain plays by."""

from array import array
from base64 import b85decode, b85encode
from collections.abc import Sequence
from pathlib import Path
from struct import pack, unpack
from textwrap import wrap
from typing import Final
from zlib import compress, decompress

from domain.migrato.net.layout import INPUTS
from domain.net.network import FIRST_WEIGHT, LOGIT, ONE, SECOND, WEIGHT, width_of

_PADDED: Final = 16  # numbers that the last bias takes in the file
_WIDTH: Final = 96
_MODULE: Final = '''"""The net that was trained, as `python -m research.training{option}` wrote it: data.

{record}
"""

from typing import Final

NET: Final = (
{lines}
)
'''


def written(path: Path, inputs: int = INPUTS) -> str:
    """The net of a file of the trainer's as `domain.net.network.read_network` reads it; ValueError if it is of
    another size or a weight is too large to be written.
    """
    floats = array("f")
    floats.frombytes(path.read_bytes())
    width, rest = divmod(len(floats) - 2 * SECOND - _PADDED, inputs + 1 + SECOND)
    if width <= 0 or rest:
        raise ValueError(f"{path}: {len(floats)} numbers are no net of {inputs} inputs")
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


def floats_of(net: str, inputs: int = INPUTS) -> bytes:
    """What `written` gave as a file of the trainer's again, as exact as its whole numbers are."""
    data = decompress(b85decode(net))
    width = width_of(len(data), inputs)
    first, second = inputs * width, width * SECOND
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
    for part in (biases[:width], middle, biases[width:-1], last, biases[-1:], [0.0] * (_PADDED - 1)):
        file.extend(part)
    return file.tobytes()


def _whole(numbers: Sequence[float], scale: int, limit: int) -> list[int]:
    whole = [round(number * scale) for number in numbers]
    if any(abs(number) >= limit for number in whole):
        raise ValueError(f"a weight of {max(map(abs, whole)) / scale:.1f} is too large")
    return whole


def module_of(net: str, record: str, game: str = "migrato") -> str:
    """The source of the module that is checked in, with a record of the run in its docstring."""
    lines = "\n".join(f'    "{net[at : at + _WIDTH]}"' for at in range(0, len(net), _WIDTH))
    option = "" if game == "migrato" else f" --game {game}"
    return _MODULE.format(option=option, record="\n".join(wrap(record, 110)), lines=lines)
