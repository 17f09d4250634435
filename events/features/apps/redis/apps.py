"""Apps in Redis. All keys about apps share a hash tag, so that each read or change is one script."""

from collections.abc import Sequence
from typing import Any

from events.features.apps.port import MOST_APPS, FoundApp, FoundKey
from events.features.apps.records import App
from events.store import horizons, keys
from events.store.connections.client import Argument, RedisClient

# The record of a key, and the time. The work is the same for a key that does not exist.
# KEYS: apps by key, apps, days of use
# ARGV: the key's id
FIND_KEY = """
local name = redis.call('HGET', KEYS[1], ARGV[1]) or ''
local record = redis.call('HGET', KEYS[2], name) or ''
local used = redis.call('HGET', KEYS[3], ARGV[1]) or ''
local time = redis.call('TIME')
return {name, record, used, time[1] * 1000 + math.floor(time[2] / 1000)}
"""
# Records the day on which a key was last used, if the key still exists.
# KEYS: apps by key, days of use
# ARGV: the key's id, the day
NOTE_USE = """
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then redis.call('HSET', KEYS[2], ARGV[1], ARGV[2]) end
return 'done'
"""
# Replaces an app by another version, if it was not changed since it was read, and updates the index of its keys.
# KEYS: names, apps, apps by key, days of use
# ARGV: name, what was read ('' for nothing), what it becomes, how many apps there may be, how many of the following ids
#       are of keys that it has now, ids of these, ids of keys that are gone
PUT = """
local there = redis.call('HGET', KEYS[2], ARGV[1]) or ''
if there == ARGV[3] then return 'done' end
if there ~= ARGV[2] then return 'changed' end
if there == '' then
    if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[4]) then return 'full' end
    redis.call('ZADD', KEYS[1], 0, ARGV[1])
end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
local last = 5 + ARGV[5]
for at = 6, last do redis.call('HSET', KEYS[3], ARGV[at], ARGV[1]) end
for at = last + 1, #ARGV do
    redis.call('HDEL', KEYS[3], ARGV[at])
    redis.call('HDEL', KEYS[4], ARGV[at])
end
return 'done'
"""
# Removes an app and the index of its keys, and notes that there was one, so that keys stay required.
# KEYS: names, apps, apps by key, days of use, deleted; ARGV: name
DELETE = """
local record = redis.call('HGET', KEYS[2], ARGV[1])
for _, key in ipairs(record and cjson.decode(record).keys or {}) do
    redis.call('HDEL', KEYS[3], key[1])
    redis.call('HDEL', KEYS[4], key[1])
end
if redis.call('HDEL', KEYS[2], ARGV[1]) == 1 then redis.call('SET', KEYS[5], 1) end
return redis.call('ZREM', KEYS[1], ARGV[1])
"""
# A page of apps, the days on which their keys were used, and the time.
# KEYS: names, apps, days of use
# ARGV: the name that comes before, how many
PAGE = """
local found = {}
for _, name in ipairs(redis.call('ZRANGEBYLEX', KEYS[1], '(' .. ARGV[1], '+', 'LIMIT', 0, ARGV[2])) do
    local record, used = redis.call('HGET', KEYS[2], name), {}
    if record then
        for _, key in ipairs(cjson.decode(record).keys) do
            used[#used + 1] = redis.call('HGET', KEYS[3], key[1]) or ''
        end
        found[#found + 1] = {name, record, used}
    end
end
local time = redis.call('TIME')
return {time[1] * 1000 + math.floor(time[2] / 1000), found}
"""

SCAN = 500  # keys looked at in one request


