"""Endpoints and their deliveries in Redis; each script uses only one app's keys."""

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
# The set is bounded, because no process may be there to read it.
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
# Every attempt counts as usage once, when its outcome is recorded.
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
# If too many are kept, the one of the lowest id is removed, which is the oldest.
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
AT_ONCE: Final = 1000  # endpoints that are returned together
NOW: Final = "now"  # follows the name of an endpoint whose pauses end
TOLD: Final = (
    # endpoints that are listed as changed; the sender finds further ones when it looks at all endpoints
    10_000
)


class RedisEndpoints:
    """The port of endpoints over Redis; safe among threads and greenlets."""

    def __init__(self, link: RedisClient, clock: Callable[[], float] = time.time) -> None:
        """`clock`: seconds since 1970, for the day on which an attempt counts as usage."""
        self._link = link
        self._clock = clock

    def add(self, new: Endpoint, secrets: Sequence[SigningSecret], start: str, most: int) -> bool:
        """Add an endpoint; False if the app has `most` already."""
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
        """The app's endpoint of that id; None if there is none."""
        record = self._link.call("HGET", keys.endpoints(app), endpoint_id)
        return None if record is None else endpoint_of(app, endpoint_id, orjson.loads(record))

    def sizes(self, endpoints: Sequence[Endpoint]) -> list[tuple[int, int]]:
        """For each endpoint, the numbers of deliveries that wait and that were given up."""
        found = self._link.calls(
            [("HLEN", key(one.app, one.id)) for one in endpoints for key in (keys.backlog, keys.dead)]
        )
        return list(zip(found[::2], found[1::2], strict=True))

    def replace(self, known: Endpoint, changed: Endpoint) -> bool:
        """Replace the endpoint if it is still the `known` one."""
        sent: list[Argument] = [known.id, _record(known), _record(changed)]
        done = self._link.script(REPLACE, [keys.endpoints(known.app)], sent)
        self._tell(known, NOW)
        return bool(done)

    def remove(self, endpoint: Endpoint) -> bool:
        """Remove the endpoint with all that belongs to it. Returns True if it was there."""
        app, endpoint_id = endpoint.app, endpoint.id
        place = [
            *(keys.endpoints(app), keys.endpoint_secrets(app), keys.endpoint_cursors(app)),
            *(keys.backlog(app, endpoint_id), keys.dead(app, endpoint_id)),
        ]
        removed = self._link.script(REMOVE, place, [endpoint_id])
        self._tell(endpoint)
        return bool(removed)

    def secrets(self, endpoint: Endpoint) -> list[SigningSecret]:
        """The endpoint's secrets, newest first."""
        record = self._link.call("HGET", keys.endpoint_secrets(endpoint.app), endpoint.id)
        return unpacked(record)

    def replace_secrets(
        self, endpoint: Endpoint, known: Sequence[SigningSecret], new: Sequence[SigningSecret]
    ) -> bool:
        """Replace the secrets if they are still the `known` ones."""
        sent: list[Argument] = [endpoint.id, packed(known), packed(new)]
        return bool(self._link.script(REPLACE, [keys.endpoint_secrets(endpoint.app)], sent))

    def enqueue(self, endpoint: Endpoint, delivery: Delivery, most: int) -> bool:
        """Add a delivery; False if `most` wait already."""
        place = [keys.endpoints(endpoint.app), keys.backlog(endpoint.app, endpoint.id)]
        sent: list[Argument] = [endpoint.id, delivery.id, orjson.dumps(delivery.record()), most]
        done = bool(self._link.script(ENQUEUE, place, sent))
        if done:
            self._tell(endpoint)
        return done

    def deliveries(self, endpoint: Endpoint, *, dead: bool) -> list[Delivery]:
        """The deliveries that wait, or those that were given up, in any order."""
        key = keys.dead if dead else keys.backlog
        flat = self._link.call("HGETALL", key(endpoint.app, endpoint.id))
        return [
            delivery_of(delivery_id.decode(), orjson.loads(record))
            for delivery_id, record in zip(flat[::2], flat[1::2], strict=True)
        ]

    def revive(self, endpoint: Endpoint, delivery: Delivery) -> bool:
        """Let a delivery that was given up wait again."""
        done = self._settle(REVIVE, endpoint, [delivery.id, orjson.dumps(delivery.record())])
        self._tell(endpoint)
        return done

    def changed(self) -> list[ChangedEndpoint]:
        """The endpoints at which the sender must look again; each is returned once."""
        found = self._link.call("SPOP", keys.WEBHOOKS_CHANGED, AT_ONCE)
        named = (name.decode().split(" ") for name in found)
        return [ChangedEndpoint(app, one, tries_now=bool(how)) for app, one, *how in named]

    def cursor(self, endpoint: Endpoint) -> str | None:
        """The cursor up to which the endpoint has taken messages from the app's log."""
        found = self._link.call("HGET", keys.endpoint_cursors(endpoint.app), endpoint.id)
        return found.decode() if isinstance(found, bytes) else None

    def take(self, endpoint: Endpoint, cursor: str, then: str, deliveries: Sequence[Delivery]) -> bool:
        """Store the deliveries, taken from the log up to `then`; False if the endpoint's cursor was not `cursor`."""
        app = endpoint.app
        place = [keys.endpoints(app), keys.endpoint_cursors(app), keys.backlog(app, endpoint.id)]
        records = [part for one in deliveries for part in (one.id, orjson.dumps(one.record()))]
        return bool(self._link.script(TAKE, place, [endpoint.id, cursor, then, *records]))

    def delivered(self, endpoint: Endpoint, delivery: Delivery) -> None:
        """Remove a delivery that has arrived."""
        counts, expiries = counts_of(endpoint.app, self._clock())
        place = [keys.backlog(endpoint.app, endpoint.id), *counts]
        self._link.script(DELIVERED, place, [delivery.id, *expiries])

    def postponed(self, endpoint: Endpoint, delivery: Delivery) -> None:
        """Store the delivery as it is after an attempt."""
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
        """End the wait of a delivery; if it `is_kept`, it joins the last `most` deliveries that were given up."""
        counts, expiries = counts_of(endpoint.app, self._clock())
        place = [keys.backlog(endpoint.app, endpoint.id), keys.dead(endpoint.app, endpoint.id), *counts]
        sent: list[Argument] = [delivery.id, orjson.dumps(delivery.record()), most, *expiries]
        sent += int(was_tried), int(is_kept)
        self._link.script(GIVE_UP, place, sent)

    def _settle(self, script: str, endpoint: Endpoint, sent: Sequence[Argument]) -> bool:
        place = [keys.backlog(endpoint.app, endpoint.id), keys.dead(endpoint.app, endpoint.id)]
        return bool(self._link.script(script, place, sent))

    def _tell(self, endpoint: Endpoint, *how: str) -> None:
        """Tell the sender to look at the endpoint. If this is lost, the sender finds the endpoint when it looks at all
        of them.
        """
        name = " ".join((endpoint.app, endpoint.id, *how))
        self._link.script(TELL, [keys.WEBHOOKS_CHANGED], [name, TOLD])


def _record(endpoint: Endpoint) -> bytes:
    return orjson.dumps(endpoint_record(endpoint))
