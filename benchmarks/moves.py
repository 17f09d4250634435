"""Moves per second through HTTP, durable, beside the same service's cheapest answer.

32 games at once over 32 connections, human seats on both sides, a whole turn in each request, on prepared decks. The
rounds of moves and of `GET /healthz` (what HTTP alone costs here) alternate, because such machines change speed within
seconds: read the ratio.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from redis import Redis

from benchmarks.http_load import Lane, drive, request
from benchmarks.processor_time import microseconds_each, processor_seconds
from benchmarks.scripted import SEATS, Script, scripts
from events.runtime.embedded import EmbeddedServer, die_with_parent

LANES = 32
SETTLING = 0.5  # seconds in which the background catches up with a round
HOST = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Round:
    """One round's figures: answers per second, latencies in milliseconds, processor time of an answer by process."""

    per_second: float
    p50: float
    p99: float
    answers: int
    microseconds: dict[str, float]


@dataclass(frozen=True, slots=True)
class Service:
    """A service that runs: where it answers, and the process that all of its processes descend from."""

    port: int
    pid: int

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://{HOST}:{self.port}"


# Requests are counted for limits as in any installation, but no benchmark meets one: a checkout's limits, very high.
LIMITS = """
from events.runtime.rates import DEFAULTS
print(",".join(f"{name}={10**8}{'/1m' if rate.seconds else ''}" for name, rate in DEFAULTS.items()), end="")
"""


@contextmanager
def service(
    port: int, web_workers: int = 2, redis_url: str | None = None, bot_workers: int = 1, **settings: str
) -> Iterator[str]:
    """A service of its own, durable in a fresh directory, with a server embedded unless one is given; its URL.

    `settings`: further ones, by the names of their variables.
    """
    with running(port, web_workers, redis_url, bot_workers, settings) as started:
        yield started.url


@contextmanager
def running(
    port: int,
    web_workers: int = 2,
    redis_url: str | None = None,
    bot_workers: int = 1,
    settings: Mapping[str, str] = MappingProxyType({}),
    checkout: Path | None = None,
) -> Iterator[Service]:
    """As `service`; that of another checkout, by its own environment, where one is named."""
    python = sys.executable if checkout is None else str(checkout / ".venv/bin/python")
    limits = subprocess.run(
        [python, "-c", LIMITS], cwd=checkout, capture_output=True, text=True, check=True
    ).stdout
    with tempfile.TemporaryDirectory() as directory:
        environment = os.environ | {
            "MIGRATO_PORT": str(port),
            "MIGRATO_DATA_DIR": str(Path(directory) / "data"),
            "MIGRATO_WEB_WORKERS": str(web_workers),
            "MIGRATO_BOT_WORKERS": str(bot_workers),
            "MIGRATO_LIMITS": limits,
            **settings,
        }
        environment.pop("MIGRATO_REDIS_URL", None)
        if redis_url is not None:
            environment["MIGRATO_REDIS_URL"] = redis_url
        command = [python, "-m", "service.cli", "serve"]
        log = Path(directory) / "log"
        with log.open("wb") as out:
            process = subprocess.Popen(
                command,
                env=environment,
                stdout=out,
                stderr=out,
                cwd=checkout,
                preexec_fn=die_with_parent(),  # noqa: PLW1509 (two system calls)
            )
        started = Service(port, process.pid)
        try:
            _wait_until_ready(started.url, process, log)
            yield started
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(30)


def _wait_until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(300):
        if process.poll() is not None:
            raise RuntimeError(f"the service ended: {log.read_text()}")
        try:
            with urllib.request.urlopen(f"{url}/readyz", timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the service was not ready in 30 s: {log.read_text()}")


def create(url: str, script: Script) -> list[bytes]:
    """Set the script's game up; its moves as requests."""
    body = {
        "seats": [{"kind": seat.kind, "player": seat.player} for seat in SEATS],
        "setup": {"deck": script.deck},
    }
    asked = urllib.request.Request(
        f"{url}/v1/games", json.dumps(body).encode(), {"Content-Type": "application/json"}, method="POST"
    )
    with urllib.request.urlopen(asked) as answer:
        game = json.load(answer)
    tokens = [seat["token"] for seat in game["seats"]]
    path = f"/v1/games/{game['id']}/moves"
    return [request("POST", path, json.dumps(move).encode(), tokens[seat]) for seat, move in script.moves]


def measured(port: int, lanes: list[Lane], pid: int | None = None) -> Round:
    """Drive the lanes, and see what it took, of processes that descend from `pid` (or from this one) and of this one.

    The background has its time to catch up before and after.
    """
    time.sleep(SETTLING)
    before = processor_seconds(pid)
    seconds = drive(HOST, port, lanes)
    time.sleep(SETTLING)
    after = processor_seconds(pid)
    latencies = sorted(latency for lane in lanes for latency in lane.seconds)
    return Round(
        per_second=len(latencies) / seconds,
        p50=latencies[len(latencies) // 2] * 1000,
        p99=latencies[len(latencies) * 99 // 100] * 1000,
        answers=len(latencies),
        microseconds=microseconds_each(before, after, len(latencies)),
    )


def round_of_moves(url: str, port: int, games_per_lane: int, seed: int, pid: int | None = None) -> Round:
    """Create scripted games, then play them all at once, one after the other in each lane."""
    games = [create(url, script) for script in scripts(LANES * games_per_lane, seed)]
    return measured(
        port,
        [Lane([r for game in games[lane::LANES] for r in game], expected=201) for lane in range(LANES)],
        pid,
    )


def run(port: int = 8999, rounds: int = 5, games_per_lane: int = 6) -> list[tuple[Round, Round]]:
    """(moves, healthz) of each round, the two one after the other."""
    figures = []
    with service(port) as url:
        for number in range(rounds + 1):
            moves = round_of_moves(url, port, games_per_lane, seed=number)
            plain = request("GET", "/healthz")
            each = moves.answers // LANES
            healthz = measured(port, [Lane([plain] * each, expected=200) for _ in range(LANES)])
            if number:  # the first round warms up
                figures.append((moves, healthz))
    return figures


def redis_calls_per_move(port: int = 8998, games: int = 20) -> dict[str, float]:
    """Each Redis command's calls per move by the server's own count, over games played one at a time.

    One of them all, EVALSHA, is the request's round trip; what runs inside it is counted too (XREVRANGE, XADD, HDEL),
    and so is what the dispatcher reads and writes in the background.
    """
    with tempfile.TemporaryDirectory() as directory, EmbeddedServer(Path(directory)) as server:
        redis = Redis.from_url(server.url)
        with service(port, web_workers=1, redis_url=server.url) as url:
            requests = [create(url, script) for script in scripts(games, seed=99)]
            before = _calls(redis)
            for game in requests:
                drive(HOST, port, [Lane(game, expected=201)])
            after = _calls(redis)
    made = sum(len(game) for game in requests)
    per_move = {name: (calls - before.get(name, 0)) / made for name, calls in after.items()}
    return {name: calls for name, calls in sorted(per_move.items(), key=lambda item: -item[1]) if calls > 0}


def _calls(redis: "Redis") -> dict[str, int]:
    stats = redis.info("commandstats")
    return {name.removeprefix("cmdstat_"): stat["calls"] for name, stat in stats.items()}
