"""An app's events as a stream of server-sent events."""

import logging
import time
from collections.abc import Callable, Collection, Iterator
from typing import Final

import orjson

from events.errors import Busy, CursorExpired, StoreUnavailable, Unauthorized
from events.use_cases.webhooks.app_logs import AppLogs
from events.use_cases.webhooks.messages import LoggedMessage
from events.warning_throttle import WarningThrottle
from service.http.streaming import HEARTBEAT, STILL_HERE, STORE_PAUSE, STREAMS_WAIT

log = logging.getLogger("migrato.streaming")

PAGE: Final = 100  # events that are read at once


def stream(
    logs: AppLogs,
    app: str,
    after: str,
    types: Collection[str] | None,
    *,
    named: bool = True,
    confirm: Callable[[], object] = lambda: None,
    warnings: WarningThrottle | None = None,
    pause: Callable[[float], None] = time.sleep,
) -> Iterator[bytes]:
    """The app's events as frames, for as long as somebody reads them.

    A store that does not answer does not end the stream. It ends where events that follow are kept no more, and once
    `confirm` raises Unauthorized, for the app's key is good no more: who comes again is told so.
    """
    warnings = warnings or WarningThrottle(log)
    yield STILL_HERE  # sends the headers at once
    while True:
        try:
            confirm()
            page = logs.page(app, after, PAGE, types)
            warnings.over(STREAMS_WAIT, "streams wait for the store no more")
            if page.messages:
                yield b"".join([frame(logged, named=named) for logged in page.messages])
            is_moved, after = page.next != after, page.next
            if not is_moved and not logs.wait(app, after, HEARTBEAT):
                yield STILL_HERE
        except (CursorExpired, Unauthorized):
            return
        except (StoreUnavailable, Busy) as error:
            reason = error.reason if isinstance(error, StoreUnavailable) else error.detail
            warnings.warning(STREAMS_WAIT, reason)
            yield STILL_HERE
            pause(STORE_PAUSE)


def frame(logged: LoggedMessage, *, named: bool) -> bytes:
    """An event as a server-sent event; without a name it is a `message` in a browser."""
    name = b"event: %s\n" % logged.message.type.encode() if named else b""
    return b"id: %s\n%sdata: %s\n\n" % (logged.id.encode(), name, orjson.dumps(logged.document()))
