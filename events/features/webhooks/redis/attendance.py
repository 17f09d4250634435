"""Attendance in Redis: the apps that ask for it, and the seats that are connected according to their logs."""

import time
from collections.abc import Callable
from typing import Final

from events.features.webhooks.event_types import Message
from events.features.webhooks.redis.app_logs import ADD, BEGIN, DAY, KEPT_MESSAGES, RETIRE, fields_of
from events.store import keys
from events.store.connections.client import RedisClient

KEPT_SECONDS: Final = DAY  # seconds for which an app's request lasts
STALE: Final = KEPT_SECONDS // 24  # seconds after which the request is recorded again

# Logs that a seat was connected or disconnected, unless the log says so already. KEYS: log, attendees. ARGV: seat, "1"
# if it is connected, nothing, then as in ADD
# ARGV: seat, "1" if it is connected, nothing, then as in ADD
ATTEND: Final = (
    BEGIN
    + ADD
    + """
if redis.call(ARGV[2] == '1' and 'SADD' or 'SREM', KEYS[2], ARGV[1]) == 0 then return 0 end
add()
return 1
"""
)


class RedisAttendance:
    """The port of attendance over Redis; safe among threads and greenlets."""

    def __init__(self, link: RedisClient, clock: Callable[[], float] = time.time) -> None:
        self._link = link
        self._clock = clock
        self._noted = dict[str, float]()

    def ask(self, app: str) -> None:
        """Log the connections of the app's games for a day from now."""
        now = self._clock()
        if abs(now - self._noted.get(app, 0.0)) > STALE:
            self._link.call("ZADD", keys.ATTENDANCE_ASKED, int(now), app)
            self._noted[app] = now

    def asked(self) -> list[str]:
        """The apps that have asked within a day; the connections of other apps are forgotten."""
        oldest = int(self._clock()) - KEPT_SECONDS
        flat = self._link.call("ZRANGE", keys.ATTENDANCE_ASKED, 0, -1, "WITHSCORES")
        asked = {app.decode(): float(at) for app, at in zip(flat[::2], flat[1::2], strict=True)}
        for app in [app for app, at in asked.items() if at <= oldest]:
            self._link.call("DEL", keys.attendees(app))
            self._link.script(RETIRE, [keys.ATTENDANCE_ASKED], [app, oldest])
            del asked[app]
        return list(asked)

    def attendees(self, app: str) -> set[tuple[str, int]]:
        """The games and seats that are connected according to the app's log."""
        found = (member.decode().split(":") for member in self._link.call("SMEMBERS", keys.attendees(app)))
        return {(game_id, int(seat)) for game_id, seat in found}

    def attend(
        self, app: str, game_id: str, seat: int, message: Message | None, *, is_connected: bool
    ) -> bool:
        """Log that a seat was connected or disconnected; without a `message` only the record changes. False if the log
        already says so.
        """
        fields = fields_of([] if message is None else [message])
        place = [keys.app_log(app), keys.attendees(app)]
        said = [f"{game_id}:{seat}", int(is_connected), "", KEPT_MESSAGES, *fields]
        return bool(self._link.script(ATTEND, place, said))
