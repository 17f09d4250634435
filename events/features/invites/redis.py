"""Invites in Redis: a hash for each game that has some, which expires with the last of them; and join codes."""

from typing import Final

from events.ports import StoredInvite
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.invite_record import read_invite

MOST: Final = 100  # invites of a game that are good at the same time

# Stores an invite, unless the game has the most that have not expired; expired ones make room.
# KEYS: the game's invites
# ARGV: the invite's id, what is kept of it without the time, for how long it is good (ms), how many there may be
ADD = """
local time = redis.call('TIME')
local now, count = time[1] * 1000 + math.floor(time[2] / 1000), 0
local kept = redis.call('HGETALL', KEYS[1])
for at = 1, #kept, 2 do
  if tonumber(string.match(kept[at + 1], '%d+$')) <= now then
    redis.call('HDEL', KEYS[1], kept[at])
  else
    count = count + 1
  end
end
if count >= tonumber(ARGV[4]) then return '' end
local until_ms = string.format('%d', now + ARGV[3])
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2] .. ':' .. until_ms)
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
return until_ms
"""
# KEYS: the game's invites. ARGV: the invite's id
REVOKE = """
local kept = redis.call('HGET', KEYS[1], ARGV[1])
if kept then redis.call('HDEL', KEYS[1], ARGV[1]) end
return kept
"""


class RedisInviteStore:
    """The invites of games, over Redis; a request that is sent twice does no harm."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def add(self, game_id: str, invite_id: str, seat: int, digest: str, seconds: int) -> int | None:
        """Store an invite with an id of its own, for so many seconds. Returns its expiry in ms, or None if there are
        too many.
        """
        kept = f"{seat}:{digest}"
        until = self._link.script(ADD, [keys.invites(game_id)], [invite_id, kept, seconds * 1000, MOST])
        return int(until) if until else None

    def invite(self, game_id: str, invite_id: str) -> StoredInvite | None:
        """The game's invite of that id; None once it has expired."""
        kept, time = self._link.calls([("HGET", keys.invites(game_id), invite_id), ("TIME",)])
        found = None if kept is None else read_invite(invite_id, kept)
        return None if found is None or found.until <= _milliseconds(time) else found

    def keep_join_code(self, digest: str, game_id: str, seat: int, seconds: int) -> bool:
        """Store the game and the seat of a join code, by the digest of its invite's code; False if that join code is in
        use.
        """
        kept = self._link.call("SET", keys.join_code(digest), f"{seat}:{game_id}", "NX", "EX", seconds)
        return kept is not None

    def join_code(self, digest: str) -> tuple[str, int] | None:
        """The game and the seat to which a join code leads; None once it has expired."""
        kept = self._link.call("GET", keys.join_code(digest))
        if kept is None:
            return None
        seat, game_id = kept.decode().split(":", 1)
        return game_id, int(seat)

    def invites(self, game_id: str) -> list[StoredInvite]:
        """The game's invites that have not expired, in the order of their expiry."""
        flat, time = self._link.calls([("HGETALL", keys.invites(game_id)), ("TIME",)])
        found = [read_invite(flat[at].decode(), flat[at + 1]) for at in range(0, len(flat), 2)]
        now = _milliseconds(time)
        return sorted((one for one in found if one.until > now), key=lambda one: (one.until, one.id))

    def revoke(self, game_id: str, invite_id: str) -> StoredInvite | None:
        """Remove the invite. Returns it, or None if there was none."""
        kept = self._link.script(REVOKE, [keys.invites(game_id)], [invite_id])
        return read_invite(invite_id, kept) if kept else None


def _milliseconds(time: list[bytes]) -> int:
    return int(time[0]) * 1000 + int(time[1]) // 1000
