"""Forks that seats made: listed by the game that they go back to, limited, and removed in time."""

from collections.abc import Iterator
from typing import Final

from redis.exceptions import ResponseError

from events.engine.access import OF_A_SEAT
from events.errors import TooManyForks
from events.features.games.port import SeatFork
from events.store import keys
from events.store.connections.client import RedisClient

PARTITIONS: Final = range(keys.PARTITIONS)
AT_ONCE: Final = 100  # the most forks that one look removes, because its process has other work

# Lists a fork, unless the game that it goes back to has the most forks already; returns 0 then. A listed fork stays as
# it is.
# KEYS: forks; ARGV: first origin, game id, most ("" for any number), milliseconds that it is kept, 1 to only look
ENTER: Final = """
local member = ARGV[1] .. ':' .. ARGV[2]
if redis.call('ZSCORE', KEYS[1], member) then return 1 end
if ARGV[3] ~= '' then
  local count = 0
  for _, listed in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    if string.find(listed, ARGV[1] .. ':', 1, true) == 1 then count = count + 1 end
  end
  if count >= tonumber(ARGV[3]) then return 0 end
end
if ARGV[5] == '1' then return 1 end
local time = redis.call('TIME')
redis.call('ZADD', KEYS[1], string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[4]), member)
return 1
"""

# Removes a fork that a seat made, with all records about it, also in the feed; never a game of an app. Its id stays
# where the request that created it may be repeated, or may be under way; an id that was drawn for one request alone
# goes.
# KEYS: secrets, feed, due, restored, deadlines, games that are gone, commands, then the other keys of the game
# ARGV: game id, the app of such games
REMOVE: Final = """
local app = redis.call('HGET', KEYS[1], 'app')
if app and app ~= ARGV[2] then return 0 end
local created = redis.call('HGET', KEYS[7], 'create')
if not created or string.sub(created, 1, 1) ~= ':' then redis.call('SADD', KEYS[6], ARGV[1]) end
for _, entry in ipairs(redis.call('XRANGE', KEYS[2], '-', '+')) do
  if entry[2][2] == ARGV[1] then redis.call('XDEL', KEYS[2], entry[1]) end
end
redis.call('HDEL', KEYS[3], ARGV[1])
redis.call('HDEL', KEYS[4], ARGV[1])
redis.call('ZREM', KEYS[5], ARGV[1])
for at = 7, #KEYS do redis.call('DEL', KEYS[at]) end
redis.call('DEL', KEYS[1])
return app and 1 or 0
"""


class RedisSeatForks:
    """The port of seats' forks over Redis; safe among threads and greenlets, and in several processes at once.

    A fork is listed before it is created. So every fork is listed, and a listed one need not exist.
    """

    def __init__(self, link: RedisClient, most: int | None, seconds: float) -> None:
        """`most`: the forks that go back to one game; each is kept for so many `seconds`."""
        self._link = link
        self._most = most
        self._kept = int(seconds * 1000)

    def look(self, first_origin: str, game_id: str) -> None:
        """Raise TooManyForks where `enter` would; nothing is changed."""
        self._enter(first_origin, game_id, only_look=True)

    def enter(self, first_origin: str, game_id: str) -> None:
        """List a fork that is about to be created; safe to repeat. Raises TooManyForks, StoreUnavailable."""
        self._enter(first_origin, game_id, only_look=False)

    def until(self, first_origin: str, game_id: str) -> int | None:
        """The time until which the fork is kept, in milliseconds; None if it is not listed."""
        score = self._link.call("ZSCORE", _key(first_origin), f"{first_origin}:{game_id}")
        return None if score is None else int(float(score))

    def listed(self) -> Iterator[SeatFork]:
        """All forks, in the order of their expiry, read one partition at a time."""
        for partition in PARTITIONS:
            (reply,) = self._link.calls([("ZRANGE", keys.seat_forks(partition), 0, -1, "WITHSCORES")])
            if not isinstance(reply, ResponseError):  # a key of another type: `migrato fsck` reports it
                for member, score in zip(reply[::2], reply[1::2], strict=True):
                    yield _fork(member, score)

    def end(self, fork: SeatFork) -> bool:
        """Remove the fork, and then its entry in the list; True if it was there."""
        removed = self._removed(fork.game_id)
        self._link.call("ZREM", _key(fork.first_origin), f"{fork.first_origin}:{fork.game_id}")
        return removed

    def _removed(self, game_id: str) -> bool:
        partition = keys.partition_of(game_id)
        named = (
            *(keys.secrets(game_id), keys.feed(partition), keys.due(partition), keys.restored(partition)),
            *(keys.deadlines(partition), keys.ended(partition), keys.commands(game_id)),
            *(keys.stream(game_id), keys.tickets(game_id), keys.rematch(game_id), keys.invites(game_id)),
        )
        return bool(self._link.script(REMOVE, named, (game_id, OF_A_SEAT)))

    def end_expired(self) -> int:
        """Remove forks whose time is up, only some of them if there are many. Returns how many.

        No fork is kept for longer than the limit from now on, even if the server's clock was ahead when it was listed.
        """
        seconds, micros = self._link.call("TIME")
        now = int(seconds) * 1000 + int(micros) // 1000
        longest = now + self._kept
        self._link.calls(
            [("ZADD", key, "LT", longest, fork) for key, fork in self._between(f"({longest}", "+inf")]
        )
        overdue = self._between("-inf", now)
        ended = 0
        for key, fork in overdue[:AT_ONCE]:
            try:
                ended += self._removed(_fork(fork, b"0").game_id)
            except ResponseError:
                continue  # a key of the game has another type: `migrato fsck` reports it
            self._link.call("ZREM", key, fork)
        return ended

    def _between(self, first: str, last: str | int) -> list[tuple[str, bytes]]:
        """The first forks of each list that expire between these times, each with the key of its list."""
        named = [keys.seat_forks(partition) for partition in PARTITIONS]
        asked = [("ZRANGE", key, first, last, "BYSCORE", "LIMIT", 0, AT_ONCE) for key in named]
        replies = zip(named, self._link.calls(asked), strict=True)
        return [
            (key, fork)
            for key, reply in replies
            if not isinstance(reply, ResponseError)  # a key of another type: `migrato fsck` reports it
            for fork in reply
        ]

    def _enter(self, first_origin: str, game_id: str, *, only_look: bool) -> None:
        arguments = (first_origin, game_id, self._most or "", self._kept, int(only_look))
        if not self._link.script(ENTER, (_key(first_origin),), arguments):
            raise TooManyForks(self._most or 0)


def _key(first_origin: str) -> str:
    return keys.seat_forks(keys.partition_of(first_origin))


def _fork(member: bytes, score: bytes) -> SeatFork:
    first_origin, _, game_id = member.decode(errors="replace").partition(":")
    return SeatFork(game_id, first_origin, int(float(score)))
