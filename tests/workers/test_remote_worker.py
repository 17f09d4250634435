"""`python -m workers remote`: many calls at once, whatever happens to the process."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Event

import gevent  # type: ignore[import-untyped]
import pytest
from redis import Redis
from rq.timeouts import JobTimeoutException

from domain.lifecycle import Seat
from events.games.new_game import NewGame
from events.runtime.settings import Settings
from events.use_cases.application import Application
from tests.workers.bot_server import ENDLESS, Script, answer, be_silent, bot_server, say
from tests.workers.test_main import start
from workers.job_queue.queue import JobQueue
from workers.remote import worker
from workers.remote.fair_queue import FAILURES, lane_of
from workers.remote.watchdog import STUCK_AFTER
from workers.remote.worker import GreenletTimeLimit, host_of

PATIENCE = 30.0  # seconds; a second or two on a machine that is not busy


@pytest.fixture
def settings(redis_url: str) -> Settings:
    """Settings of an operator who allows bots on this machine."""
    return Settings(redis_url=redis_url, queue_url=redis_url, remote_allow=("127.0.0.1", "localhost"))


@contextmanager
def at_work(role: str, settings: Settings, **environ: str) -> Iterator[subprocess.Popen[str]]:
    """A worker process."""
    ours = {
        "MIGRATO_REDIS_URL": str(settings.redis_url),
        "MIGRATO_REMOTE_ALLOW": ",".join(settings.remote_allow),
    }
    process = start(role, **ours, **environ)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert "working" in line or "dispatching" in line or "wait for a bot" in line, line
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@contextmanager
def engine(settings: Settings, **environ: str) -> Iterator[None]:
    """All the workers that there are, one of each."""
    with ExitStack() as processes:
        for role in ("dispatch", "work", "remote"):
            processes.enter_context(at_work(role, settings, **environ))
        yield


EXCHANGE = b'{"move": {"type": "exchange"}}'


def exchanging(thought: float | Event) -> Script:
    """A bot that takes so many seconds, or until it has thought, and knows one move that always ends a turn."""

    def script(connection: socket.socket) -> None:
        if isinstance(thought, Event):
            thought.wait(60)
        else:
            time.sleep(thought)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(EXCHANGE), EXCHANGE))

    return script


def be_silent_for_good(connection: socket.socket) -> None:
    """Holds on to the connection, whoever else does not."""
    be_silent(connection)
    time.sleep(60)


SPIN = "tests.workers.hanging.spin"


def remote_game(application: Application, url: str, app: str = "club") -> str:
    """A game of a remote bot, which begins, against a human."""
    new = NewGame(seats=(Seat("remote"), Seat("human")), remotes={0: (url, None)})
    return application.creation.create(app, new).snapshot.game_id


def until(question: Callable[[], bool], seconds: float) -> float:
    """Wait for a yes; how long that took."""
    began = time.monotonic()
    while not question():
        assert time.monotonic() - began < seconds
        time.sleep(0.02)
    return time.monotonic() - began


def types(application: Application, game_id: str) -> list[str]:
    """What has happened in a game after its beginning."""
    return [event.type for event in application.views.history(game_id, 2)]


def test_the_time_limit_of_a_job_hits_that_job_alone() -> None:
    """Where others wait at the same time."""

    def job(limit: float) -> str:
        try:
            with GreenletTimeLimit(limit, JobTimeoutException):  # type: ignore[no-untyped-call]
                gevent.sleep(0.2)
        except JobTimeoutException:
            return "interrupted"
        return "done"

    jobs = [gevent.spawn(job, limit) for limit in (0.05, 10)]
    gevent.joinall(jobs)
    assert [job.value for job in jobs] == ["interrupted", "done"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_is_quick_and_clean(settings: Settings, number: signal.Signals) -> None:
    with at_work("remote", settings) as process:
        process.send_signal(number)
        text = process.communicate(timeout=30)[0]
        assert (process.returncode, "Traceback" in text) == (0, False)


def test_a_stop_leaves_calls_time_to_end(settings: Settings, application: Application) -> None:
    """This one had to look a name up, too."""
    with bot_server(exchanging(1.0)) as server, at_work("dispatch", settings):
        with at_work("remote", settings) as process:
            game_id = remote_game(application, f"http://localhost:{server.port}/")
            until(lambda: len(server.received) == 1, PATIENCE)
            process.send_signal(signal.SIGTERM)
            assert process.wait(30) == 0
        assert types(application, game_id) == ["hand_exchanged", "cards_drawn"]


def test_a_hundred_slow_bots_hold_nobody_up(settings: Settings, application: Application) -> None:
    """They think at the same time; a quick remote bot and a game of our own bots go on meanwhile."""
    thought = Event()
    with (
        bot_server(exchanging(thought)) as slow,
        bot_server(exchanging(0.0)) as quick,
        engine(settings, MIGRATO_REMOTE_SECONDS="60"),
    ):
        games = [remote_game(application, slow.url) for _ in range(100)]
        until(lambda: len(slow.received) == 100, PATIENCE)
        one = remote_game(application, quick.url)
        bots = (Seat("bot", bot="greedy"),) * 2
        ours = application.creation.create("club", NewGame(seats=bots)).snapshot.game_id
        until(lambda: bool(types(application, one)), PATIENCE)
        until(lambda: application.views.snapshot(ours).version > 20, PATIENCE)
        assert not any(types(application, game_id) for game_id in games)
        thought.set()
        until(lambda: all(types(application, game_id) for game_id in games), PATIENCE)
        for game_id in [*games, one]:
            assert types(application, game_id) == ["hand_exchanged", "cards_drawn"]


def test_more_slow_bots_than_calls_wait_for_their_turn(settings: Settings, application: Application) -> None:
    with bot_server(exchanging(0.3)) as slow, engine(settings, MIGRATO_REMOTE_CALLS="2"):
        games = [remote_game(application, slow.url) for _ in range(8)]
        until(lambda: all(types(application, game_id) for game_id in games), PATIENCE)
        assert {tuple(types(application, game_id)) for game_id in games} == {
            ("hand_exchanged", "cards_drawn")
        }
        assert slow.at[7] - slow.at[0] >= 0.9


def test_a_worker_may_be_killed_in_the_middle_of_a_call(settings: Settings, application: Application) -> None:
    """The bot is asked again by the next one, with the same identity, and its answer is played once."""
    thought = Event()
    with bot_server(exchanging(thought)) as server, at_work("dispatch", settings):
        with at_work("remote", settings) as process:
            game_id = remote_game(application, server.url)
            until(lambda: len(server.received) == 1, PATIENCE)
            os.kill(process.pid, signal.SIGKILL)
        with at_work("remote", settings, MIGRATO_REMOTE_SECONDS="60"):
            until(lambda: len(server.received) == 2, PATIENCE)
            thought.set()
            until(lambda: bool(types(application, game_id)), PATIENCE)
        assert types(application, game_id) == ["hand_exchanged", "cards_drawn"]
        assert {asked.headers["webhook-id"] for asked in server.received} == {f"{game_id}-2"}


def test_bots_that_never_end_hold_nobody_up(settings: Settings, application: Application) -> None:
    """One game for each kind of endless answer, of which the next part is always there; and a good bot's."""
    with ExitStack() as servers, engine(settings):
        bad = [servers.enter_context(bot_server(script)) for script in ENDLESS.values()]
        good = servers.enter_context(bot_server(exchanging(0.0)))
        games = [remote_game(application, server.url) for server in bad]
        until(lambda: all(server.received for server in bad), PATIENCE)
        for _ in range(3):
            one = remote_game(application, good.url)
            until(lambda one=one: bool(types(application, one)), PATIENCE)  # type: ignore[misc]
            assert types(application, one) == ["hand_exchanged", "cards_drawn"]
        until(lambda: all(types(application, game_id) for game_id in games), PATIENCE)
        chosen = [application.views.history(game_id, 2)[0].data for game_id in games]
        assert {data["fallback"] for data in chosen} == {"bad-answer"}


