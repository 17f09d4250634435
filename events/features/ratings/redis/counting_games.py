"""The unfinished games of each player that may count for ratings, whose number is limited."""

from collections.abc import Sequence
from typing import Final

from events.store import keys
from events.store.connections.client import Argument, RedisClient

KEPT: Final = 90 * 86_400  # seconds after the last game began for which its place is kept

# KEYS: the player's games, by when they took their place, in milliseconds
# ARGV: most, game id, seconds for which all is kept, games whose places are free
# Returns nothing if the game has a place, otherwise the games that have one, each with its age.
TAKE: Final = """
for at = 4, #ARGV do redis.call('ZREM', KEYS[1], ARGV[at]) end
if redis.call('ZSCORE', KEYS[1], ARGV[2]) then return {} end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('ZCARD', KEYS[1]) < tonumber(ARGV[1]) then
  redis.call('ZADD', KEYS[1], now, ARGV[2])
  redis.call('EXPIRE', KEYS[1], ARGV[3])
  return {}
end
local there = {}
for at, value in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')) do
  there[at] = at % 2 == 1 and value or string.format('%d', math.abs(now - tonumber(value)))
end
return there
"""


class RedisCountingGames:
    """The port of games that count over Redis; safe among threads and greenlets."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def take_place(
        self, app: str, player: str, game_id: str, most: int, free: Sequence[str] = ()
    ) -> dict[str, float]:
        """As the port says."""
        given: list[Argument] = [most, game_id, KEPT, *free]
        flat = self._link.script(TAKE, [keys.counting_games(app, player)], given)
        return {flat[at].decode(): int(flat[at + 1]) / 1000 for at in range(0, len(flat), 2)}

    def forget(self, app: str, player: str) -> None:
        """As the port says."""
        self._link.call("UNLINK", keys.counting_games(app, player))
