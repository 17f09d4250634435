"""`python -m workers remote`: many calls at once, whatever happens to the process."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from threading import Barrier, Event, Lock

import gevent  # type: ignore[import-untyped]
import pytest
from redis import Redis
from rq.timeouts import JobTimeoutException

from domain.lifecycle import Seat
from events.application import Application
from events.engine.access import Caller
from events.engine.new_game import NewGame
from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from tests.support.bot_server import ENDLESS, Script, answer, bot_server, say
from tests.support.running import ROOT, clean_environment
from tests.support.waiting import LIMIT, until
from tests.workers.conftest import BOTS
from workers.job_queue.queue import JobQueue
from workers.remote import worker
from workers.remote.fair_queue import FAILURES, lane_of
from workers.remote.worker import GreenletTimeLimit, host_of

LOCAL = ("127.0.0.1", "localhost")
READY = ("working", "dispatching", "wait for a bot")
NUMBERS = count()
SPIN = "tests.workers.hanging.spin"


@pytest.fixture(scope="module")
def settings() -> Iterator[Settings]:
    """Settings of an operator who allows bots on this machine, on a server of these tests' own."""
    with EmbeddedServer(None) as server:
        yield Settings(redis_url=server.url, queue_url=server.url, remote_allow=LOCAL)


@pytest.fixture(scope="module")
def application(settings: Settings) -> Application:
    return bootstrap.application(settings)


class Worker:
    """A worker process with a log."""

    def __init__(self, role: str, settings: Settings, log: Path, module: str, **environ: str) -> None:
        self._log = log
        ours = {
            "MIGRATO_REDIS_URL": str(settings.redis_url),
            "MIGRATO_REMOTE_ALLOW": ",".join(settings.remote_allow),
            "MIGRATO_REMOTE_SECONDS": "60",
        }
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", module, role],
                cwd=ROOT,
                env=clean_environment(ours | environ),
                stdout=output,
                stderr=output,
            )

    @property
    def text(self) -> str:
        return self._log.read_text()

    def stops_cleanly(self, number: signal.Signals) -> bool:
        """True if it ends after that signal, with exit code 0 and no traceback."""
        self.process.send_signal(number)
        return (self.process.wait(LIMIT), "Traceback" in self.text) == (0, False)


@contextmanager
def at_work(
    role: str, settings: Settings, place: Path, module: str = "workers", **environ: str
) -> Iterator[Worker]:
    """A worker process that has begun, with its log in a file there."""
    worker = Worker(role, settings, place / f"{role}-{next(NUMBERS)}.log", module, **environ)
    try:
        until(lambda: any(words in worker.text for words in READY), otherwise=lambda: worker.text)
        yield worker
    finally:
        worker.process.kill()
        worker.process.wait()


