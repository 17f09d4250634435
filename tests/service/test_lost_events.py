"""Streams from a store that comes back without its last second, as after a failover."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from events.runtime.settings import Settings
from events.store.connections.client import RedisClient
from events.store.link import link_to
from service.http import streaming
from service.http.streaming import Broadcast, SignOfLife, server_sent_events
from tests.service.table import FIRST_MOVE, SECOND_MOVE, Json, Table
from tests.service.test_streams import STREAM, ids

OTHER_MOVE: Json = {"type": "play", "card": "G4n", "slot": None, "discard": "HUN"}


@contextmanager
def losing(table: Table, link: RedisClient) -> Iterator[None]:
    """The store loses at the end all that it is given meanwhile."""
    dumped = {key: link.call("DUMP", key) for key in link.call("KEYS", "*")}
    before = {
        key: value for key, value in dumped.items() if value is not None
    }  # a sign of life may end meanwhile
    yield
    for key in link.call("KEYS", "*"):
        link.call("DEL", key)
    for key, value in before.items():
        link.call("RESTORE", key, 0, value)
    assert table.get("/events", 0).status_code == 200


@pytest.fixture
def link(settings: Settings) -> RedisClient:
    """A way to the store."""
    assert settings.redis_url is not None
    return link_to(settings.redis_url, 5.0)


def test_nobody_is_told_what_is_lost(table: Table, link: RedisClient) -> None:
    """No caller is told of an event after the store has lost it; others may have been told before."""
    broadcast = Broadcast(table.application)
    watcher = server_sent_events(table.application, table.id, None, 2, broadcast=broadcast)
    next(watcher)
    with losing(table, link):
        table.move(0, FIRST_MOVE)
        assert ids(next(watcher)) == [3, 4, 5]
        table.move(1, SECOND_MOVE)
        assert ids(next(watcher)) == [6, 7, 8]
    streams = [
        server_sent_events(table.application, table.id, viewer, 2, broadcast=broadcast)
        for viewer in (None, 1)
    ]
    assert [next(stream) for stream in streams] == [streaming.STILL_HERE] * 2
    assert table.move(0, OTHER_MOVE).status_code == 201
    for stream in streams:
        told = next(stream)
        assert ids(told) == [3, 4, 5]
        assert table.log()[2][2].encode() in told
    table.move(1, SECOND_MOVE)
    for stream in streams:
        assert ids(next(stream)) == [6, 7, 8]


def test_a_page_that_is_kept_is_of_the_game_as_it_is(table: Table, link: RedisClient) -> None:
    """Also where the game is as long again as it was."""
    clock = [0.0]
    broadcast = Broadcast(table.application, clock=lambda: clock[0])
    with losing(table, link):
        table.move(0, FIRST_MOVE)
        lost = broadcast.page(table.id, None, 2, None)
    table.move(0, OTHER_MOVE)
    clock[0] += streaming.FRESH
    page = broadcast.page(table.id, None, 2, 5)
    assert page.version == lost.version
    assert table.log()[-1][2] == page.head != lost.head


@pytest.mark.parametrize("moves", [0, 1, 2, 3])
def test_those_who_were_told_are_told_no_more(
    table: Table, link: RedisClient, monkeypatch: pytest.MonkeyPatch, moves: int
) -> None:
    """The stream ends, without the frame that says so: whether the game is shorter now, as long, or longer."""
    monkeypatch.setattr(streaming, "FRESH", 0.0)
    stream = server_sent_events(table.application, table.id, None, 2, alive=SignOfLife(0.02))
    with losing(table, link):
        next(stream)
        table.move(0, FIRST_MOVE)
        assert ids(next(stream)) == [3, 4, 5]
    for seat, move in [(0, OTHER_MOVE), (1, SECOND_MOVE), (0, {"type": "resign"})][:moves]:
        assert table.move(seat, move).status_code == 201
    if moves == 1:  # nothing is different yet for whom only the game's length is known
        assert next(stream) == streaming.STILL_HERE
        table.move(1, SECOND_MOVE)
    assert set(stream) <= {streaming.STILL_HERE}
    seen = {"Last_Event_ID": str(table.log()[-1][0] + 1), **STREAM}
    assert table.get("/events", None, **seen).status_code == 404


def test_streams_of_a_game_that_is_gone_end(table: Table, link: RedisClient) -> None:
    stream = server_sent_events(table.application, table.id, None, 0, alive=SignOfLife(0.02))
    assert (next(stream), ids(next(stream))) == (streaming.STILL_HERE, [1, 2])
    link.call("FLUSHALL")
    assert set(stream) <= {streaming.STILL_HERE}


@pytest.mark.plain
def test_a_history_that_changes_while_it_is_read(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """The stream looks again after a pause, and tells nothing meanwhile."""
    table.move(0, FIRST_MOVE)
    pauses: list[float] = []
    stream = server_sent_events(table.application, table.id, None, 2, pauses.append)
    next(stream)
    visible = table.application.views.visible_events
    for found in (0, 1, 2):

        def cut(*asked: Any, found: int = found, **more: Any) -> list[Json]:
            return visible(*asked, **more)[:found]

        with monkeypatch.context() as changing:
            changing.setattr(table.application.views, "visible_events", cut)
            assert [next(stream) for _ in range(3)] == [streaming.STILL_HERE] * 3
    assert ids(next(stream)) == [3, 4, 5]
    assert pauses == [streaming.STORE_PAUSE] * 9
