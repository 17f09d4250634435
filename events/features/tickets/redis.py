"""Facts about tickets in Redis: the key that seals them, the store's time, and until when a game's tickets are void."""

from collections.abc import Sequence

from events.features.tickets.port import TicketFacts
from events.store import installation, keys
from events.store.connections.client import RedisClient

# Voids all tickets of a game that a holder has asked for. The record expires once the last of these tickets would have.
# KEYS: the game's times
# ARGV: holder, seconds that a ticket may be good for
REVOKE = """
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], ARGV[1], string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000)))
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 'done'
"""


# The times of revocation, in ms; none is later than now, even if it was written before the clock was set back.
# KEYS: the game's times
SETTLE = """
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local flat = redis.call('HGETALL', KEYS[1])
for at = 1, #flat, 2 do
  if tonumber(flat[at + 1]) > now then
    flat[at + 1] = string.format('%d', now)
    redis.call('HSET', KEYS[1], flat[at], flat[at + 1])
  end
end
return flat
"""

# The request that has used a ticket: this one, if it is the first.
# KEYS: the used ticket
# ARGV: the request, seconds for which that is kept
USE = """
if not redis.call('SET', KEYS[1], ARGV[1], 'NX', 'EX', ARGV[2]) then
  return redis.call('GET', KEYS[1])
end
return ARGV[1]
"""


class RedisTicketStore:
    """The tickets of an installation. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def ticket_facts(self, game_id: str) -> TicketFacts:
        """The facts needed to check a ticket of the game, in one round trip."""
        asked = [("GET", keys.TICKETS_SECRET), ("TIME",), ("HGETALL", keys.tickets(game_id))]
        secret, (seconds, micros), flat = self._link.calls(asked)
        if secret is None:
            secret = installation.secret(self._link, keys.TICKETS_SECRET)
        now, revoked = int(seconds) * 1000 + int(micros) // 1000, _times(flat)
        if any(time > now for time in revoked.values()):
            revoked = _times(self._link.script(SETTLE, [keys.tickets(game_id)], []))
        return TicketFacts(bytes(secret), now, revoked)

    def use_ticket(self, game_id: str, digest: str, by: str, seconds: int) -> bool:
        """Record that this request used the ticket of that digest; False if another one has used it before."""
        used = self._link.script(USE, [keys.used_ticket(game_id, digest)], [by, seconds])
        return bool(used == by.encode())

    def revoke_tickets(self, game_id: str, holder: str, longest: int) -> None:
        """Void all tickets that the holder has asked for until now; the record is kept for `longest` seconds."""
        self._link.script(REVOKE, [keys.tickets(game_id)], [holder, longest])


def _times(flat: Sequence[bytes]) -> dict[str, int]:
    return {flat[at].decode(): int(flat[at + 1]) for at in range(0, len(flat), 2)}
