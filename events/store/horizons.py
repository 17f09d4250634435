"""Horizons of apps: the times before which an app's finished games are not kept in Redis. They only move on."""

from typing import Final

from events.store import keys
from events.store.connections.client import RedisClient

# KEYS: horizon; ARGV: the name of its part, milliseconds
MOVE: Final = """
if (tonumber(redis.call('HGET', KEYS[1], ARGV[1])) or 0) >= tonumber(ARGV[2]) then return 0 end
return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
"""


def move(link: RedisClient, app: str, part: str, at: int) -> None:
    """Move a part of the app's horizon to that time, in milliseconds, unless it is there or later."""
    link.script(MOVE, [keys.horizon(app)], [part, at])


def read(link: RedisClient, app: str, *parts: str) -> list[int]:
    """The named parts of the app's horizon, in milliseconds; 0 for a part that was never moved."""
    found = link.call("HMGET", keys.horizon(app), *parts)
    return [0 if at is None else int(at) for at in found]
