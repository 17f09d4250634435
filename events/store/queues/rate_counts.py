"""Counts of callers' recent requests, by all processes together, on the queue's server."""

from typing import Final

from events.store.connections.client import RedisClient

PREFIX: Final = "migrato:limit"

# Adds to the count of the open window, or of a new one; returns the count and the milliseconds until the window ends.
# A window that would last longer than a new one (its clock was set back since) is cut to the length of a new one.
# KEYS: the count
# ARGV: milliseconds of a new window, how many more
COUNT: Final = """
local count = redis.call('INCRBY', KEYS[1], ARGV[2])
local left = redis.call('PTTL', KEYS[1])
if left < 0 or left > tonumber(ARGV[1]) then
  left = tonumber(ARGV[1])
  redis.call('PEXPIRE', KEYS[1], left)
end
return {count, left}
"""


class RedisRateCounts:
    """The port of shared counts over Redis; safe among threads and greenlets."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def count(self, key: str, seconds: int, number: int = 1) -> tuple[int, float]:
        """Count so many more under the key. Returns the number in this window, and the seconds left of it.

        Raises StoreUnavailable. A request that had to be sent twice is counted twice.
        """
        count, left = self._link.script(COUNT, [key], [seconds * 1000, number])
        return int(count), left / 1000