@pytest.fixture(scope="module")
def place(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A directory for logs, while all workers are at work but the remote one."""
    place = tmp_path_factory.mktemp("remote")
    with at_work("dispatch", settings, place), at_work("work", settings, place):
        yield place


EXCHANGE = answer({"move": {"type": "exchange"}})  # a move that always ends a turn
EXCHANGED = ["hand_exchanged", "cards_drawn"]


def exchanging(thought: Event) -> Script:
    """A bot that exchanges once it has thought."""

    def script(connection: socket.socket) -> None:
        thought.wait(LIMIT)
        EXCHANGE(connection)

    return script


def remote_game(application: Application, url: str, app: str = "club") -> str:
    """A game of a remote bot, which begins, against a human."""
    new = NewGame(seats=(Seat("remote"), Seat("human")), remotes={0: (url, None)})
    return application.creation.create(app, new).snapshot.game_id


def types(application: Application, game_id: str) -> list[str]:
    return [event.type for event in application.views.history(game_id, 2)]


def wait_for_moves(application: Application, *games: str) -> None:
    """Wait until a move has been made in each of the games."""
    until(lambda: all(types(application, game_id) for game_id in games))


def fallbacks(application: Application, games: list[str]) -> list[str]:
    """The reason for which another bot moved in place of the remote one, in each of the games."""
    return [application.views.history(game_id, 2)[0].data["fallback"] for game_id in games]


def test_the_time_limit_of_a_job_hits_that_job_alone() -> None:
    """The time limit of a job ends that job alone, while others wait at the same time."""

    def job(limit: float) -> str:
        try:
            with GreenletTimeLimit(limit, JobTimeoutException):  # type: ignore[no-untyped-call]
                gevent.sleep(0.05)
        except JobTimeoutException:
            return "interrupted"
        return "done"

    jobs = [gevent.spawn(job, limit) for limit in (0.01, 10)]
    gevent.joinall(jobs)
    assert [job.value for job in jobs] == ["interrupted", "done"]


def test_many_calls_hold_nobody_up(settings: Settings, application: Application, place: Path) -> None:
    """Forty slow bots think at the same time, and others never end their answers: a quick remote bot and a game of
    our own bots go on meanwhile. A stop leaves calls time to end.
    """
    thought, quickly, last = Event(), Event(), Event()
    quickly.set()
    with ExitStack() as servers:
        slow, quick, final = (
            servers.enter_context(bot_server(exchanging(event))) for event in (thought, quickly, last)
        )
        bad = [servers.enter_context(bot_server(script)) for script in ENDLESS.values()]
        remote = servers.enter_context(at_work("remote", settings, place))
        games = [remote_game(application, slow.url) for _ in range(40)]
        endless = [remote_game(application, server.url, "bad") for server in bad]
        until(lambda: len(slow.received) == 40 and all(server.received for server in bad))
        one = remote_game(application, quick.url)
        ours = application.creation.create("club", NewGame(seats=BOTS)).snapshot.game_id
        wait_for_moves(application, one, *endless)
        until(lambda: application.views.snapshot(ours).version > 20)
        assert not any(types(application, game_id) for game_id in games)
        thought.set()
        wait_for_moves(application, *games)
        assert set(fallbacks(application, endless)) == {"bad-answer"}
        parting = remote_game(application, f"http://localhost:{final.port}/")  # its name is looked up, too
        until(lambda: final.received)
        remote.process.send_signal(signal.SIGTERM)
        last.set()
        assert remote.stops_cleanly(signal.SIGTERM)
        assert {tuple(types(application, each)) for each in (*games, one, parting)} == {tuple(EXCHANGED)}


def test_calls_beyond_the_limit_wait_for_their_turn(
    settings: Settings, application: Application, place: Path
) -> None:
    """As many calls as are allowed are made at once; a good bot is asked at once however many silent ones another app
    has, for which there would be calls enough.
    """
    pairs, for_good, lock, under_way, most = Barrier(2), Event(), Lock(), list[int](), list[int]()

    def in_pairs(connection: socket.socket) -> None:
        with lock:
            under_way.append(1)
            most.append(len(under_way))
        pairs.wait(LIMIT)
        with lock:
            under_way.pop()
        EXCHANGE(connection)

    with (
        bot_server(in_pairs) as slow,
        bot_server(exchanging(for_good)) as silent,
        bot_server(EXCHANGE) as quick,
        at_work("remote", settings, place, MIGRATO_REMOTE_CALLS="4"),
    ):
        games = [remote_game(application, slow.url) for _ in range(8)]
        wait_for_moves(application, *games)
        assert {tuple(types(application, game_id)) for game_id in games} == {tuple(EXCHANGED)}
        assert max(most) <= 4
        many = [remote_game(application, silent.url, "many") for _ in range(12)]
        until(lambda: len(silent.received) >= 2)
        asked = len(silent.received)
        for _ in range(3):
            one = remote_game(application, quick.url, "one")
            wait_for_moves(application, one)
            assert types(application, one) == EXCHANGED
        assert asked <= len(silent.received) < 4
        assert not any(types(application, game_id) for game_id in many)
        for game_id in many:
            application.interventions.abort(game_id, Caller("app", app="many"))
    for_good.set()


def test_a_silent_bot_is_called_less_often_and_nothing_of_it_is_logged(
    settings: Settings, application: Application, place: Path
) -> None:
    """Its games go on; what moves in its place says why. An answer brings it back. Neither an answer nor where a bot is
    gets into the log, not even where everything does.
    """
    answering = Event()
    bad = (
        say(b"HTTP/1.1 hidden\r\n\r\n"),
        say(b"HTTP/1.1 200 OK\r\nhidden hidden\r\n\r\n"),
        answer(b'{"move": "hidden"}'),
    )
    few = {"MIGRATO_LOG_LEVEL": "debug", "MIGRATO_REMOTE_SECONDS": "2"}
    with (
        ExitStack() as servers,
        bot_server(exchanging(answering)) as server,
        at_work("remote", settings, place, **few) as remote,
    ):
        urls = [f"{servers.enter_context(bot_server(one)).url}/hidden" for one in bad]
        hidden = [remote_game(application, url) for url in urls]
        games = [remote_game(application, server.url) for _ in range(FAILURES)]
        wait_for_moves(application, *games)
        later = [remote_game(application, server.url) for _ in range(4)]
        wait_for_moves(application, *later, *hidden)
        assert fallbacks(application, games) == ["timeout"] * FAILURES
        assert "suspended" in fallbacks(application, later)
        answering.set()

        def answers() -> bool:
            game_id = remote_game(application, server.url)
            wait_for_moves(application, game_id)
            return types(application, game_id) == EXCHANGED

        until(answers)
        assert remote.stops_cleanly(signal.SIGINT)
        assert hidden[0] in remote.text
        secret = ("hidden", "whsec_", "webhook", "127.0.0.1:")
        assert not any(word in remote.text for word in secret)


def test_a_call_outlives_its_workers(settings: Settings, application: Application, place: Path) -> None:
    """One whose loop is stuck is ended from outside of it, with a traceback; another one is killed.

    The next one asks the bot again, with the same identity, and its answer is played once.
    """
    thoughts, queue = (Event(), Event()), JobQueue(Redis.from_url(str(settings.queue_url)))
    with ExitStack() as servers:
        one, two = (servers.enter_context(bot_server(exchanging(thought))) for thought in thoughts)
        with at_work("remote", settings, place, "tests.workers.hanging") as stuck:
            first = remote_game(application, one.url)
            until(lambda: len(one.received) == 1)
            queue.remote.enqueue_call(SPIN, args=["2epPYkrvB6K2mBjFE6M6hT", 9], timeout=1)
            assert stuck.process.wait(LIMIT) == 1
            assert "has not turned for 1 seconds" in stuck.text
            assert "in spin" in stuck.text
        with at_work("remote", settings, place):
            until(lambda: len(one.received) == 2)
            thoughts[0].set()
            wait_for_moves(application, first)
            second = remote_game(application, two.url)
            until(lambda: len(two.received) == 1)
        with at_work("remote", settings, place):
            until(lambda: len(two.received) == 2)
            thoughts[1].set()
            wait_for_moves(application, second)
    for game_id, server in ((first, one), (second, two)):
        assert types(application, game_id) == EXCHANGED
        assert {asked.headers["webhook-id"] for asked in server.received} == {f"{game_id}-2"}


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
