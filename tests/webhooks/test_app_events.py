"""GET /v1/events: pages, long polls and streams of all that happens in an app's games."""

import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
import requests
from flask.testing import FlaskClient

from events.application import Application
from events.features.webhooks.deliveries import of_message
from events.runtime.settings import Settings
from events.store import keys
from events.store.link import link_to
from service.http.app import create_app
from service.http.schemas.webhooks import MOST_VIEWS
from tests.service.conftest import gunicorn
from tests.service.contract import HeldClient, validator
from tests.support.recording import AllThere
from tests.support.running import ROOT, clean_environment
from tests.support.waiting import until
from tests.webhooks.conftest import APP_KEYS, KEY, OTHER_KEY, create, move
from workers.webhooks.relay import Relay

Json = dict[str, Any]
OURS, THEIRS = {"Authorization": f"Bearer {KEY}"}, {"Authorization": f"Bearer {OTHER_KEY}"}
STREAM = {"Accept": "text/event-stream"}
AT_WORK = "logging apps' events"  # in the log of the worker that holds the lease


@pytest.fixture
def client(keyed: Settings, engine: Application) -> FlaskClient:
    """A caller of a service with two apps; every answer is held to openapi.yaml."""
    service = create_app(keyed, engine, AllThere())
    service.test_client_class = HeldClient
    return service.test_client()


def page_of(client: FlaskClient, query: str = "", **headers: str) -> Json:
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


def test_pages_with_views_are_what_webhooks_get(
    client: FlaskClient, engine: Application, relay: Relay
) -> None:
    """Byte for byte, that of a private game, too; pages are short then, and streams have none."""
    game_id, _ = create(engine)
    assert page_of(client)["events"] == []
    for _ in range(MOST_VIEWS):
        move(engine, game_id)
    relay.step(1)
    state, _ = engine.webhooks.create("club", "https://198.41.0.4/hook", (), "", None, None)
    found, after = list[Json](), "0"
    while (page := page_of(client, f"?views=true&after={after}"))["events"]:
        assert len(page["events"]) <= MOST_VIEWS
        found, after = [*found, *page["events"]], page["next"]
    assert [one["id"] for one in found] == [one["id"] for one in page_of(client)["events"]]
    kept = engine.app_logs.page("club", "0", 100).messages
    sent = [engine.webhooks.payloads.body(state.endpoint, of_message(one)) for one in kept]
    assert [orjson.dumps(one) for one in found] == sent
    assert found[-1]["data"]["view"]["viewer"] is None
    refused = client.get("/v1/events?views=true", headers=OURS | STREAM)
    assert list(refused.json["errors"]) == ["views"]  # type: ignore[index]


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


def test_bad_queries(client: FlaskClient) -> None:
    """Each is refused by the parameter's name; a cursor that has expired is gone, for pages and streams."""
    for query in (
        *("after=x", "after=1", "after=-1-0", "after=1-0-0", "types=", "types=game.lost"),
        *("limit=0", "limit=101", "wait=31", "events=message", "what=1"),
    ):
        answer = client.get(f"/v1/events?{query}", headers=OURS)
        assert answer.status_code == 422
        assert list(answer.json["errors"]) == [query.partition("=")[0]]  # type: ignore[index]
    header = client.get("/v1/events", headers=OURS | STREAM | {"Last-Event-ID": "no id"})
    assert header.status_code == 422
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
        self.address = address
        self._stopped = False
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopped = True

    def _listen(self) -> None:
        while not self._stopped:
            last = {"Last-Event-ID": self.got[-1]["id"]} if self.got else {}
            try:
                self._read(last)
            except requests.RequestException:
                time.sleep(0.05)

    def _read(self, last: dict[str, str]) -> None:
        with requests.get(
            f"{self.address}/v1/events", headers=OURS | STREAM | last, stream=True, timeout=20
        ) as answer:
            for line in answer.iter_lines(chunk_size=1):
                if line.startswith(b"data: "):
                    self.got.append(orjson.loads(line[6:]))
                if self._stopped:
                    return


def test_a_long_poll_and_a_stream_over_kills(redis_url: str, engine: Application, tmp_path: Path) -> None:
    """Workers and web processes die and others take over in the middle of games; the stream misses nothing."""
    log, other_log = tmp_path / "log", tmp_path / "other"
    settings = {"MIGRATO_APP_KEYS": keys_setting()}

    def move_all() -> None:
        for game_id in games * 4:
            move(engine, game_id)

    with webhook_worker(redis_url, log) as worker, ExitStack() as others:
        until(lambda: AT_WORK in log.read_text(), otherwise=log.read_text)
        others.enter_context(webhook_worker(redis_url, other_log))
        with gunicorn(redis_url, log, **settings) as address:
            start = requests.get(f"{address}/v1/events?after=now", headers=OURS, timeout=10).json()["next"]
            with ThreadPoolExecutor(1) as pool:
                polled = pool.submit(events_of, address, f"after={start}&wait=30")
                listener = Listener(address)
                games = [create(engine)[0] for _ in range(3)]
                assert polled.result()[0]["type"] == "game.created"
            until(lambda: len(listener.got) >= 9, otherwise=log.read_text)
            move_all()
            worker.kill()
            worker.wait()
            link_to(redis_url, 5.0).call("DEL", keys.WEBHOOKS_LEASE)  # as if its time were over
        with gunicorn(redis_url, log, **settings) as address:
            listener.address = address
            move_all()
            games.append(create(engine)[0])  # what is told last: nothing comes twice before it
            until(lambda: is_told(engine, listener.got, games), otherwise=other_log.read_text)
            assert AT_WORK in other_log.read_text()
            listener.stop()
            assert listener.got == events_of(address, "limit=100")
    for game_id in games:
        turns = [event["data"]["turn"] for event in of_game(listener.got, game_id, "turn.changed")]
        assert turns == list(range(turns[0], engine.views.snapshot(game_id).status.turn + 1))
    check = validator({"$ref": "#/components/schemas/AppEventFrame"})
    for event in listener.got:
        check.validate(event)


def events_of(address: str, query: str) -> list[Json]:
    answer = requests.get(f"{address}/v1/events?{query}", headers=OURS, timeout=40)
    return list(answer.json()["events"])


def of_game(events: list[Json], game_id: str, kind: str) -> list[Json]:
    """Those of a game and of a type."""
    return [one for one in events if one["data"]["game_id"] == game_id and one["type"] == kind]


def is_told(engine: Application, events: list[Json], games: list[str]) -> bool:
    """True if the last turn of every game is among the events."""
    turns = [(one, engine.views.snapshot(one).status.turn) for one in games]
    return all(
        turn in [event["data"]["turn"] for event in of_game(events, one, "turn.changed")]
        for one, turn in turns
    )
