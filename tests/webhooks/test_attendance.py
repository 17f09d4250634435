"""Attendance: apps that ask for it are told once who comes and who goes, whatever dies, and however often that is."""

import ctypes
import os
import signal
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest
import requests

from domain.lifecycle import Seat
from events.application import Application
from events.engine.command_handler import utc_now
from events.engine.new_game import NewGame
from events.features.presence.port import GRACE
from events.features.presence.presence import Presence
from events.features.presence.redis import RedisPresence
from events.features.webhooks import attendance
from events.features.webhooks.attendance import PERIOD, Attendance
from events.features.webhooks.event_types import CONNECTED, DISCONNECTED
from events.features.webhooks.redis.attendance import KEPT_SECONDS, RedisAttendance
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.store import keys
from events.store.link import link_to
from tests.service.conftest import gunicorn
from tests.service.contract import validator
from tests.service.test_fair_accepting import held
from tests.support.receiver import receiver
from tests.support.sure import sure
from tests.support.waiting import LIMIT, until
from tests.webhooks.conftest import PEOPLE, create
from tests.webhooks.sending import Sending
from tests.webhooks.test_app_events import OURS, STREAM, keys_setting, webhook_worker

TYPES = (CONNECTED, DISCONNECTED)


class Process:
    """A webhook worker's part; the time that it measures goes on when a test says so."""

    def __init__(self, engine: Application, presence: RedisPresence) -> None:
        self.moment = 0.0
        logs, games = engine.app_logs, engine.attendance._games
        self._attendance = Attendance(games, logs, presence, utc_now, lambda: self.moment)
        self.step = self._attendance.step


@pytest.fixture
def process(engine: Application, keyed: Settings) -> Callable[[], Process]:
    """Makes such processes."""
    return lambda: Process(engine, RedisPresence(link_to(keyed.redis_url or "", 5.0)))


@pytest.fixture
def web(keyed: Settings) -> Presence:
    """A web process's knowledge of who is connected; it tells when a test says so."""
    return Presence(RedisPresence(link_to(keyed.redis_url or "", 5.0)), in_background=False)


@pytest.fixture
def ended(keyed: Settings) -> Callable[[str, int], None]:
    """Ends the grace of a seat that has left: nobody tells of it any more."""
    link = link_to(keyed.redis_url or "", 5.0)
    return lambda game_id, seat: link.call("ZADD", keys.presence(game_id), 1, seat)


def told(engine: Application, app: str = "club") -> list[tuple[str, str, int]]:
    """The types of the messages about who is connected, with games and seats."""
    page = engine.app_logs.page(app, "0", 100, TYPES)
    return [(one.message.type, one.message.game_id, one.message.data["seat"]) for one in page.messages]


def test_an_app_that_names_these_events_gets_each_of_them_once(
    engine: Application, web: Presence, process: Callable[[], Process], ended: Callable[[str, int], None]
) -> None:
    """Two processes tell, one after a death of the other; an app that names no such event gets none."""
    game_id, _ = create(engine)
    assert engine.app_logs.page("club", "0", 10).messages == []
    leave = web.enter(game_id, 1)
    one, other = process(), process()
    assert one.step() == []  # nobody has asked
    assert told(engine) == []
    assert (one.step(), other.step()) == (["club"], [])
    assert told(engine) == [(CONNECTED, game_id, 1)]
    for _ in range(10_000):
        web.enter(game_id, 1)()
    assert other.step() == one.step() == []
    leave()
    assert other.step() == []
    ended(game_id, 1)
    assert (process().step(), one.step()) == (["club"], [])
    assert told(engine) == [(CONNECTED, game_id, 1), (DISCONNECTED, game_id, 1)]
    (first, _) = engine.app_logs.page("club", "0", 9, TYPES).messages
    assert first.message.data | {"version": 2} == first.message.data
    assert engine.app_logs.page("club", "0", 10).messages == []
    assert engine.app_logs.page("other", "0", 10, TYPES).messages == []


