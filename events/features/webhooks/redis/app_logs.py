"""Apps' logs in Redis: a stream for each app, filled from the feed once the app has asked for it."""

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Final

import orjson
from redis.exceptions import ResponseError

from events.features.webhooks.event_types import LoggedMessage, Message
from events.features.webhooks.port import LogPage
from events.store import keys
from events.store.cluster.news import news_of
from events.store.connections.client import Argument, RedisClient

GROUP: Final = "app-logs"  # the feed's reader group for logs
FIELDS: Final = [b"type", b"at", b"game", b"version", b"data"]
DAY: Final = 86_400
# seconds for which messages are kept, and whole logs after the app last asked for them
KEPT_SECONDS: Final = 7 * DAY
KEPT_MESSAGES: Final = 100_000  # messages of one app
EVER: Final = ""  # a member of the apps whose logs are kept: there was such an app, so the feed has the group
STALE: Final = DAY // 8  # seconds after which a request for a log is recorded again

# Begins a log, its only key. What it deletes first distinguishes its cursors from those of an earlier log.
BEGIN = """
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('XDEL', KEYS[1], redis.call('XADD', KEYS[1], '*', 'type', 'begin'))
end
"""

# Adds messages to a log that has begun, the first key. A message's place in the log is its id; the last one is
# published to those that wait (see `_number`). If the server's clock was set far back, ids continue in the last
# millisecond used, and after a million of them in the next one.
# ARGV: from 5 on, for each message its type, time, game, version and data; before them the messages that are kept
ADD: Final = """
local function add()
  local about, id = redis.call('XINFO', 'STREAM', KEYS[1]), nil
  for at = 1, #about, 2 do
    if about[at] == 'last-generated-id' then id = about[at + 1] end
  end
  for at = 5, #ARGV, 5 do
    local ms, sequence = string.match(id, '^(%d+)-(%d+)$')
    local place = tonumber(sequence) < 999999 and '*' or string.format('%d-0', ms + 1)
    id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[4], place, 'type', ARGV[at], 'at', ARGV[at + 1],
      'game', ARGV[at + 2], 'version', ARGV[at + 3], 'data', ARGV[at + 4])
  end
  if #ARGV > 4 then
    local ms, sequence = string.match(id, '^(%d+)-(%d+)$')
    redis.pcall('PUBLISH', KEYS[1], ms .. string.format('%06d', sequence))
  end
end
"""

# Logs the messages of a game's events, once and in order. The log of a game begins with these events if it has none.
# KEYS: log, the version of the game up to which all is logged
# ARGV: first and last version, seconds for which the version is kept (0: for good), then as in ADD
WRITE = (
    BEGIN
    + ADD
    + """
local first, last = tonumber(ARGV[1]), tonumber(ARGV[2])
local logged = tonumber(redis.call('GET', KEYS[2]) or first - 1)
if logged >= last or logged ~= first - 1 then return logged end
add()
if ARGV[3] == '0' then
  redis.call('SET', KEYS[2], last)
else
  redis.call('SET', KEYS[2], last, 'EX', ARGV[3])
end
return -1
"""
)

# Forgets when the log was last asked for, unless that was after a given time.
# KEYS: the apps whose logs are kept. ARGV: app, time
RETIRE = """
local used = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not used or tonumber(used) > tonumber(ARGV[2]) then return 0 end
return redis.call('ZREM', KEYS[1], ARGV[1])
"""


