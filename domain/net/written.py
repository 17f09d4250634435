# compiled into rules
"""Nets as `research.training` writes them: base 85 of compressed 16-bit numbers, the biases in 32 bits."""

from base64 import b85decode
from hashlib import sha256
from struct import Struct
from zlib import decompress

from domain.net.network import SECOND, Network


def fingerprint(written: str) -> str:
    """Name of a net: the first 8 digits of the hash of its written form."""
    return sha256(written.encode()).hexdigest()[:8]


def width_of(size: int, inputs: int) -> int:
    """The width of the first layer of a net of `size` bytes; ValueError if no net of so many inputs has it."""
    width, rest = divmod(size - 6 * SECOND - 4, 2 * (inputs + SECOND) + 4)
    if width <= 0 or rest:
        raise ValueError(f"{size} bytes are no net of {inputs} inputs")
    return width


def read_network(written: str, inputs: int) -> Network:
    """The net of so many inputs; ValueError if it is not of such a size."""
    data = decompress(b85decode(written))
    width = width_of(len(data), inputs)
    weights = (inputs + SECOND) * width + SECOND
    numbers = Struct(f"<{weights}h{width + SECOND + 1}i").unpack(data)
    first = [numbers[at * width : (at + 1) * width] for at in range(inputs)]
    start = inputs * width
    second = [numbers[start + at * SECOND : start + (at + 1) * SECOND] for at in range(width)]
    last = numbers[weights - SECOND : weights]
    first_bias = numbers[weights : weights + width]
    return _kind()(first, first_bias, second, numbers[weights + width : -1], last, numbers[-1])


def _kind() -> type[Network]:
    """`NativeNetwork` in a compiled build whose compiler's library can be imported, else `Network`."""
    if __file__.endswith(".py"):
        return Network
    try:
        from domain.net.native import NativeNetwork
    except (ImportError, ValueError):
        return Network
    return NativeNetwork
