"""Faults of players: a record, its key and its index entry, which come and go as one."""

import re
from collections.abc import Iterator
from typing import Final

from redis.exceptions import ResponseError

from events.fsck.findings import Finding
from events.log.player_ids import is_player_id
from events.store import keys
from events.store.connections.client import RedisClient

FORM: Final = re.compile(r"\{p([0-9]{3})\}:(player|player-key|player-name|player-seeking):(.+)", re.DOTALL)

# Whether a key is there, with that value if it is given one, and what belongs to it is not: at one moment, so that an
# erasure, which removes all by one script, is never seen half done.
# KEYS: the key, what belongs to it; ARGV: the key's value, or ""
ALONE: Final = """
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
if ARGV[1] ~= '' and redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return 1
"""


def check_player(link: RedisClient, key: str) -> Iterator[Finding]:
    """Faults of a key of a player; nothing for any other key."""
    match = FORM.fullmatch(key)
    if match is None:
        return
    partition, kind, name = int(match[1]), match[2], match[3]
    if kind in ("player-name", "player-seeking"):
        yield from _check_name(link, key, partition)
    elif keys.partition_of(name) != partition:
        detail = f"The player's keys begin with {keys.tag(keys.partition_of(name))}."
        yield Finding("misplaced-key", None, key, detail)
    elif kind == "player" and _alone(link, key, keys.player_key(name)):
        yield Finding("player-without-key", None, key, "There is no key that opens this player's record.")
    elif kind == "player-key" and _alone(link, key, keys.player(name)):
        yield Finding("key-without-player", None, key, "It opens the record of a player who is not there.")


def _check_name(link: RedisClient, key: str, partition: int) -> Iterator[Finding]:
    (value,) = link.calls([("GET", key)])
    if not isinstance(value, bytes):
        return  # erased a moment ago, or of a wrong type, which is reported
    player_id = value.decode(errors="replace")
    ours = is_player_id(player_id) and keys.partition_of(player_id) == partition
    if not ours or _alone(link, key, keys.player(player_id), player_id):
        detail = f"It leads to player {player_id!r}, who is not there."
        yield Finding("name-without-player", None, key, detail)


def _alone(link: RedisClient, key: str, other: str, value: str = "") -> bool:
    try:
        return bool(link.script(ALONE, (key, other), (value,)))
    except ResponseError:
        return False  # of a wrong type, which is reported