def test_games_that_are_over_or_not_the_apps_are_not_told_of(
    engine: Application,
    keyed: Settings,
    web: Presence,
    process: Callable[[], Process],
    ended: Callable[[str, int], None],
) -> None:
    """Other apps' games; a game that is over; private games, where every caller is the same app."""
    told(engine)
    theirs, _ = create(engine, "other")
    over, _ = create(engine)
    engine.moves.play(over, 0, {"type": "resign"})
    for game in (theirs, over):
        web.enter(game, 0)
    assert process().step() == []
    everybody = bootstrap.application(replace(keyed, app_keys={}))
    told(everybody, "anonymous")
    hidden, _ = create(everybody, "anonymous", visibility="private")
    web.enter(hidden, 0)
    assert process().step() == []
    assert told(everybody, "anonymous") == []
    for game in (hidden, over):
        ended(game, 0)
    assert process().step() == []
    assert engine.app_logs.attendance.attendees("club") == set()


def test_a_store_that_has_forgotten_all_makes_nobody_leave(
    engine: Application, keyed: Settings, web: Presence, process: Callable[[], Process]
) -> None:
    """Somebody who is there is told of again within the grace; somebody who is not has left."""
    told(engine)
    game_id, _ = create(engine)
    for seat in (0, 1):
        web.enter(game_id, seat)
    worker = process()
    worker.step()
    link_to(keyed.redis_url or "", 5.0).call("DEL", keys.presence(game_id), keys.ATTENDED)
    assert worker.step() == []
    web = Presence(RedisPresence(link_to(keyed.redis_url or "", 5.0)), in_background=False)
    web.enter(game_id, 0)
    worker.moment += GRACE - 1.0
    assert worker.step() == []
    worker.moment += 1.0
    assert worker.step() == ["club"]
    assert told(engine)[2:] == [(DISCONNECTED, game_id, 1)]


