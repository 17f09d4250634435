"""The keys in Redis, each of the type that its name has."""

import re
from collections.abc import Iterator
from typing import Final

from events.fsck.findings import Finding
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.queues import rate_counts
from events.store.whole_games import RedisGames
from events.tracing import redis as trace_contexts

GAME: Final = re.compile(r"\{p[0-9]{3}\}:(?:events|commands|secrets):(.+)", re.DOTALL)
TAGGED: Final = re.compile(r"\{(?:(p)[0-9]{3}|app:.+)\}:([a-z-]+)(?::(.+))?", re.DOTALL)
SINGLE: Final = tuple(name for name in keys.TYPES if not name.startswith("{") and not name.endswith("*"))
PREFIXES: Final = (
    rate_counts.PREFIX,
    trace_contexts.PREFIX,
    *(name[:-1] for name in keys.TYPES if not name.startswith("{") and name.endswith("*")),
)


def type_of(key: str) -> str | None:
    """The type that a key of this name has; None for a name that no release gives."""
    if key in keys.TYPES:
        return keys.TYPES[key]
    if key.startswith(PREFIXES):
        return "string"
    tagged = TAGGED.fullmatch(key)
    if tagged is None:
        return None
    name, rest = f"{{{tagged[1] or 'app'}}}:{tagged[2]}", tagged[3]
    forms = [name] if rest is None else [f"{name}:*"]
    if rest is not None and ":" in rest:
        forms.insert(0, f"{name}:{rest.partition(':')[0]}:*")
    return next((keys.TYPES[form] for form in forms if form in keys.TYPES), None)


def typed(link: RedisClient, found: list[bytes]) -> Iterator[tuple[str, Finding | None]]:
    """The names of the keys that are still there, each with the fault of its type."""
    types = link.calls([("TYPE", key) for key in found]) if found else []
    for key, kind in zip(found, types, strict=True):
        name, there = key.decode(errors="replace"), kind.decode()
        if there != "none":
            yield name, _wrong(name, there)


def check_types(link: RedisClient, redis: RedisGames, *patterns: str) -> Iterator[Finding]:
    """The keys of these patterns that are of a wrong type."""
    for pattern in patterns:
        for found in redis.keys(pattern):
            yield from (wrong for _, wrong in typed(link, found) if wrong is not None)


def _wrong(key: str, there: str) -> Finding | None:
    expected, game = type_of(key), GAME.fullmatch(key)
    if expected in (None, there):
        return None
    detail = f"It is a {there}, but should be a {expected}."
    return Finding("wrong-type", None if game is None else game[1], key, detail)
