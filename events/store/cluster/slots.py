# compiled into serving
"""The slot of a cluster to which a request belongs: that of its keys, which follows from their hash tag."""

from binascii import crc_hqx
from collections.abc import Sequence
from typing import Final

SLOTS: Final = 16_384
SCRIPTS: Final = {"EVAL", "EVALSHA"}
KEY_SECOND: Final = {"MEMORY", "OBJECT", "XGROUP", "XINFO"}  # commands whose first argument says what to do
KEYLESS: Final = {"CLUSTER", "INFO", "PING", "PUBLISH", "TIME"}

Argument = str | bytes | int


def slot_of(key: str | bytes) -> int:
    """The key's slot. Two keys with the same part in braces, the hash tag, share one."""
    data = key.encode() if isinstance(key, str) else key
    begin = data.find(b"{")
    if begin >= 0:
        end = data.find(b"}", begin + 1)
        if end > begin + 1:
            data = data[begin + 1 : end]
    return crc_hqx(data, 0) % SLOTS


def slot_of_request(request: Sequence[Argument]) -> int | None:
    """The slot of the request's first key; None for one without keys, which any server can answer."""
    name = request[0]
    if name in SCRIPTS:
        at = 3 if int(request[2]) else 0
    elif name in KEYLESS:
        at = 0
    else:
        at = 2 if name in KEY_SECOND else 1
    if not at:
        return None
    key = request[at]
    assert not isinstance(key, int)
    return slot_of(key)


def is_spread(request: Sequence[Argument]) -> bool:
    """True if the request asks which of many keys exist, and the keys have several slots: a cluster refuses it."""
    if request[0] != "EXISTS" or len(request) == 2:
        return False
    return len({slot_of(key) for key in request[1:] if not isinstance(key, int)}) > 1
