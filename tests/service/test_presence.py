"""Presence over HTTP: seats that are connected, in views, in streamed states, and by long polls."""

from collections.abc import Generator, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import count
from typing import Any

import orjson
import pytest

from events.features.presence.presence import PACE, Presence
from events.features.presence.redis import RedisPresence
from events.runtime.settings import Settings
from events.store.link import link_to
from service.http.streaming import FRESH, NO_STATE, Broadcast, Framing, SignOfLife, server_sent_events
from tests.service.table import FIRST_MOVE, Table, json_of
from tests.support.waiting import until

STATES = Framing(states=True, presence=True)
SOON = SignOfLife(0.02)


def connected(document: Any) -> list[bool | None]:
    """The member `connected` by seat, as a view shows it; None where it is not shown."""
    return [seat.get("connected") for seat in document["seats"]]


def states(frames: Iterator[bytes]) -> Generator[tuple[int, list[bool | None]]]:
    """The states of a stream: version and who is connected."""
    for frame in frames:
        if frame.startswith(b"id: "):
            state = orjson.loads(frame.partition(b"data: ")[2])
            yield state["version"], connected(state["view"])


@pytest.fixture
def present(table: Table, settings: Settings) -> Table:
    """A game in whose process people are gone soon after they have left."""
    presence = Presence(RedisPresence(link_to(settings.redis_url or "", 5.0)), grace=0.1, in_background=False)
    return replace(table, application=replace(table.application, presence=presence))


def test_a_streamed_state_follows_who_comes_and_goes(present: Table) -> None:
    """Without a new version; and the seats of a game that is over are not shown as connected."""
    presence = present.application.presence
    with closing(presence_stream(present)) as stream:
        leave_first = presence.enter(present.id, 0)
        assert next(stream) == (2, [True, False])
        leave_second = presence.enter(present.id, 1)
        assert next(stream) == (2, [True, True])
        leave_second()
        until(lambda: told(presence, present.id) == [0])
        assert next(stream) == (2, [True, False])
        present.move(0, {"type": "resign"})
        assert next(stream)[1] == [None, None]
        leave_first()


@pytest.mark.plain
def test_signs_of_life_come_as_soon_as_they_are_told_to(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stream looks more often at who is connected, at moments that do not fit."""
    waits = list[float]()

    def waited(_: str, after: int, seconds: float) -> int:
        waits.append(seconds)
        return after

    monkeypatch.setattr(table.application.views, "wait_for", waited)
    framing, alive = Framing(states=True, presence=True), SignOfLife(PACE + 1.0)
    stream = server_sent_events(table.application, table.id, 0, NO_STATE, framing=framing, alive=alive)
    beats = [next(stream) for _ in range(4)]
    assert beats == [alive.frame, beats[1], alive.frame, alive.frame]
    assert waits == [PACE, 1.0] * 2


def test_a_state_of_those_who_come_back_has_no_name_of_the_erased(present: Table) -> None:
    """The same seats were connected at the same version before."""
    presence, moments = present.application.presence, count(0.0)
    broadcast = Broadcast(present.application, clock=lambda: next(moments) * FRESH)
    player = json_of(present.get("", 0))["seats"][1]["player_id"]
    frames = server_sent_events(
        present.application, present.id, None, NO_STATE, framing=STATES, alive=SOON, broadcast=broadcast
    )
    shown = (orjson.loads(one.partition(b"data: ")[2]) for one in frames if one.startswith(b"id: "))
    with closing(frames):
        presence.enter(present.id, 0)
        assert next(shown)["view"]["seats"][1]["player"] == "bob"
        for name in ("bob", None):
            leave = presence.enter(present.id, 1)
            came = next(shown)["view"]["seats"][1]
            assert (came["connected"], came["player"]) == (True, name)
            leave()
            until(lambda: told(presence, present.id) == [0])
            assert next(shown)["view"]["seats"][1]["connected"] is False
            if name is not None:
                present.application.erasure.erase("anonymous", player)


def told(presence: Presence, game_id: str) -> list[int] | None:
    """The seats that are connected, once the process has told and heard."""
    presence.tell()
    return presence.of(game_id)


def presence_stream(table: Table) -> Generator[tuple[int, list[bool | None]]]:
    """States of the game as a spectator's stream has them."""
    frames = server_sent_events(table.application, table.id, None, NO_STATE, framing=STATES, alive=SOON)
    return states(frames)


def test_a_stream_and_a_long_poll_of_a_seat_connect_it(public: Table) -> None:
    """A spectator's stream does not, nor does a move or a look. The past shows nothing of it."""
    public.move(0, FIRST_MOVE)
    with closing(public.get("/events", None, Accept="text/event-stream")):
        assert connected(json_of(public.get("", 1))) == [False, False]
    with closing(public.get("/events?views=true", 0, Accept="text/event-stream")):
        assert connected(json_of(public.get("", 1))) == [True, False]
    version = json_of(public.get())["version"]
    public.get("?wait=1", 1, If_None_Match=f'"{version}"')
    assert connected(json_of(public.get())) == [True, True]
    assert connected(json_of(public.get(f"?version={version}", 1))) == [None, None]
