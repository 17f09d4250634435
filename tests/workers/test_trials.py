"""Trials of an app's bot: a remote worker calls it once, and its app is told in words what is wrong, and no more."""

import socket
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from redis import Redis
from standardwebhooks import Webhook

from domain.errors import DomainError
from events.application import Application
from events.errors import BotNotFound
from events.features.bots.trials import Trials, job_of
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.url_guard import Allowed, Guard
from tests.support.bot_server import OK, Script, answer, be_silent, bot_server, hang_up, say
from tests.support.waiting import until
from workers.job_queue.queue import JobQueue
from workers.remote import job, trial, worker
from workers.remote.client import RemoteBotClient
from workers.remote.fair_queue import UNKNOWN_LANE, Lane, lane_of

SECONDS = 20.0
SHORT = 0.5
CERTIFICATE = Path(__file__).parent / "tls" / "bots.example.com.pem"
JSON = "Content-Type: application/json"
SECRET = {"password": "hush"}  # of a server that is no bot


@pytest.fixture
def settings(redis_url: str) -> Settings:
    """Settings of an operator who allows bots on this machine."""
    allowed = ("127.0.0.1", "bots.example.com")
    return Settings(redis_url=redis_url, queue_url=redis_url, remote_allow=allowed, remote_seconds=SECONDS)


