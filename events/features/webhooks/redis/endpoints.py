"""Endpoints and their deliveries in Redis; a script touches one app's keys alone."""

import time
from collections.abc import Callable, Sequence
from typing import Final

import orjson

from events.features.signing_secrets import SigningSecret, packed, unpacked
from events.features.webhooks.deliveries import Delivery, delivery_of
from events.features.webhooks.port import ChangedEndpoint
from events.features.webhooks.records import Endpoint, endpoint_of, endpoint_record
from events.store import keys
from events.store.connections.client import Argument, RedisClient
from events.store.usage_counts import COUNT, counts_of

# KEYS: endpoints, secrets, cursors. ARGV: id, record, secrets, cursor, the most that there may be
ADD: Final = """
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 1 end
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[5]) then return 0 end
for at = 1, 3 do redis.call('HSET', KEYS[at], ARGV[1], ARGV[at + 1]) end
return 1
"""
# Nobody may be there to read it: then it does not grow.
# KEYS: changed endpoints. ARGV: the name of one, how many there may be
TELL: Final = """
if redis.call('SCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
return redis.call('SADD', KEYS[1], ARGV[1])
"""
# KEYS: a hash. ARGV: id, what stands there, what is to
REPLACE: Final = """
local there = redis.call('HGET', KEYS[1], ARGV[1])
if there == ARGV[3] then return 1 end
if there ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
"""
# KEYS: endpoints, secrets, cursors, backlog, dead. ARGV: id
REMOVE: Final = """
local found = redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1])
redis.call('DEL', KEYS[4], KEYS[5])
return found
"""
# KEYS: endpoints, cursors, backlog. ARGV: id, the cursor as it is, and as it is to be, then deliveries and records
TAKE: Final = """
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
if redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
for at = 4, #ARGV, 2 do redis.call('HSET', KEYS[3], ARGV[at], ARGV[at + 1]) end
return 1
"""
# KEYS: endpoints, backlog. ARGV: id, delivery, record, the most that may wait
ENQUEUE: Final = """
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 or redis.call('HEXISTS', KEYS[2], ARGV[2]) == 1 then return 1 end
if redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[4]) then return 0 end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
return 1
"""
# Every attempt counts as usage when its outcome is noted, once.
# KEYS: backlog, counts of the day and the month. ARGV: delivery, when these expire
DELIVERED: Final = (
    COUNT
    + """
if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then return 0 end
count(2, 2, 'deliveries', 1)
count(2, 2, 'attempts', 1)
return 1
"""
)
# KEYS: backlog, counts of the day and the month. ARGV: delivery, record, when these expire
POSTPONE: Final = (
    COUNT
    + """
local waits = redis.call('HGET', KEYS[1], ARGV[1])
if not waits or waits == ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
count(2, 3, 'attempts', 1)
return 1
"""
)
# Where too many are kept, the one of the lowest id goes, which is the oldest.
# KEYS: backlog, dead, counts of the day and the month. ARGV: delivery, record, the most that are kept, when the counts
#       expire, '1' if an attempt has failed, '1' if it is kept
GIVE_UP: Final = (
    COUNT
    + """
if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then return 0 end
if ARGV[6] == '1' then count(3, 4, 'attempts', 1) end
if ARGV[7] == '1' then redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) end
if redis.call('HLEN', KEYS[2]) > tonumber(ARGV[3]) then
  local oldest
  for _, id in ipairs(redis.call('HKEYS', KEYS[2])) do
    if not oldest or #id < #oldest or (#id == #oldest and id < oldest) then oldest = id end
  end
  redis.call('HDEL', KEYS[2], oldest)
end
return 1
"""
)
# KEYS: backlog, dead. ARGV: delivery, record
REVIVE: Final = """
if redis.call('HDEL', KEYS[2], ARGV[1]) == 0 then return redis.call('HEXISTS', KEYS[1], ARGV[1]) end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
"""
AT_ONCE: Final = 1000  # endpoints that are told of at once
NOW: Final = "now"  # after the name of one that is to be tried at once
TOLD: Final = (
    10_000  # endpoints that may wait to be told of; of more, the sender learns when it looks at all of them
)


