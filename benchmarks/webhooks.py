"""Number of webhooks a second that one worker delivers to a fast receiver.

Games are created and given up before the worker starts. It fills the app's log, and sends each endpoint everything. The
receiver answers 204 at once, on the loopback and in a process of its own; the worker and it share the cores.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.processor_time import TICKS
from domain.lifecycle import Seat
from events.engine.new_game import NewGame
from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer, die_with_parent
from events.runtime.settings import load

APP: Final = "club"
TYPES: Final = ("game.created", "game.started", "game.finished", "game.scored")  # of each game once
GAMES: Final = 400
ENDPOINTS: Final = (1, 4)
PATIENCE: Final = 60.0  # seconds for everything to arrive


@dataclass(frozen=True, slots=True)
class Delivered:
    """Figures of a run: deliveries, their number a second from the first to the last, and the worker's cost of each."""

    endpoints: int
    deliveries: int
    per_second: float
    microseconds: float


class Receiver(asyncio.Protocol):
    """Answers every request of a connection, and says on standard output when how many had come."""

    count = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody connects."""
        self._transport, self._unread = transport, b""

    def data_received(self, data: bytes) -> None:
        """A part of requests."""
        self._unread += data
        while (end := self._unread.find(b"\r\n\r\n") + 4) > 3:
            head = self._unread[:end].lower()
            size = int(head.partition(b"content-length:")[2].partition(b"\r\n")[0])
            if len(self._unread) < end + size:
                return
            self._unread = self._unread[end + size :]
            Receiver.count += 1
            sys.stdout.write(f"{time.monotonic()} {Receiver.count}\n")
            self._transport.write(b"HTTP/1.1 204 No Content\r\n\r\n")  # type: ignore[attr-defined]


async def receive() -> None:
    """Listen, and say where."""
    server = await asyncio.get_running_loop().create_server(Receiver, "127.0.0.1", 0)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    while True:
        await asyncio.sleep(0.1)
        sys.stdout.flush()


def run() -> list[Delivered]:
    """Measure, for each number of endpoints."""
    return [_measured(endpoints) for endpoints in ENDPOINTS]


def _measured(endpoints: int) -> Delivered:
    with tempfile.TemporaryDirectory() as folder, EmbeddedServer(Path(folder) / "data") as store:
        environ = {"MIGRATO_REDIS_URL": store.url, "MIGRATO_REMOTE_ALLOW": "127.0.0.0/8"}
        application = bootstrap.application(load(environ))
        receiver = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.webhooks"],
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=die_with_parent(),  # noqa: PLW1509 (two system calls)
        )
        assert receiver.stdout is not None
        url = f"http://127.0.0.1:{int(receiver.stdout.readline())}/hook"
        for _ in range(endpoints):
            application.webhooks.create(APP, url, TYPES, "", None, None)
        for _ in range(GAMES):
            new = NewGame("migo", seats=(Seat("human", "ada"), Seat("human", "bo")))
            game_id = application.creation.create(APP, new).snapshot.game_id
            application.moves.play(game_id, 0, {"type": "resign"})
            application.bot_turns.score_game(game_id)
        worker = subprocess.Popen(
            [sys.executable, "-m", "workers", "webhooks"],
            env=os.environ | environ,
            stderr=subprocess.DEVNULL,
            preexec_fn=die_with_parent(),  # noqa: PLW1509 (two system calls)
        )
        try:
            expected = endpoints * GAMES * len(TYPES)
            first = _at(receiver.stdout.readline())
            used = _seconds(worker.pid)
            last = first
            until = time.monotonic() + PATIENCE
            for number in range(2, expected + 1):
                last = _at(receiver.stdout.readline())
                assert time.monotonic() < until, f"{number} of {expected}"
            used = _seconds(worker.pid) - used
        finally:
            for process in (worker, receiver):
                process.kill()
                process.wait()
    return Delivered(endpoints, expected, (expected - 1) / (last - first), 1e6 * used / expected)


def _at(line: str) -> float:
    return float(line.partition(" ")[0])


def _seconds(pid: int) -> float:
    """The processor time that a process has taken so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


if __name__ == "__main__":
    asyncio.run(receive())
