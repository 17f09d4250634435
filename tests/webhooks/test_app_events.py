"""GET /v1/events: pages, long polls and streams of all that happens in an app's games."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
import requests
from flask.testing import FlaskClient

from events.runtime.settings import Settings
from events.use_cases.application import Application
from service.http.app import create_app
from tests.project.running import ROOT, clean_environment
from tests.service.conftest import gunicorn
from tests.service.contract import HeldClient, validator
from tests.service.recording import AllThere
from tests.waiting import until
from tests.webhooks.conftest import APP_KEYS, KEY, OTHER_KEY, create, move
from workers.webhooks.relay import Relay

Json = dict[str, Any]
OURS, THEIRS = {"Authorization": f"Bearer {KEY}"}, {"Authorization": f"Bearer {OTHER_KEY}"}
STREAM = {"Accept": "text/event-stream"}


@pytest.fixture
def client(keyed: Settings, engine: Application) -> FlaskClient:
    """A caller of a service with two apps; every answer is held to openapi.yaml."""
    service = create_app(keyed, engine, AllThere())
    service.test_client_class = HeldClient
    return service.test_client()


def page_of(client: FlaskClient, query: str = "", **headers: str) -> Json:
    """A page of events."""
    answer = client.get(f"/v1/events{query}", headers=headers or OURS)
    assert answer.status_code == 200, answer.text
    return dict(answer.json or {})


def test_pages_go_on_where_the_last_one_ended(client: FlaskClient, engine: Application, relay: Relay) -> None:
    """Each event once; a page at the end is empty, and its cursor still good."""
    assert page_of(client)["events"] == []
    game_id, _ = create(engine)
    relay.step(1)
    first = page_of(client, "?limit=2")
    assert [event["type"] for event in first["events"]] == ["game.created", "game.started"]
    assert first["next"] == first["events"][-1]["id"]
    rest = page_of(client, f"?after={first['next']}")
    assert [event["type"] for event in rest["events"]] == ["turn.changed"]
    data = rest["events"][0]["data"]
    assert (data["game_id"], data["game"], data["status"]) == (game_id, "migrato", "playing")
    assert page_of(client, f"?after={rest['next']}") == {"events": [], "next": rest["next"]}
    assert page_of(client, "?after=now")["next"] == rest["next"]
    finished = page_of(client, "?types=game.finished,game.started")
    assert [event["type"] for event in finished["events"]] == ["game.started"]


def test_only_the_app_itself_reads_them(client: FlaskClient, engine: Application, relay: Relay) -> None:
    """No seat, no stranger, no other app."""
    for key in (OURS, THEIRS):
        assert client.get("/v1/events", headers=key).status_code == 200
    _, tokens = create(engine)
    relay.step(1)
    assert client.get("/v1/events").status_code == 401
    seat = {"Authorization": f"Bearer {tokens[0]}"}
    assert client.get("/v1/events", headers=seat).status_code == 403
    assert client.get("/v1/events", headers=THEIRS).json["events"] == []  # type: ignore[index]
    assert len(page_of(client)["events"]) == 3


@pytest.mark.parametrize(
    "query",
    ["after=x", "after=1", "after=-1-0", "after=1-0-0", "types=", "types=game.lost", "limit=0", "limit=101"]
    + ["wait=31", "events=message", "what=1"],
)
def test_bad_queries(client: FlaskClient, query: str) -> None:
    """Each is refused by the parameter's name."""
    answer = client.get(f"/v1/events?{query}", headers=OURS)
    assert answer.status_code == 422
    assert list(answer.json["errors"]) == [query.partition("=")[0]]  # type: ignore[index]
    header = client.get("/v1/events", headers=OURS | STREAM | {"Last-Event-ID": "no id"})
    assert header.status_code == 422


def test_a_cursor_that_has_expired(client: FlaskClient) -> None:
    """It is gone, for pages and streams."""
    for headers in (OURS, OURS | STREAM):
        answer = client.get("/v1/events?after=1-0", headers=headers)
        assert (answer.status_code, answer.json["code"]) == (410, "events-expired")  # type: ignore[index]


@contextmanager
def webhook_worker(redis_url: str, log: Path, **environ: str) -> Iterator[subprocess.Popen[bytes]]:
    """A worker in a process of its own."""
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "workers", "webhooks"],
            cwd=ROOT,
            env=clean_environment(
                {"MIGRATO_REDIS_URL": redis_url, "MIGRATO_APP_KEYS": keys_setting()} | environ
            ),
            stdout=output,
            stderr=output,
        )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def keys_setting() -> str:
    """MIGRATO_APP_KEYS for both apps."""
    return ",".join(f"{name}={digest}" for name, digest in APP_KEYS.items())