class RedisEndpoints:
    """The port of endpoints over Redis; safe among threads and greenlets."""

    def __init__(self, link: RedisClient, clock: Callable[[], float] = time.time) -> None:
        """`clock`: seconds since 1970, for the day on which an attempt counts as usage."""
        self._link = link
        self._clock = clock

    def add(self, new: Endpoint, secrets: Sequence[SigningSecret], start: str, most: int) -> bool:
        """Add an endpoint; False where the app has `most` already."""
        place = [keys.endpoints(new.app), keys.endpoint_secrets(new.app), keys.endpoint_cursors(new.app)]
        added = self._link.script(ADD, place, [new.id, _record(new), packed(secrets), start, most])
        self._tell(new)
        return bool(added)

    def of_app(self, app: str) -> list[Endpoint]:
        """The app's endpoints."""
        flat = self._link.call("HGETALL", keys.endpoints(app))
        return [
            endpoint_of(app, endpoint_id.decode(), orjson.loads(record))
            for endpoint_id, record in zip(flat[::2], flat[1::2], strict=True)
        ]

    def one_of_app(self, app: str, endpoint_id: str) -> Endpoint | None:
        """One of them; None if there is no such."""
        record = self._link.call("HGET", keys.endpoints(app), endpoint_id)
        return None if record is None else endpoint_of(app, endpoint_id, orjson.loads(record))

    def sizes(self, endpoints: Sequence[Endpoint]) -> list[tuple[int, int]]:
        """The number of deliveries of each endpoint that wait, and of those that were given up."""
        found = self._link.calls(
            [("HLEN", key(one.app, one.id)) for one in endpoints for key in (keys.backlog, keys.dead)]
        )
        return list(zip(found[::2], found[1::2], strict=True))

    def replace(self, known: Endpoint, changed: Endpoint) -> bool:
        """Replace the endpoint if it still is as it was known."""
        sent: list[Argument] = [known.id, _record(known), _record(changed)]
        done = self._link.script(REPLACE, [keys.endpoints(known.app)], sent)
        self._tell(known, NOW)
        return bool(done)

    def remove(self, endpoint: Endpoint) -> bool:
        """Remove the endpoint with all that belongs to it; whether it was there."""
        app, endpoint_id = endpoint.app, endpoint.id
        place = [
            *(keys.endpoints(app), keys.endpoint_secrets(app), keys.endpoint_cursors(app)),
            *(keys.backlog(app, endpoint_id), keys.dead(app, endpoint_id)),
        ]
        removed = self._link.script(REMOVE, place, [endpoint_id])
        self._tell(endpoint)
        return bool(removed)

    def secrets(self, endpoint: Endpoint) -> list[SigningSecret]:
        """Its secrets, the newest first."""
        record = self._link.call("HGET", keys.endpoint_secrets(endpoint.app), endpoint.id)
        return unpacked(record)

    def replace_secrets(
        self, endpoint: Endpoint, known: Sequence[SigningSecret], new: Sequence[SigningSecret]
    ) -> bool:
        """Replace the secrets if they still are as they were known."""
        sent: list[Argument] = [endpoint.id, packed(known), packed(new)]
        return bool(self._link.script(REPLACE, [keys.endpoint_secrets(endpoint.app)], sent))

    def enqueue(self, endpoint: Endpoint, delivery: Delivery, most: int) -> bool:
        """Have a delivery made; False where `most` wait already."""
        place = [keys.endpoints(endpoint.app), keys.backlog(endpoint.app, endpoint.id)]
        sent: list[Argument] = [endpoint.id, delivery.id, orjson.dumps(delivery.record()), most]
        done = bool(self._link.script(ENQUEUE, place, sent))
        if done:
            self._tell(endpoint)
        return done

    def deliveries(self, endpoint: Endpoint, *, dead: bool) -> list[Delivery]:
        """The deliveries that wait, or those that were given up, in no order."""
        key = keys.dead if dead else keys.backlog
        flat = self._link.call("HGETALL", key(endpoint.app, endpoint.id))
        return [
            delivery_of(delivery_id.decode(), orjson.loads(record))
            for delivery_id, record in zip(flat[::2], flat[1::2], strict=True)
        ]

    def revive(self, endpoint: Endpoint, delivery: Delivery) -> bool:
        """Have a delivery made again that was given up."""
        done = self._settle(REVIVE, endpoint, [delivery.id, orjson.dumps(delivery.record())])
        self._tell(endpoint)
        return done

    def changed(self) -> list[ChangedEndpoint]:
        """The endpoints at which the sender is to look again; each is returned once."""
        found = self._link.call("SPOP", keys.WEBHOOKS_CHANGED, AT_ONCE)
        named = (name.decode().split(" ") for name in found)
        return [ChangedEndpoint(app, one, tries_now=bool(how)) for app, one, *how in named]

    def cursor(self, endpoint: Endpoint) -> str | None:
        """Up to where in the app's log the endpoint has taken its messages."""
        found = self._link.call("HGET", keys.endpoint_cursors(endpoint.app), endpoint.id)
        return found.decode() if isinstance(found, bytes) else None

    def take(self, endpoint: Endpoint, cursor: str, then: str, deliveries: Sequence[Delivery]) -> bool:
        """Let the deliveries wait, taken from the log up to `then`; False if it was at another place than `cursor`."""
        app = endpoint.app
        place = [keys.endpoints(app), keys.endpoint_cursors(app), keys.backlog(app, endpoint.id)]
        records = [part for one in deliveries for part in (one.id, orjson.dumps(one.record()))]
        return bool(self._link.script(TAKE, place, [endpoint.id, cursor, then, *records]))

    def delivered(self, endpoint: Endpoint, delivery: Delivery) -> None:
        """The delivery has arrived."""
        counts, expiries = counts_of(endpoint.app, self._clock())
        place = [keys.backlog(endpoint.app, endpoint.id), *counts]
        self._link.script(DELIVERED, place, [delivery.id, *expiries])

    def postponed(self, endpoint: Endpoint, delivery: Delivery) -> None:
        """The delivery is as it is now, and waits."""
        counts, expiries = counts_of(endpoint.app, self._clock())
        place = [keys.backlog(endpoint.app, endpoint.id), *counts]
        self._link.script(POSTPONE, place, [delivery.id, orjson.dumps(delivery.record()), *expiries])

    def give_up(
        self,
        endpoint: Endpoint,
        delivery: Delivery,
        most: int,
        *,
        was_tried: bool = True,
        is_kept: bool = True,
    ) -> None:
        """End the wait of a delivery; it is kept among the last `most` that were given up, if it is kept."""
        counts, expiries = counts_of(endpoint.app, self._clock())
        place = [keys.backlog(endpoint.app, endpoint.id), keys.dead(endpoint.app, endpoint.id), *counts]
        sent: list[Argument] = [delivery.id, orjson.dumps(delivery.record()), most, *expiries]
        sent += int(was_tried), int(is_kept)
        self._link.script(GIVE_UP, place, sent)

    def _settle(self, script: str, endpoint: Endpoint, sent: Sequence[Argument]) -> bool:
        place = [keys.backlog(endpoint.app, endpoint.id), keys.dead(endpoint.app, endpoint.id)]
        return bool(self._link.script(script, place, sent))

    def _tell(self, endpoint: Endpoint, *how: str) -> None:
        """Have the sender look at the endpoint; should this get lost, it looks at all of them now and then."""
        name = " ".join((endpoint.app, endpoint.id, *how))
        self._link.script(TELL, [keys.WEBHOOKS_CHANGED], [name, TOLD])


def _record(endpoint: Endpoint) -> bytes:
    return orjson.dumps(endpoint_record(endpoint))
