"""A web service that takes another's place on the same port, while clients play whose requests are sent once."""

import os
import signal
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests
from migrato_client import Client, Unreachable

from drills.engine import parents
from drills.ports import free_port
from tests.support.engine import is_alive
from tests.support.players import Player
from tests.support.running import BIN, ROOT, answers, clean_environment
from tests.support.waiting import LIMIT, until

Json = dict[str, Any]
WORKERS = 2
TABLES = 3
MOVES = 5  # of each table, between two restarts


class WebService:
    """gunicorn on a port; `renew` starts a second generation on the same port, and ends the first."""

    def __init__(self, directory: Path, redis_url: str, drain_seconds: int) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._log = directory / "web.log"
        self._pid_file = directory / "pid"
        environment = {
            "MIGRATO_REDIS_URL": redis_url,
            "MIGRATO_PORT": str(self.port),
            "MIGRATO_WEB_WORKERS": str(WORKERS),
            "MIGRATO_DRAIN_SECONDS": str(drain_seconds),
            "MIGRATO_LIMITS": "off",
        }
        command = [f"{BIN}/gunicorn", "-c", "python:service.http.server.gunicorn_conf"]
        command += ["--pid", str(self._pid_file), "service.http.server.wsgi:application"]
        with self._log.open("ab") as log:
            self._first = subprocess.Popen(
                command, cwd=ROOT, env=clean_environment(environment), stdout=log, stderr=log
            )
        until(lambda: answers(f"{self.url}/healthz"), otherwise=self.tail)

    def tail(self) -> str:
        """The end of its log."""
        return self._log.read_text(errors="replace")[-4000:]

    def renew(self) -> None:
        """Start a new generation, and once its workers are there tell the old one to end; return when it has."""
        old, coming = _pid_in(self._pid_file), self._pid_file.with_suffix(".2")
        os.kill(old, signal.SIGUSR2)
        until(lambda: self._workers(_pid_in(coming)) == WORKERS, otherwise=self.tail)
        os.kill(old, signal.SIGTERM)
        until(lambda: self._has_ended(old), otherwise=self.tail)
        until(lambda: _pid_in(self._pid_file) not in (0, old), otherwise=self.tail)

    def _has_ended(self, pid: int) -> bool:
        if pid == self._first.pid:
            return self._first.poll() is not None
        return not is_alive(pid)

    @staticmethod
    def _workers(pid: int) -> int:
        return sum(pid != 0 and parent == pid for _, parent in parents())

    def end(self) -> None:
        """Kill both generations at the end of a test."""
        for file in (self._pid_file, self._pid_file.with_suffix(".2")):
            if (pid := _pid_in(file)) != 0 and is_alive(pid):
                os.kill(pid, signal.SIGKILL)
        self._first.kill()
        self._first.wait()


def _pid_in(file: Path) -> int:
    """The process that the file names; 0 while it names none."""
    try:
        return int(file.read_text() or 0)
    except FileNotFoundError:
        return 0


@dataclass
class Table(threading.Thread):
    """Two people who play one game after the other, each over a connection that is kept; nothing is sent twice."""

    url: str
    moves: int = 0
    failure: BaseException | None = None
    stopped: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)
        self._people = [requests.Session(), requests.Session()]

    __hash__ = threading.Thread.__hash__

    def run(self) -> None:
        """Until told to stop, or a request fails."""
        try:
            while not self.stopped.is_set():
                self._game()
        except BaseException as failure:  # noqa: BLE001 (a refused connection as well as a wrong answer)
            self.failure = failure

    def _game(self) -> None:
        seats = [{"kind": "human", "player": name} for name in ("ada", "bo")]
        game = self._asked(0, "POST", "/v1/games", 201, json={"seats": seats, "visibility": "public"})
        for person, seat in zip(self._people, game["seats"], strict=True):
            person.headers["Authorization"] = f"Bearer {seat['token']}"
        path = f"/v1/games/{game['id']}"
        view = self._asked(0, "GET", path, 200)
        to_act, version = view["to_act"], view["version"]
        while to_act is not None and not self.stopped.is_set():
            listed = self._asked(to_act, "GET", f"{path}/legal-moves", 200)
            assert listed["version"] == version
            played = self._asked(to_act, "POST", f"{path}/moves", 201, json=listed["moves"][-1])
            told = self._asked(1 - to_act, "GET", f"{path}/events?after={version}&wait=5", 200)
            assert [event["version"] for event in told["events"]] == list(
                range(version + 1, played["version"] + 1)
            )
            to_act, version = played["game"]["to_act"], played["version"]
            self.moves += 1
            time.sleep(0.05)  # or they would keep the machine busy while services start

    def _asked(self, who: int, method: str, path: str, status: int, **more: Any) -> Json:
        answer = self._people[who].request(method, self.url + path, timeout=LIMIT, **more)
        assert answer.status_code == status, answer.text
        document: Json = answer.json()
        return document


def test_no_request_is_refused_or_lost(tmp_path: Path, redis_url: str) -> None:
    """No request fails while one generation takes the place of another."""
    service = WebService(tmp_path, redis_url, drain_seconds=120)
    tables = [Table(service.url) for _ in range(TABLES)]
    try:
        for table in tables:
            table.start()
        _go_on(tables, service)
        service.renew()
        _go_on(tables, service)
    finally:
        for table in tables:
            table.stopped.set()
        for table in tables:
            table.join(LIMIT)
        service.end()
        assert [table.failure for table in tables] == [None] * TABLES, service.tail()


def _go_on(tables: list[Table], service: WebService) -> None:
    """Wait until each table has made some more moves, or a request has failed."""
    reached = [table.moves + MOVES for table in tables]
    until(
        lambda: (
            any(table.failure for table in tables)
            or all(table.moves >= least for table, least in zip(tables, reached, strict=True))
        ),
        otherwise=service.tail,
    )


def test_open_streams_resume(tmp_path: Path, redis_url: str) -> None:
    """A stream that is cut off at the end of the old generation goes on in the new one, without a gap."""
    service = WebService(tmp_path, redis_url, drain_seconds=1)
    seen: list[list[int]] = [[] for _ in range(TABLES)]
    try:
        player = Player(service.url)
        game = player.ask("POST", "/v1/games", {"seats": [{"kind": "human"}] * 2, "visibility": "public"})
        path = f"/v1/games/{game['id']}"
        client = Client(service.url, patience=LIMIT)

        def watch(versions: list[int]) -> None:
            with suppress(Unreachable):  # in the end
                versions.extend(event["version"] for event in client.game(game["id"]).watch())

        for versions in seen:
            threading.Thread(target=watch, args=(versions,), daemon=True).start()
        version = _moved(service.url, path, game["seats"], key="before")
        until(lambda: all(versions[-1:] == [version] for versions in seen))
        service.renew()
        last = _moved(service.url, path, game["seats"], key="after")
        until(lambda: all(versions[-1:] == [last] for versions in seen))
    finally:
        service.end()
    assert seen == [list(range(1, last + 1))] * TABLES


def _moved(url: str, path: str, seats: list[Json], key: str) -> int:
    """Let the seat that is to act make a move; the game's version after it."""
    to_act = Player(url).ask("GET", path)["to_act"]
    player = Player(url, seats[to_act]["token"])
    move = player.ask("GET", f"{path}/legal-moves")["moves"][-1]
    return int(player.ask("POST", f"{path}/moves", move, key=key)["version"])
