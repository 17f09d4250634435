"""What Redis knows of tickets: the key that seals them, the time, and until when a game's tickets are void."""

from events.ports import TicketFacts
from events.redis import installation, keys
from events.redis.connections.client import RedisClient

# Voids all tickets that a holder has of a game. The times expire once the last of these tickets would have.
# KEYS: the game's times
# ARGV: holder, seconds that a ticket may be good for
REVOKE = """
local time = redis.call('TIME')
redis.call('HSET', KEYS[1], ARGV[1], string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000)))
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 'done'
"""


class RedisTicketStore:
    """The tickets of an installation. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def ticket_facts(self, game_id: str) -> TicketFacts:
        """All that it takes to judge a ticket of the game, in one round trip."""
        asked = [("GET", keys.TICKETS_SECRET), ("TIME",), ("HGETALL", keys.tickets(game_id))]
        secret, (seconds, micros), flat = self._link.calls(asked)
        if secret is None:
            secret = installation.secret(self._link, keys.TICKETS_SECRET)
        revoked = {flat[at].decode(): int(flat[at + 1]) for at in range(0, len(flat), 2)}
        return TicketFacts(bytes(secret), int(seconds) * 1000 + int(micros) // 1000, revoked)

    def revoke_tickets(self, game_id: str, holder: str, longest: int) -> None:
        """Void what the holder has asked for until now; that is kept for `longest` seconds."""
        self._link.script(REVOKE, [keys.tickets(game_id)], [holder, longest])
