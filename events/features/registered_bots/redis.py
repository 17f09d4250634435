"""Registered bots in Redis; each script uses only one app's keys."""

from collections.abc import Mapping, Sequence
from typing import Final

import orjson

from events.features.registered_bots.records import RegisteredBot, bot_of
from events.features.signing_secrets import SigningSecret, packed, unpacked
from events.store import keys
from events.store.connections.client import Argument, RedisClient

# KEYS: bots, secrets. ARGV: name, what was read ('' for nothing), what it becomes, its secrets ('' where they stay, '-'
# where they go), the most bots
PUT: Final = """
local there = redis.call('HGET', KEYS[1], ARGV[1]) or ''
local own = ARGV[4] == '' or ARGV[4] == '-' or redis.call('HGET', KEYS[2], ARGV[1]) == ARGV[4]
if there == ARGV[3] and own then return 'done' end
if there ~= ARGV[2] then return 'changed' end
if there == '' then
  if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[5]) then return 'full' end
end
if ARGV[4] == '-' then redis.call('HDEL', KEYS[2], ARGV[1]) end
if ARGV[4] ~= '-' and ARGV[4] ~= '' then redis.call('HSET', KEYS[2], ARGV[1], ARGV[4]) end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 'done'
"""
# KEYS: secrets. ARGV: name, what stands there, what is to
REPLACE: Final = """
local there = redis.call('HGET', KEYS[1], ARGV[1]) or '[]'
if there == ARGV[3] then return 1 end
if there ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
return 1
"""
# A count beyond the greatest number of names is left out, because apps choose the names.
# KEYS: counts of a day. ARGV: seconds until they expire, the most names, then names and numbers
COUNT: Final = """
local most = tonumber(ARGV[2])
for at = 3, #ARGV, 2 do
  if redis.call('HEXISTS', KEYS[1], ARGV[at]) == 1 or redis.call('HLEN', KEYS[1]) < most then
    redis.call('HINCRBY', KEYS[1], ARGV[at], ARGV[at + 1])
  end
end
redis.call('EXPIRE', KEYS[1], ARGV[1])
return 1
"""
KEPT: Final = 3 * 86_400  # seconds for which the counts of a day are kept after the last one
MOST_COUNTS: Final = 20_000  # names of counts on a day


class RedisRegisteredBots:
    """The port of registered bots over Redis; safe among threads and greenlets."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def of_app(self, app: str) -> list[RegisteredBot]:
        flat = self._link.call("HGETALL", keys.registered_bots(app))
        found = [
            bot_of(app, name.decode(), orjson.loads(record))
            for name, record in zip(flat[::2], flat[1::2], strict=True)
        ]
        return sorted(found, key=lambda bot: bot.name)

    def find(self, app: str, name: str) -> RegisteredBot | None:
        record = self._link.call("HGET", keys.registered_bots(app), name)
        return None if record is None else bot_of(app, name, orjson.loads(record))

    def put(
        self,
        former: RegisteredBot | None,
        bot: RegisteredBot,
        most: int,
        secrets: Sequence[SigningSecret] | None = None,
    ) -> str:
        place = [keys.registered_bots(bot.app), keys.bot_secrets(bot.app)]
        read = b"" if former is None else orjson.dumps(former.record())
        its = b"" if secrets is None else packed(secrets) if secrets else b"-"
        sent: list[Argument] = [bot.name, read, orjson.dumps(bot.record()), its, most]
        reply: bytes = self._link.script(PUT, place, sent)
        return reply.decode()

    def secrets(self, app: str, name: str) -> list[SigningSecret]:
        return unpacked(self._link.call("HGET", keys.bot_secrets(app), name))

    def replace_secrets(
        self, app: str, name: str, known: Sequence[SigningSecret], new: Sequence[SigningSecret]
    ) -> bool:
        sent: list[Argument] = [name, packed(known), packed(new)]
        return bool(self._link.script(REPLACE, [keys.bot_secrets(app)], sent))

    def count(self, app: str, day: int, counts: Mapping[str, int]) -> None:
        flat: list[Argument] = [part for name, number in counts.items() for part in (name, number)]
        self._link.script(COUNT, [keys.bot_calls(app, day)], [KEPT, MOST_COUNTS, *flat])

    def counts(self, app: str, days: Sequence[int]) -> dict[str, int]:
        sums = dict[str, int]()
        for day in days:
            flat = self._link.call("HGETALL", keys.bot_calls(app, day))
            for name, number in zip(flat[::2], flat[1::2], strict=True):
                sums[name.decode()] = sums.get(name.decode(), 0) + int(number)
        return sums
