"""A lease for which several processes compete: its holder does the work for as long as it renews the lease."""

import secrets as randomness
from typing import Final

from events.store.connections.client import RedisClient

MILLISECONDS: Final = 6_000  # milliseconds after which the lease of a dead holder expires

# Takes the lease, or renews it. A lease that would last longer than any was taken before the clock was set back: its
# holder renews it, or has died. KEYS: lease. ARGV: who, milliseconds
TAKE: Final = """
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  if redis.call('PTTL', KEYS[1]) > tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""
GIVE_UP: Final = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
"""


class RedisLease:
    """One process's claim to the lease of a key. Every method may raise StoreUnavailable; each is safe to be sent
    again.
    """

    def __init__(self, link: RedisClient, key: str, milliseconds: int = MILLISECONDS) -> None:
        self._link = link
        self._key = key
        self._milliseconds = milliseconds
        self._holder = randomness.token_hex(16)

    def take(self) -> bool:
        """Take the lease, or renew it; False while another process has it."""
        return bool(self._link.script(TAKE, [self._key], [self._holder, self._milliseconds]))

    def give_up(self) -> None:
        """Give the lease up, so that another process can have it immediately."""
        self._link.script(GIVE_UP, [self._key], [self._holder])
