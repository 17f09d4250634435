"""Limit of an app's games that wait or run at the same time, counted by the listing's indexes."""

import time
from typing import Final

from events.errors import TooManyGames
from events.store.connections.client import RedisClient

# games; while more may be created than this, those that are being created are not counted
MARGIN: Final = 1000
FAR: Final = 4  # margins; while there is more room than this, a process does not ask again
FOR: Final = 1.0  # seconds for which the room that was found is trusted
PATIENCE: Final = 30_000  # milliseconds in which a game that is being created must appear in the listing

# Where there is little room, each game that is being created takes a place until it is listed, or given up.
# KEYS: games that wait for players, games that are played, games being created, lines
# ARGV: most, margin, game id, patience
# Returns how many more there may have been before this one.
TAKE = """
local most, margin = tonumber(ARGV[1]), tonumber(ARGV[2])
local room = most - redis.call('ZCARD', KEYS[1]) - redis.call('ZCARD', KEYS[2])
if room > margin then return room end
if redis.call('HEXISTS', KEYS[4], ARGV[3]) == 1 then return 1 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, id in ipairs(redis.call('ZRANGE', KEYS[3], 0, -1)) do
  if id ~= ARGV[3] and redis.call('HEXISTS', KEYS[4], id) == 1 then redis.call('ZREM', KEYS[3], id) end
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '(' .. now, '+inf')) do
  redis.call('ZADD', KEYS[3], now, id)  -- the clock was set back
end
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', now - ARGV[4])
if redis.call('ZSCORE', KEYS[3], ARGV[3]) then return 1 end
room = room - redis.call('ZCARD', KEYS[3])
if room <= 0 then return 0 end
redis.call('ZADD', KEYS[3], now, ARGV[3])
redis.call('PEXPIRE', KEYS[3], ARGV[4])
return room
"""


class RedisRunningGames:
    """The port of running games over Redis; safe among threads and greenlets."""

    def __init__(self, link: RedisClient, most: int) -> None:
        """`most`: the number of games of one app that may wait for players or run."""
        self._link = link
        self._most = most
        self._margin = max(MARGIN, most // 10)
        self._roomy_until: dict[str, float] = {}

    def take_place(self, app: str, game_id: str) -> None:
        """Take a place for a game that is about to be created; safe to repeat."""
        now = time.monotonic()
        if now < self._roomy_until.get(app, 0.0):
            return
        tag = f"{{app:{app}}}"
        keys = [
            f"{tag}:games:status:waiting",
            f"{tag}:games:status:playing",
            f"{tag}:creating",
            f"{tag}:lines",
        ]
        room = self._link.script(TAKE, keys, [self._most, self._margin, game_id, PATIENCE])
        if room <= 0:
            raise TooManyGames(self._most)
        if room > FAR * self._margin:
            self._roomy_until[app] = now + FOR
