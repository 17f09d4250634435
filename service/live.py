"""Waiting for what a game does next: long polls, and streams of server-sent events."""

import logging
import time
from collections.abc import Callable, Iterator

import orjson

from domain.lifecycle import Json, Viewer
from events.application import Application
from events.errors import StoreUnavailable
from events.state_cache import Snapshot
from service.reading import EntityTags

log = logging.getLogger("migrato.service")

PAGE = 100  # events read at once by a stream
HEARTBEAT = 15  # seconds of silence before a comment
STORE_PAUSE = 2  # seconds before a stream asks a silent store again
STILL_HERE = b": still here\n\n"
END = b"event: end\ndata: {}\n\n"  # no id: it is no event of the game


def when_changed(application: Application, snapshot: Snapshot, known: EntityTags, seconds: int) -> Snapshot:
    """The game once it has another version than the caller knows, or as it is when the time is up."""
    if seconds == 0 or snapshot.is_settled or not known.matches(snapshot.version):
        return snapshot
    application.wait_for(snapshot.game_id, snapshot.version, seconds)
    return application.snapshot(snapshot.game_id)


def when_longer(application: Application, snapshot: Snapshot, after: int, seconds: int) -> Snapshot:
    """The game once it has an event after version `after`, or as it is when the time is up."""
    if seconds == 0 or snapshot.is_settled or snapshot.version > after:
        return snapshot
    application.wait_for(snapshot.game_id, after, seconds)
    return application.snapshot(snapshot.game_id)


def visible_events(
    application: Application, snapshot: Snapshot, viewer: Viewer, after: int, limit: int, whole: bool = False
) -> list[Json]:
    """The events after a version as the viewer may see them, none of them later than the snapshot."""
    return application.visible_events(snapshot, viewer, after, limit, whole=whole)


def server_sent_events(
    application: Application,
    game_id: str,
    viewer: Viewer,
    after: int,
    pause: Callable[[float], None] = time.sleep,
) -> Iterator[bytes]:
    """The game's events as frames, from those that are there to the last that will ever be; then one `end` frame.

    A store that does not answer does not end the stream: the caller's EventSource would take that for final.
    """
    yield STILL_HERE  # sends the headers at once
    while True:
        try:
            snapshot = application.snapshot(game_id)
            for event in visible_events(application, snapshot, viewer, after, PAGE):
                after = event["version"]
                yield frame(event)
            if after < snapshot.version:
                continue
            if snapshot.is_settled:
                yield END
                return
            if application.wait_for(game_id, after, HEARTBEAT) <= after:
                yield STILL_HERE
        except StoreUnavailable as error:
            log.warning("a stream waits for the store: %s", error.reason)
            yield STILL_HERE
            pause(STORE_PAUSE)


def frame(event: Json) -> bytes:
    """One event as a server-sent event."""
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (
        event["version"],
        event["type"].encode(),
        orjson.dumps(event),
    )
