"""Everything that a server keeps, as bytes: to be searched for what must not be there."""

from collections.abc import Callable
from typing import Any

from events.store.connections.client import Argument, RedisClient

READING: dict[bytes, Callable[[bytes], tuple[Argument, ...]]] = {
    b"string": lambda key: ("GET", key),
    b"hash": lambda key: ("HGETALL", key),
    b"list": lambda key: ("LRANGE", key, 0, -1),
    b"set": lambda key: ("SMEMBERS", key),
    b"zset": lambda key: ("ZRANGE", key, 0, -1),
    b"stream": lambda key: ("XRANGE", key, "-", "+"),
}


def dump(link: RedisClient) -> dict[bytes, bytes]:
    """By key, all that is in it, joined by line ends; the key's own name included.

    Keys, fields and members are in order: a server that grows a table between two answers names them in another one.
    """
    return {key: b"\n".join([key, *_content(link, key)]) for key in sorted(link.call("KEYS", "*"))}


def _content(link: RedisClient, key: bytes) -> list[bytes]:
    kind = link.call("TYPE", key)
    flat = _flat(link.call(*READING[kind](key)))
    if kind == b"hash":
        return [part for pair in sorted(zip(flat[::2], flat[1::2], strict=True)) for part in pair]
    return sorted(flat) if kind == b"set" else flat


def holding(link: RedisClient, searched: bytes) -> list[bytes]:
    """The keys in which these bytes are."""
    return [key for key, content in dump(link).items() if searched in content]


def _flat(value: Any) -> list[bytes]:
    if isinstance(value, list | tuple):
        return [part for inner in value for part in _flat(inner)]
    return [value if isinstance(value, bytes) else str(value).encode()]
