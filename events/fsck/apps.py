"""Faults of apps: a record that cannot be read, and indexes that do not match the records."""

from collections.abc import Iterator
from typing import Final

from redis.exceptions import ResponseError

from events.fsck.findings import Finding
from events.store import keys
from events.store.connections.client import RedisClient

# Compares the indexes with the records, all at one moment, and puts them right if it is told to.
# KEYS: names, apps, apps by key, days of use
# ARGV: 'repair', or ''
CHECK: Final = """
local wrong, owners, repair = {}, {}, ARGV[1] == 'repair'
local records = redis.call('HGETALL', KEYS[2])
for at = 1, #records, 2 do
    local name, readable, app = records[at], pcall(cjson.decode, records[at + 1])
    if not readable or type(app) ~= 'table' or type(app.keys) ~= 'table' then
        return {{'record', name}}
    end
    if not redis.call('ZSCORE', KEYS[1], name) then
        wrong[#wrong + 1] = {'names', name}
        if repair then redis.call('ZADD', KEYS[1], 0, name) end
    end
    for _, key in ipairs(app.keys) do
        owners[key[1]] = name
        if redis.call('HGET', KEYS[3], key[1]) ~= name then
            wrong[#wrong + 1] = {'keys', name}
            if repair then redis.call('HSET', KEYS[3], key[1], name) end
        end
    end
end
for _, name in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    if redis.call('HEXISTS', KEYS[2], name) == 0 then return {{'record', name}} end
end
for number, index in ipairs({'keys', 'used'}) do
    for _, id in ipairs(redis.call('HKEYS', KEYS[2 + number])) do
        if not owners[id] then
            wrong[#wrong + 1] = {index, id}
            if repair then redis.call('HDEL', KEYS[2 + number], id) end
        end
    end
end
return wrong
"""
_INDEXES: Final = {"names": keys.APP_NAMES, "keys": keys.APP_KEYS, "used": keys.APP_KEYS_USED}


def check_apps(link: RedisClient, *, repair: bool) -> Iterator[Finding]:
    """Faults of apps; with a record that cannot be read nothing else is looked at or repaired."""
    touched = [keys.APP_NAMES, keys.APPS, keys.APP_KEYS, keys.APP_KEYS_USED]
    try:
        wrong = link.script(CHECK, touched, ["repair" if repair else ""])
    except ResponseError:
        return  # a key of a wrong type, which is reported
    for what, name in wrong:
        about = name.decode(errors="replace")
        if what == b"record":
            yield Finding("bad-app", None, keys.APPS, f"There is no readable record of app {about!r}.")
            continue
        finding = Finding("app-index-wrong", None, _INDEXES[what.decode()], f"It does not fit {about!r}.")
        yield finding.done() if repair else finding