def test_a_worker_whose_loop_is_stuck_is_ended(
    settings: Settings, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From outside of the loop, with a traceback; the calls that it made are made again by the one that replaces it."""
    thought, queue = Event(), JobQueue(Redis.from_url(str(settings.queue_url)))
    with bot_server(exchanging(thought)) as server, at_work("dispatch", settings):
        with at_work("remote", settings, MIGRATO_REMOTE_SECONDS="60") as process:
            game_id = remote_game(application, server.url)
            until(lambda: len(server.received) == 1, PATIENCE)
            queue.remote.enqueue_call(SPIN, args=["2epPYkrvB6K2mBjFE6M6hT", 9], timeout=1)
            text = process.communicate(timeout=6 * STUCK_AFTER)[0]
            assert process.returncode == 1
            assert f"has not turned for {STUCK_AFTER} seconds" in text
            assert "in spin" in text
        with at_work("remote", settings, MIGRATO_REMOTE_SECONDS="60"):
            until(lambda: len(server.received) == 2, PATIENCE)
            thought.set()
            until(lambda: bool(types(application, game_id)), PATIENCE)
        assert types(application, game_id) == ["hand_exchanged", "cards_drawn"]
        assert {asked.headers["webhook-id"] for asked in server.received} == {f"{game_id}-2"}


def test_a_good_bot_is_asked_at_once_however_many_silent_ones_another_app_has(
    settings: Settings, application: Application
) -> None:
    """Calls for all of those would take a minute."""
    with (
        bot_server(be_silent_for_good) as silent,
        bot_server(exchanging(0.0)) as quick,
        engine(settings, MIGRATO_REMOTE_CALLS="20", MIGRATO_REMOTE_SECONDS="30"),
    ):
        many = [remote_game(application, silent.url, app="many") for _ in range(60)]
        until(lambda: len(silent.received) >= 10, PATIENCE)
        asked = len(silent.received)
        for _ in range(3):
            one = remote_game(application, quick.url, app="one")
            until(lambda one=one: bool(types(application, one)), PATIENCE)  # type: ignore[misc]
            assert types(application, one) == ["hand_exchanged", "cards_drawn"]
        assert asked <= len(silent.received) < 20
        assert not any(types(application, game_id) for game_id in many[:10])


def test_a_bot_that_stays_silent_is_called_less_often(settings: Settings, application: Application) -> None:
    """Its games go on; what moves in its place says why. An answer brings it back."""
    answering = Event()

    def script(connection: socket.socket) -> None:
        if answering.is_set():
            exchanging(0.0)(connection)
        else:
            be_silent_for_good(connection)

    with bot_server(script) as server, engine(settings, MIGRATO_REMOTE_SECONDS="0.5"):
        games = [remote_game(application, server.url) for _ in range(FAILURES)]
        until(lambda: all(types(application, game_id) for game_id in games), PATIENCE)
        later = [remote_game(application, server.url) for _ in range(4)]
        until(lambda: all(types(application, game_id) for game_id in later), PATIENCE)
        whys = [application.views.history(game_id, 2)[0].data["fallback"] for game_id in [*games, *later]]
        assert whys[:FAILURES] == ["timeout"] * FAILURES
        assert "suspended" in whys
        answering.set()
        until(lambda: answers(application, remote_game(application, server.url)), PATIENCE)


def test_a_log_may_tell_a_bots_host_and_no_more(
    application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the bot that is meant, whoever is to move by now; and nothing where that is not known."""
    monkeypatch.setattr(worker, "application", lambda: application)
    urls = [f"http://{host}:8443/path?secret" for host in ("127.0.0.1", "localhost")]
    new = NewGame(
        seats=(Seat("remote"), Seat("remote")), remotes={n: (url, None) for n, url in enumerate(urls)}
    )
    game_id = application.creation.create("club", new).snapshot.game_id
    hosts = [host_of(f"remote-{game_id}-2", lane_of("club", url)) for url in urls]
    assert hosts == ["127.0.0.1", "localhost"]
    assert host_of("remote", lane_of("club", urls[0])) == "a host that is not known any more"
    assert host_of(f"remote-{game_id}-2", lane_of("other", urls[0])) == "a host that is not known any more"


def answers(application: Application, game_id: str) -> bool:
    """Whether the remote bot moves in that game, or another one in its place."""
    until(lambda: bool(types(application, game_id)), PATIENCE)
    return types(application, game_id) == ["hand_exchanged", "cards_drawn"]


def test_what_bots_say_and_where_they_are_is_not_logged(settings: Settings, application: Application) -> None:
    """Not even where everything is."""
    hidden = b'{"move": "hidden"}'
    scripts = (
        say(b"HTTP/1.1 hidden\r\n\r\n"),
        say(b"HTTP/1.1 200 OK\r\nhidden hidden\r\n\r\n"),
        answer(hidden),
    )
    with ExitStack() as servers, at_work("dispatch", settings):
        urls = [f"{servers.enter_context(bot_server(script)).url}/hidden" for script in scripts]
        with at_work("remote", settings, MIGRATO_LOG_LEVEL="debug", MIGRATO_REMOTE_SECONDS="0.5") as process:
            games = [remote_game(application, url) for url in urls]
            until(lambda: all(types(application, game_id) for game_id in games), PATIENCE)
            process.send_signal(signal.SIGTERM)
            text = process.communicate(timeout=30)[0]
    assert games[0] in text
    assert not any(word in text for word in ("hidden", "whsec_", "webhook", "127.0.0.1:"))