class RedisAppLogs:
    """The port of apps' logs over Redis; safe among threads and greenlets."""

    def __init__(
        self,
        link: RedisClient,
        waiting: RedisClient,
        clock: Callable[[], float] = time.time,
        most: int = KEPT_MESSAGES,
    ) -> None:
        """`waiting`: the connection on which all waiting callers are notified; `most`: messages that are kept."""
        self._link = link
        self._news = news_of(link, waiting, lambda key: ("XREVRANGE", key, "+", "-", "COUNT", 1), _number_of)
        self._clock = clock
        self._most = most

    def active(self) -> set[str]:
        """The apps whose logs are kept."""
        return {app for app, _ in self._scores()}

    def has_begun(self) -> bool:
        """True if any app has ever asked for its log: until then the feed need not be read for logs."""
        return bool(self._link.call("EXISTS", keys.APP_LOGS))

    def apps_of(self, game_ids: Sequence[str]) -> list[str | None]:
        """Apps of these games; None for a game that does not exist."""
        found = self._link.calls([("HGET", keys.secrets(game_id), "app") for game_id in game_ids])
        return [app.decode() if isinstance(app, bytes) else None for app in found]

    def write(
        self, app: str, game_id: str, first: int, last: int, messages: Iterable[Message], *, settled: bool
    ) -> int | None:
        """Log the messages of the events, unless that was done. Returns the logged version if nothing was done."""
        fields = fields_of(messages)
        kept = KEPT_SECONDS if settled else 0
        place = [keys.app_log(app), keys.logged(app, game_id)]
        logged = self._link.script(WRITE, place, [first, last, kept, self._most, *fields])
        return None if logged == -1 else int(logged)

    def keep(self, app: str) -> None:
        """Begin the app's log: from now on every message goes into it.

        The feed's group comes first, so that readers of the feed get every append from then on.
        """
        self._link.calls(
            [
                ("XGROUP", "CREATE", keys.feed(number), GROUP, "$", "MKSTREAM")
                for number in range(keys.PARTITIONS)
            ]
        )
        self._link.script(BEGIN, [keys.app_log(app)], [])
        now = int(self._clock())
        self._link.call("ZADD", keys.APP_LOGS, now, app, now, EVER)

    def read(self, app: str, after: str | None, limit: int, types: Collection[str] | None = None) -> LogPage:
        """The messages of these types among the first `limit` after an id; None is the end of the log."""
        log = keys.app_log(app)
        entries, about, used = self._link.calls(
            [
                ("XRANGE", log, f"({after or 0}" if after != "0" else "-", "+", "COUNT", limit),
                ("XINFO", "STREAM", log),
                ("ZSCORE", keys.APP_LOGS, app),
            ]
        )
        is_begun = not isinstance(about, ResponseError) and used is not None
        if not is_begun or float(used) < self._clock() - STALE:
            self.keep(app)
        if not is_begun:
            return LogPage([], self._end(app), is_lost=after not in (None, "0"))
        log_info = dict(zip(about[::2], about[1::2], strict=True))
        if after is None:
            return LogPage([], log_info[b"last-generated-id"].decode())
        wanted = {one.encode() for one in types or ()}
        found = [
            logged_message(entry_id, flat) for entry_id, flat in entries if not wanted or flat[1] in wanted
        ]
        messages = [logged for logged in found if logged is not None]
        following = entries[-1][0].decode() if entries else after
        return LogPage(messages, following, _is_lost(after, log_info), is_end=len(entries) < limit)

    def wait(self, app: str, after: str, seconds: float) -> bool:
        """Wait until there is a message after that id, for at most so many seconds. Returns True if there is one."""
        return self._news.wait(keys.app_log(app), _number(after.encode()), seconds) > _number(after.encode())

    def drop_unused(self) -> None:
        """Remove messages that are too old, and whole logs that no app has asked for in that time."""
        oldest = int(self._clock()) - KEPT_SECONDS
        for app, used in self._scores():
            if used <= oldest:  # the log goes first: an app that asks for it in between begins another
                self._link.call("DEL", keys.app_log(app))
                self._link.script(RETIRE, [keys.APP_LOGS], [app, oldest])
            else:
                self._link.call("XTRIM", keys.app_log(app), "MINID", f"{oldest * 1000}-0")

    def _scores(self) -> list[tuple[str, float]]:
        flat = self._link.call("ZRANGE", keys.APP_LOGS, 0, -1, "WITHSCORES")
        scores = zip(flat[::2], flat[1::2], strict=True)
        return [(app.decode(), float(used)) for app, used in scores if app != EVER.encode()]

    def _end(self, app: str) -> str:
        about = self._link.call("XINFO", "STREAM", keys.app_log(app))
        return str(dict(zip(about[::2], about[1::2], strict=True))[b"last-generated-id"].decode())


def fields_of(messages: Iterable[Message]) -> list[Argument]:
    """The messages as arguments of ADD."""
    return [
        part
        for message in messages
        for part in (message.type, message.at, message.game_id, message.version, message.packed())
    ]


def logged_message(entry_id: bytes, flat: Sequence[bytes]) -> LoggedMessage | None:
    """The message of an entry of a log; None for an entry that this engine has not written."""
    if flat[::2] != FIELDS:
        return None
    found = dict(zip(flat[::2], flat[1::2], strict=True))
    message = Message(
        found[b"type"].decode(),
        found[b"at"].decode(),
        found[b"game"].decode(),
        int(found[b"version"]),
        orjson.loads(found[b"data"]),
    )
    return LoggedMessage(entry_id.decode(), message)


def _is_lost(after: str, about: dict[bytes, Any]) -> bool:
    """True if messages after that id may be gone: the id belongs to an earlier log, or to a part that was removed."""
    if after == "0":
        return False
    place = _number(after.encode())
    if place < _number(about.get(b"max-deleted-entry-id", b"0-0")):
        return True
    first = about[b"first-entry"]
    trimmed = about.get(b"entries-added", 0) - 1 > about[b"length"]
    return bool(trimmed and place < _number(first[0] if first else about[b"last-generated-id"]))


def _number(entry_id: bytes) -> int:
    """A place in a log as one growing number, which is published."""
    time_part, _, sequence = entry_id.partition(b"-")
    return int(time_part) * 1_000_000 + int(sequence or 0)


def _number_of(reply: Any) -> int:
    return _number(reply[0][0]) if reply else 0