class RedisAppStore:
    """The apps of an installation. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def __init__(self, link: RedisClient) -> None:
        self._link = link

    def has_apps(self) -> bool:
        """True if there is any app, with or without keys, or was one that is deleted."""
        return bool(self._link.call("EXISTS", keys.APP_NAMES, keys.APPS, keys.APPS_DELETED))

    def find_key(self, key_id: str) -> FoundKey | None:
        """The key of that id, in one round trip; None if there is none."""
        touched = [keys.APP_KEYS, keys.APPS, keys.APP_KEYS_USED]
        name, record, used, now = self._link.script(FIND_KEY, touched, [key_id])
        if not record:
            return None
        app = App.unpacked(name.decode(), record)
        key = app.key(key_id)
        if key is None:
            return None
        return FoundKey(app.name, app.scopes, key, int(now), _day(used), app.quotas, app.limits)

    def note_use(self, key_id: str, day: int) -> None:
        """The key, if it is still there, was used on that day since 1970."""
        self._link.script(NOTE_USE, [keys.APP_KEYS, keys.APP_KEYS_USED], [key_id, day])

    def now(self) -> int:
        """The server's time in ms since 1970."""
        seconds, micros = self._link.call("TIME")
        return int(seconds) * 1000 + int(micros) // 1000

    def find(self, name: str) -> FoundApp | None:
        """The app of that name; None if there is none."""
        record = self._link.call("HGET", keys.APPS, name)
        if record is None:
            return None
        app = App.unpacked(name, record)
        asked: list[Sequence[str]] = [("TIME",)]
        asked += [("HGET", keys.APP_KEYS_USED, key.id) for key in app.keys]
        (seconds, micros), *used = self._link.calls(asked)
        return FoundApp(app, int(seconds) * 1000 + int(micros) // 1000, _days(app, used))

    def page(self, after: str, limit: int) -> list[FoundApp]:
        """At most so many apps whose names come after that one, in the order of their names."""
        now, found = self._link.script(PAGE, [keys.APP_NAMES, keys.APPS, keys.APP_KEYS_USED], [after, limit])
        apps = [(App.unpacked(name.decode(), record), used) for name, record, used in found]
        return [FoundApp(app, int(now), _days(app, used)) for app, used in apps]

    def put(self, former: App | None, app: App, gone: Sequence[str] = ()) -> str:
        """Put an app in the place of what was read of it, as the port says: "done", "changed" or "full"."""
        touched = [keys.APP_NAMES, keys.APPS, keys.APP_KEYS, keys.APP_KEYS_USED]
        read = b"" if former is None else former.packed()
        its = [key.id for key in app.keys]
        arguments: list[Argument] = [app.name, read, app.packed(), MOST_APPS, len(its), *its, *gone]
        reply: bytes = self._link.script(PUT, touched, arguments)
        return reply.decode()

    def deleted_at(self, name: str) -> int:
        """Time at which an app of that name was last deleted, in milliseconds; 0 if none was."""
        return horizons.read(self._link, name, "gone")[0]

    def delete(self, name: str) -> int:
        own, removed = keys.horizon(name), 0
        horizons.move(self._link, name, "gone", self.now() + 1)
        cursor = b"0"
        while True:
            cursor, found = self._link.call("SCAN", cursor, "MATCH", f"{{app:{name}}}:*", "COUNT", SCAN)
            going = [key for key in found if key.decode(errors="replace") != own]
            removed += sum(self._link.calls([("UNLINK", key) for key in going])) if going else 0
            if cursor == b"0":
                break
        for key in (keys.APP_LOGS, keys.ATTENDANCE_ASKED):
            self._link.call("ZREM", key, name)
        self._link.call("SREM", keys.LISTED_APPS, name)
        touched = [keys.APP_NAMES, keys.APPS, keys.APP_KEYS, keys.APP_KEYS_USED, keys.APPS_DELETED]
        self._link.script(DELETE, touched, [name])
        return removed


def _days(app: App, used: Sequence[Any]) -> dict[str, int]:
    days = {key.id: _day(day) for key, day in zip(app.keys, used, strict=True)}
    return {key_id: day for key_id, day in days.items() if day is not None}


def _day(used: bytes | None) -> int | None:
    return int(used) if used else None
