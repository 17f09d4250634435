"""An app's events as a stream of server-sent events."""

import logging
import time
from collections.abc import Callable, Collection, Generator
from typing import Final

import orjson

from domain.lifecycle import Json
from events.errors import Busy, CursorExpired, StoreUnavailable, Unauthorized
from events.features.webhooks.app_logs import AppLogs
from events.warning_throttle import WarningThrottle
from service.http.streaming import COMMENT, STORE_PAUSE, STREAMS_WAIT, SignOfLife

log = logging.getLogger("migrato.streaming")

PAGE: Final = 100  # events that are read together


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
    alive: SignOfLife = COMMENT,
) -> Generator[bytes, None, None]:
    """The app's events as frames, until the client leaves.

    The stream goes on while the store does not answer. It ends if later events are gone, or if `confirm` raises
    Unauthorized because the app's key is void. A client that connects again then gets the reason.
    """
    warnings = warnings or WarningThrottle(log)
    yield alive.frame  # sends the headers at once
    while True:
        try:
            confirm()
            page = logs.page(app, after, PAGE, types)
            warnings.over(STREAMS_WAIT, "streams wait for the store no more")
            if page.messages:
                yield b"".join(
                    [frame(document, named=named) for document in logs.documents(app, page.messages)]
                )
            is_moved, after = page.next != after, page.next
            if not is_moved and not logs.wait(app, after, alive.seconds):
                yield alive.frame
        except (CursorExpired, Unauthorized):
            return
        except (StoreUnavailable, Busy) as error:
            reason = error.reason if isinstance(error, StoreUnavailable) else error.detail
            warnings.warning(STREAMS_WAIT, reason)
            yield alive.frame
            pause(STORE_PAUSE)


def frame(document: Json, *, named: bool) -> bytes:
    """An event as a server-sent event; without a name it is a `message` in a browser."""
    name = b"event: %s\n" % document["type"].encode() if named else b""
    return b"id: %s\n%sdata: %s\n\n" % (document["id"].encode(), name, orjson.dumps(document))