class Listener:
    """Reads a stream, and opens it anew where it ended; what it got, in order."""

    def __init__(self, address: str) -> None:
        self.got: list[Json] = []
        self._address = address
        self._stopped = False
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Read no more."""
        self._stopped = True

    def _listen(self) -> None:
        while not self._stopped:
            last = {"Last-Event-ID": self.got[-1]["id"]} if self.got else {}
            try:
                self._read(last)
            except requests.RequestException:
                time.sleep(0.1)

    def _read(self, last: dict[str, str]) -> None:
        with requests.get(
            f"{self._address}/v1/events", headers=OURS | STREAM | last, stream=True, timeout=20
        ) as answer:
            for line in answer.iter_lines(chunk_size=1):
                if line.startswith(b"data: "):
                    self.got.append(orjson.loads(line[6:]))
                if self._stopped:
                    return


def test_a_long_poll_and_a_stream_over_kills(redis_url: str, engine: Application, tmp_path: Path) -> None:
    """Workers and web processes die and come back in the middle of games; the stream misses nothing."""
    log = tmp_path / "log"
    settings = {"MIGRATO_APP_KEYS": keys_setting()}
    with webhook_worker(redis_url, log) as worker, gunicorn(redis_url, log, **settings) as address:
        start = requests.get(f"{address}/v1/events?after=now", headers=OURS, timeout=10).json()["next"]
        polled: list[Json] = []

        def poll() -> None:
            answer = requests.get(f"{address}/v1/events?after={start}&wait=20", headers=OURS, timeout=40)
            polled.append(answer.json())

        poller = threading.Thread(target=poll)
        poller.start()
        listener = Listener(address)
        games = [create(engine)[0] for _ in range(3)]
        poller.join(20)
        assert polled[0]["events"][0]["type"] == "game.created"
        until(lambda: len(listener.got) >= 9, 15, lambda: log.read_text()[-2000:])
        for _ in range(4):
            for game_id in games:
                move(engine, game_id)
        worker.send_signal(signal.SIGKILL)
    with webhook_worker(redis_url, log), gunicorn(redis_url, log, **settings) as other:
        listener._address = other
        for _ in range(4):
            for game_id in games:
                move(engine, game_id)
        expected = reference(engine, other, games)
        until(lambda: len(listener.got) >= len(expected()), 25, lambda: log.read_text()[-2000:])
        time.sleep(0.5)
        listener.stop()
        assert [event["id"] for event in listener.got] == [event["id"] for event in expected()]
        versions = {game_id: engine.views.snapshot(game_id).status.turn for game_id in games}
        for game_id in games:
            turns = [
                event["data"]["turn"]
                for event in listener.got
                if event["data"]["game_id"] == game_id and event["type"] == "turn.changed"
            ]
            assert turns == list(range(turns[0], versions[game_id] + 1))
        check = validator({"$ref": "#/components/schemas/AppEventFrame"})
        for event in listener.got:
            check.validate(event)


def reference(engine: Application, address: str, games: list[str]) -> Callable[[], list[Json]]:
    """What the page says once the last turn of every game is in it."""

    def asked() -> list[Json]:
        found = requests.get(f"{address}/v1/events?limit=100", headers=OURS, timeout=10).json()["events"]
        for game_id in games:
            status = engine.views.snapshot(game_id).status
            last = [e for e in found if e["data"]["game_id"] == game_id][-1]
            if last["data"]["turn"] != status.turn:
                return [{}] * 1000
        return list(found)

    return asked


def test_one_worker_works_and_another_takes_over(redis_url: str, engine: Application, tmp_path: Path) -> None:
    """A few seconds after the first one was killed."""
    engine.app_logs.page("club", "0", 1)
    log, other_log = tmp_path / "one", tmp_path / "other"
    with webhook_worker(redis_url, log) as one:
        until(lambda: "logging apps' events" in log.read_text(), 10, log.read_text)
        with webhook_worker(redis_url, other_log):
            create(engine)
            until(lambda: len(engine.app_logs.page("club", "0", 9).messages) == 3, 10, log.read_text)
            os.kill(one.pid, signal.SIGKILL)
            create(engine)
            until(lambda: len(engine.app_logs.page("club", "0", 9).messages) == 6, 15, other_log.read_text)
    assert "logging apps' events" in other_log.read_text()
