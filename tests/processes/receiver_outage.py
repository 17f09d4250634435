"""A receiver of webhooks that is killed for a while: `python -m tests.processes.receiver_outage --seconds 60`.

Games go on meanwhile. Afterwards each game's events must be there, every one, in the order of the app's log.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import requests

from drills.engine import free_port
from tests.processes.engine import Engine
from tests.processes.players import Human, Json, Player, bots_game
from tests.project.running import ROOT
from tests.waiting import until

RETRIED = 90.0  # seconds, and the length of the outage once more: by then each delivery has been tried again


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it: how many events fell into the outage, and how long after it the last of them was there."""

    games: int
    events: int
    missed: int
    seconds: float


def serve(port: int, file: Path) -> None:
    """Accept whatever comes, once it stands in the file."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with file.open("ab") as kept:
                kept.write(body + b"\n")
                kept.flush()
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()


@contextmanager
def receiving(port: int, file: Path) -> Iterator[None]:
    """A receiver in a process of its own; at the end it is killed (SIGKILL)."""
    program = [
        sys.executable,
        "-m",
        __name__ if __name__ != "__main__" else "tests.processes.receiver_outage",
    ]
    process = subprocess.Popen([*program, "--serve", str(port), str(file)], cwd=ROOT)
    try:
        until(lambda: is_open(port), 20)
        yield
    finally:
        process.kill()
        process.wait()


def is_open(port: int) -> bool:
    """Whether somebody answers there."""
    try:
        requests.get(f"http://127.0.0.1:{port}/", timeout=1)
    except requests.ConnectionError:
        return False
    return True


def received(file: Path, game_id: str) -> list[str]:
    """The ids of the game's events, each once, in the order in which they came first."""
    documents = [json.loads(line) for line in file.read_bytes().splitlines()]
    return list(dict.fromkeys(one["id"] for one in documents if one["data"].get("game_id") == game_id))


def logged(url: str) -> list[Json]:
    """All that stands in the app's log."""
    found, after = list[Json](), "0"
    while (page := requests.get(f"{url}/v1/events?after={after}", timeout=10).json())["events"]:
        found, after = [*found, *page["events"]], page["next"]
    return found


def outage(engine: Engine, folder: Path, seconds: float) -> Outcome:
    """Games, a receiver that dies while they are played, and comes back after so many seconds."""
    port, file = free_port(), folder / "received"
    file.touch()
    url = f"http://127.0.0.1:{port}/"
    watcher, people = Player(engine.url), [Human(engine.url, seed, 20, pause=0.3) for seed in range(3)]
    with receiving(port, file):
        created = requests.post(f"{engine.url}/v1/webhooks", json={"url": url}, timeout=10)
        assert created.status_code == 201, created.text
        games = [bots_game(watcher)]
        for person in people:
            person.start()
        until(lambda: received(file, games[0]), 30, engine.tail)
    before = file.read_bytes()
    died = time.monotonic()
    while time.monotonic() < died + seconds:
        games.append(bots_game(watcher, turns=10))
        time.sleep(min(seconds / 4, 5.0))  # that it is away so long is what is tried
    for person in people:
        person.join(120)
        person.check(person.player.events(person.game_id))
    assert file.read_bytes() == before, "it was away"
    games += [person.game_id for person in people]
    until(
        lambda: (
            {one["data"]["game_id"] for one in logged(engine.url) if one["type"] == "game.scored"}
            == set(games)
        )
    )
    wanted = logged(engine.url)
    with receiving(port, file):
        back = time.monotonic()
        until(lambda: len(set(file.read_bytes().splitlines())) >= len(wanted), seconds + RETRIED, engine.tail)
        took = time.monotonic() - back
        for game_id in games:
            assert received(file, game_id) == [
                event["id"] for event in wanted if event["data"]["game_id"] == game_id
            ]
    count, before_it = len(wanted), len(before.splitlines())
    return Outcome(len(games), count, count - before_it, took)


def main() -> None:
    """Serve as the receiver, or try it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="for how long the receiver is dead")
    parser.add_argument("--serve", nargs=2, metavar=("PORT", "FILE"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.serve:
        serve(int(asked.serve[0]), Path(asked.serve[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        engine = Engine(Path(folder) / "data", MIGRATO_REMOTE_ALLOW="127.0.0.1").start()
        try:
            done = outage(engine, Path(folder), asked.seconds)
        finally:
            engine.end()
    print(
        f"dead for {asked.seconds:.0f} s: {done.missed} of {done.events} events of {done.games} games waited, "
        f"and all were there, in order, {done.seconds:.0f} s after it was back"
    )


if __name__ == "__main__":
    main()