class Calls:
    """Trials that are carried out at once, in this process."""

    def __init__(self, application: Application, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        self.bots = application.bots
        self.patch = monkeypatch
        questions = bootstrap.bot_questions(settings, application)
        self.trials: Trials = questions.trials
        for module in (trial, worker):
            monkeypatch.setattr(module, "bot_questions", lambda: questions)
        self.guard = bootstrap.guard(settings)
        self.within(SECONDS)

    def within(self, seconds: float) -> None:
        """Give bots so much time from now on."""
        caller = RemoteBotClient(self.guard, seconds)
        self.patch.setattr(job, "caller", lambda: caller)

    def register(self, url: str) -> str:
        """The next version of the bot; its secret, of the first one."""
        return str(self.bots.register("club", "mine", url, None, "", None)[1])

    def made(self, named: str, **position: Any) -> dict[str, Any]:
        """A trial of the app's bot."""
        self.patch.setattr(self.trials, "_call", trial.attempt)
        return self.trials.made("club", named, position)


@pytest.fixture
def calls(application: Application, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Calls:
    """Trials at once."""
    return Calls(application, settings, monkeypatch)


WAYS: tuple[tuple[Script, str, str], ...] = (
    (answer(b"", 302, "Location: /"), "bad-answer", "a redirect"),
    (answer(SECRET, 404, JSON), "bad-answer", "404 and must be 200"),
    (answer(SECRET, 503, JSON), "unreachable", "503. In a game"),
    (
        answer(b"<html>hush</html>", 200, "Content-Type: text/html"),
        "bad-answer",
        "JSON, and the Content-Type",
    ),
    (answer(b"{", 200, JSON), "bad-answer", "not JSON."),
    (answer(SECRET, 200, JSON), "bad-answer", "must be an object"),
    (answer(b"[]", 200, JSON), "bad-answer", "must be an object"),
    (answer({"move": {"type": "hush"}}, 200, JSON), "bad-answer", "type: Must be one of: play"),
    (answer({"move": {"type": "pass"}}, 200, JSON), "illegal-move", "none of the"),
    (answer(b" " * 70_000, 200, JSON), "bad-answer", "more than 65536 bytes"),
    (hang_up, "unreachable", "no HTTP response"),
    (say(b"?!\r\n"), "unreachable", "no HTTP response"),
    (say(OK + b"X: 1\r\n" * 200 + b"\r\n"), "bad-answer", "lines of headers"),
    (be_silent, "timeout", "within 0.5 seconds"),
)


def test_a_bot_is_told_of_each_way_in_which_it_misbehaves(calls: Calls, redis_url: str) -> None:
    """It is asked once; nothing is left behind, and nothing is told that a server which is no bot has written."""
    for number, (script, fallback, words) in enumerate(WAYS, 1):
        calls.within(SHORT if script is be_silent else SECONDS)
        with bot_server(script) as server:
            calls.register(server.url)
            made = calls.made(f"mine@{number}")
            until(lambda server=server: server.received)  # type: ignore[misc]
            assert len(server.received) == 1, words
        (told,) = made["wrong"]
        assert (made["version"], made["fallback"], made["move"]) == (str(number), fallback, None), told
        assert words in told
        assert "hush" not in told
        assert made["milliseconds"] >= 0
    assert Redis.from_url(redis_url).keys("migrato:thinking:*") == []
    assert calls.bots.counts("club") == {}


def test_a_good_bot_is_asked_as_in_a_game(calls: Calls) -> None:
    """In a fresh deal or a described position, without names; its legal move is told, and how long it took."""
    with bot_server(answer({"move": {"type": "pass"}}, 200)) as server:
        secret = calls.register(server.url)
        calls.made("mine")
        (asked,) = server.received
    question = asked.document
    assert Webhook(secret).verify(asked.body, asked.headers) == question
    assert set(question) == {"game", "view", "history", "legal_moves", "deadline"}
    move, view = question["legal_moves"][0], question["view"]
    told = {"seat": 0, "kind": "human", "player": None, "player_id": "pl_1u4klvqolryx0jyer136"}
    names = {
        "player": "Ada",
        "display_name": "Ada L.",
        "name": "Ada",
        "metadata": {"mail": "Ada"},
        "connected": True,
    }
    view["seats"][0] = told | names
    with bot_server(answer({"move": move}, 200, JSON), answer({"move": move})) as server:
        calls.register(server.url)
        good = calls.made("mine@2", view=view, history=question["history"])
        plain = calls.made("mine@2", view=view)
        first, second = server.received
    assert (good["move"], good["fallback"], good["wrong"]) == (move, None, [])
    assert (plain["move"], plain["fallback"]) == (move, None)
    assert "accepts the answer anyway" in plain["wrong"][0]
    assert first.document["legal_moves"] == question["legal_moves"]
    assert (first.document["history"], second.document["history"]) == (question["history"], [])
    assert b"Ada" not in first.body
    assert first.document["view"]["seats"][0] == told
    for named in ("mine@9", "yours", "level-5", "mine@"):
        with pytest.raises(BotNotFound):
            calls.made(named)
    for position, code in (
        ({"game": "chess"}, "validation-error"),
        ({"view": view | {"to_act": 1}}, "impossible-position"),
    ):
        with pytest.raises(DomainError) as refused:
            calls.made("mine", **position)
        assert refused.value.code == code


def test_an_address_that_may_not_be_called_tells_nothing(calls: Calls) -> None:
    """The answers are the same, be it there or not, known by its name or not."""
    with bot_server(answer({"move": {"type": "pass"}}, 200, JSON)) as server:
        calls.register(server.url)
        calls.register("http://bots.example.com:9/")
        answers = []
        for there in (["10.0.0.7"], ["127.0.0.1"], None):
            calls.guard = Guard(Allowed(), partial(_found, there))
            calls.within(SECONDS)
            answers += [calls.made(f"mine@{number}") | {"version": ""} for number in (1, 2)]
        assert server.received == []
    assert all(one == answers[0] for one in answers)
    assert (answers[0]["fallback"], answers[0]["milliseconds"]) == ("unreachable", None)


def _found(there: list[str] | None, _: str, __: int) -> list[str]:
    if there is None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    return there


def test_a_server_without_tls_or_a_good_certificate(calls: Calls) -> None:
    """The words say which of both, and that nobody listens."""
    calls.guard = Guard(Allowed.of(["bots.example.com"]), lambda _, __: ["127.0.0.1"])
    calls.within(SECONDS)
    with (
        socket.create_server(("127.0.0.1", 0)) as plain,
        bot_server(hang_up, certificate=CERTIFICATE) as other,
    ):
        Thread(target=_answer_plainly, args=(plain,), daemon=True).start()
        ports = [plain.getsockname()[1], other.port]
        for number, words in ((1, "does not speak https"), (2, "certificate is not valid: self")):
            calls.register(f"https://bots.example.com:{ports[number - 1]}/")
            made = calls.made(f"mine@{number}")
            assert (made["fallback"], words in made["wrong"][0]) == ("unreachable", True), made
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # so nobody else can listen there
        calls.register(f"https://bots.example.com:{closed.getsockname()[1]}/")
        made = calls.made("mine@3")
    assert made["wrong"] == ["There was no connection, or it broke."]


def _answer_plainly(server: socket.socket) -> None:
    connection, _ = server.accept()
    with connection:
        connection.recv(65_536)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def test_a_remote_worker_takes_it_in_a_lane_of_its_own(calls: Calls, redis_url: str) -> None:
    """No suspension is about that lane; a trial that nobody waits for any more is not made."""
    with bot_server(answer({"move": {"type": "pass"}}, 200, JSON)) as server:
        calls.register(server.url)
        queue = JobQueue(Redis.from_url(redis_url)).remote

        def carried_out() -> Lane:
            until(queue.get_job_ids)
            (waiting,) = queue.get_job_ids()
            lane = worker._lane(waiting)
            waiting_job = queue.fetch_job(waiting)
            assert waiting_job is not None
            waiting_job.perform()
            return lane

        with ThreadPoolExecutor(1) as pool:
            of_the_job = pool.submit(carried_out)
            made = calls.trials.made("club", "mine", {})
            lane = of_the_job.result()
        assert made["milliseconds"] is not None
        usual = lane_of("club", server.url)
        assert (lane.at_host, lane.bot == usual.bot) == (usual.at_host, False)
        (gone,) = queue.get_job_ids()
        assert worker._lane(gone) == UNKNOWN_LANE
        trial.attempt(gone.removeprefix(job_of("")))
        assert len(server.received) == 1
