"""Faults of apps' listings."""

import re
from collections.abc import Callable, Collection, Iterator
from typing import Final

from redis.exceptions import ResponseError

from events.fsck.findings import Finding
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.whole_games import RedisGames

LINES: Final = re.compile(r"\{app:.+\}:lines", re.DOTALL)
PAGE: Final = 500  # lines looked at in one request


def check_listings(
    link: RedisClient, redis: RedisGames, archived: Callable[[Collection[str]], set[str]]
) -> Iterator[Finding]:
    """Lines of games that are neither in Redis nor in the archive. A line is written after the game's first event."""
    for found in redis.keys("{app:*}:lines"):
        for key in (name.decode(errors="replace") for name in found):
            if LINES.fullmatch(key):
                yield from _check_lines(link, redis, key, archived)


def _check_lines(
    link: RedisClient, redis: RedisGames, key: str, archived: Callable[[Collection[str]], set[str]]
) -> Iterator[Finding]:
    cursor = b"0"
    while True:
        (reply,) = link.calls([("HSCAN", key, cursor, "COUNT", PAGE)])
        if isinstance(reply, ResponseError):
            return  # of a wrong type, which is reported
        cursor, flat = reply
        listed = [name.decode(errors="replace") for name in flat[::2]]
        moved = set(listed) - redis.existing(listed)
        for game_id in sorted(moved - archived(moved)):
            where = keys.stream(game_id)
            detail = f"An app's listing shows a game of which there is no {where}, nor a file."
            yield Finding("listing-orphan", game_id, key, detail)
        if cursor == b"0":
            return
