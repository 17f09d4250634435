"""The index of deadlines, which every append to a game with a clock updates; and the watch for outages."""

from collections.abc import Iterator
from typing import Final

from redis.exceptions import ResponseError

from events.features.clocks.port import Watched
from events.store import keys
from events.store.connections.client import RedisClient

PARTITIONS: Final = range(keys.PARTITIONS)
LAPSE: Final = 3_000  # milliseconds without a look that count as an outage
KEPT: Final = 40 * 86_400_000  # milliseconds for which outages are remembered: longer than any turn lasts
MOST: Final = 1000  # outages that are remembered
_INDEX: Final = [keys.deadlines(number) for number in PARTITIONS]
AT_ONCE: Final = 100  # the most games of a partition that one look returns

# A look: if the last look is too long ago, the time since then is an outage. All times are the store's. If its clock
# was ahead and was set right, an outage recorded meanwhile ends now at the latest.
# KEYS: watched, outages; ARGV: LAPSE, KEPT, MOST, from when on outages are asked for
LOOK: Final = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local text = string.format('%.0f', now)
local last = tonumber(redis.call('GET', KEYS[1]))
if last and now - last > tonumber(ARGV[1]) then
  redis.call('ZADD', KEYS[2], text, string.format('%.0f-', last) .. text)
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', '(' .. string.format('%.0f', now - ARGV[2]))
  redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -1 - ARGV[3])
end
for _, outage in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. text, '+inf')) do
  local began = string.match(outage, '^%d+')
  if tonumber(began) < now then
    redis.call('ZREM', KEYS[2], outage)
    redis.call('ZADD', KEYS[2], text, began .. '-' .. text)
  end
end
redis.call('SET', KEYS[1], text)
return {text, redis.call('ZRANGEBYSCORE', KEYS[2], ARGV[4], '+inf')}
"""


class RedisClockStore:
    """The port of clocks over Redis. Every method may raise StoreUnavailable."""

    def __init__(self, link: RedisClient, lapse: int = LAPSE) -> None:
        self._link = link
        self._lapse = lapse

    def watched(self, since: int) -> Watched:
        """Look after the clocks: the store's time, and the outages that ended at `since` or later, in their order."""
        now, found = self._link.script(LOOK, (keys.WATCHED, keys.OUTAGES), (self._lapse, KEPT, MOST, since))
        outages = [tuple(map(int, outage.split(b"-"))) for outage in found]
        return Watched(int(now), [(began, ended) for began, ended in outages])

    def is_running(self) -> bool:
        """True if time runs in any game."""
        return bool(self._link.call("EXISTS", *_INDEX))  # Redis removes a sorted set that becomes empty

    def up(self, now: int) -> list[str]:
        """Games in which time is up, the oldest deadline first within a partition; only some of them if
        there are many.
        """
        asked = [
            ("ZRANGE", keys.deadlines(number), "-inf", now, "BYSCORE", "LIMIT", 0, AT_ONCE)
            for number in PARTITIONS
        ]
        return [
            game_id.decode(errors="replace")
            for reply in self._link.calls(asked)
            if not isinstance(reply, ResponseError)  # a key of another type: `migrato fsck` reports it
            for game_id in reply
        ]

    def running(self) -> Iterator[str]:
        """All games in which time runs, read one partition at a time."""
        for number in PARTITIONS:
            (reply,) = self._link.calls([("ZRANGE", keys.deadlines(number), 0, -1)])
            if not isinstance(reply, ResponseError):
                yield from (game_id.decode(errors="replace") for game_id in reply)