def test_an_app_gets_so_many_in_a_minute(
    engine: Application,
    web: Presence,
    process: Callable[[], Process],
    ended: Callable[[str, int], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The others come in the next one; who has come and gone meanwhile is not told of."""
    monkeypatch.setattr(attendance, "MOST", 3)
    told(engine)
    games = [create(engine)[0] for _ in range(3)]
    there = {(game, seat) for game in games for seat in (0, 1)}
    for game, seat in there:
        web.enter(game, seat)
    worker = process()
    worker.step()
    worker.moment += PERIOD - 1.0
    worker.step()
    known = {(game, seat) for _, game, seat in told(engine)}
    assert len(known) == len(told(engine)) == 3
    missed = min(there - known)
    ended(*missed)
    worker.moment += 1.0
    worker.step()
    assert {(game, seat) for _, game, seat in told(engine)} == there - {missed}


def test_a_day_after_the_last_question_nothing_is_told_or_kept(
    engine: Application, keyed: Settings, web: Presence, process: Callable[[], Process]
) -> None:
    """Also where clocks differ by hours; whoever asks again then hears first who is there."""
    link, now = link_to(keyed.redis_url or "", 5.0), [1e9]
    engine.app_logs._attendance = RedisAttendance(link, lambda: now[0])
    told(engine)
    game_id, _ = create(engine)
    web.enter(game_id, 0)
    assert process().step() == ["club"]
    now[0] += 7200.0
    assert process().step() == []
    now[0] += KEPT_SECONDS
    assert process().step() == []
    assert link.call("EXISTS", keys.ATTENDANCE_ASKED, keys.attendees("club")) == 0
    told(engine)
    assert process().step() == ["club"]
    assert told(engine) == [(CONNECTED, game_id, 0)] * 2


@pytest.fixture
def keyed(keyed: Settings) -> Settings:
    """Settings under which receivers on this machine may be called."""
    return replace(keyed, remote_allow=("127.0.0.0/8",))


def test_a_webhook_that_names_them_gets_them(
    engine: Application, web: Presence, process: Callable[[], Process], sending: Sending
) -> None:
    """With the game as it is, and no events, for nothing has happened in it; another webhook gets everything else."""
    with receiver() as server, receiver() as usual:
        engine.webhooks.create("club", server.url, TYPES, "", None, None)
        engine.webhooks.create("club", usual.url, (), "", None, None)
        game_id = engine.creation.create("club", NewGame(seats=(*PEOPLE[:1], Seat("open")))).snapshot.game_id
        worker = process()
        web.enter(game_id, 0)
        sending.until(engine.app_logs.attendance.asked)
        assert worker.step() == ["club"]
        sending.passes(0.0)
        sending.until(lambda: server.of_game(game_id) and usual.of_game(game_id))
    (got,) = server.of_game(game_id)
    assert (got["type"], got["data"]["seat"], got["data"]["events"]) == (CONNECTED, 0, [])
    validator({"$ref": "#/components/schemas/WebhookMessage"}).validate(got)
    assert {one["type"] for one in usual.of_game(game_id)} == {"game.created"}


ATTACH_FILTER: Final = 26  # SO_ATTACH_FILTER of Linux
DROP_ALL: Final = struct.pack("HBBI", 0x06, 0, 0, 0)  # a program of Berkeley packet filters: return 0


def lose_network(connection: socket.socket) -> None:
    """Let nothing of the other side arrive any more, and so confirm nothing: neither an end nor a reset is sent."""
    program = ctypes.create_string_buffer(DROP_ALL)
    connection.setsockopt(
        socket.SOL_SOCKET, ATTACH_FILTER, struct.pack("HxxxxxxP", 1, ctypes.addressof(program))
    )


@pytest.mark.skipif(sys.platform != "linux", reason="the filter is one of Linux")
def test_a_web_process_is_killed_and_a_network_is_lost(
    engine: Application, redis_url: str, tmp_path: Path
) -> None:
    """A seat with another tab at another process has not left; of the other one it is told once. A seat has left, too,
    whose connection is open and leads nowhere.
    """
    log, environ = tmp_path / "log", {"MIGRATO_APP_KEYS": keys_setting()}
    game_id, tokens = create(engine)
    both = {"MIGRATO_WEB_STANDBY": "0", "MIGRATO_STREAM_HEARTBEAT": "1"}
    service = {"application": "tests.webhooks.hasty:service()", **both, **environ}
    with (
        webhook_worker(redis_url, tmp_path / "worker"),
        gunicorn(redis_url, log, **service) as address,
        ExitStack() as tabs,
    ):
        port = urlsplit(address).port or 0

        def opens(seat: int) -> bool:
            """One more tab of the seat."""
            at, own = f"{address}/v1/games/{game_id}/events", {"Authorization": f"Bearer {tokens[seat]}"}
            stream = requests.get(at, headers=own | STREAM, stream=True, timeout=LIMIT)
            tabs.enter_context(closing(stream))
            connections.append(sure(sure(stream.raw.connection).sock))
            frames = stream.iter_content(1)
            reading.append(frames)  # requests closes a stream that nobody reads any more
            return bool(next(frames))

        def seen() -> list[tuple[str, int]]:
            asked = f"{address}/v1/events?types={CONNECTED},{DISCONNECTED}"
            events = requests.get(asked, headers=OURS, timeout=LIMIT).json()["events"]
            return [(one["type"], one["data"]["seat"]) for one in events]

        reading, connections = list[Iterator[bytes]](), list[socket.socket]()
        assert seen() == []
        until(lambda: opens(0) and len(held(port)) == 2 and all(held(port).values()), otherwise=log.read_text)
        before = held(port)
        opens(1)
        until(lambda: sum(held(port).values()) == sum(before.values()) + 1)
        (serving,) = [pid for pid, count in held(port).items() if count > before[pid]]
        until(lambda: sorted(seen()) == [(CONNECTED, 0), (CONNECTED, 1)], otherwise=log.read_text)
        os.kill(serving, signal.SIGKILL)
        until(lambda: (DISCONNECTED, 1) in seen(), otherwise=log.read_text)
        for connection in connections:
            lose_network(connection)
        until(lambda: (DISCONNECTED, 0) in seen(), otherwise=log.read_text)
        assert seen()[2:] == [(DISCONNECTED, 1), (DISCONNECTED, 0)]
