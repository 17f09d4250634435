"""Real engines for the tests of this folder, which are run one after the other: there are few cores."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.collector import Collector
from tests.support.engine import FEW, Engine
from tests.support.players import Player
from tests.support.waiting import until

KINDS = [
    "background worker",
    "bot worker",
    "nursery",
    "nursery of greenlets",
    "queue",
    "store",
    "thinker",
    "web",
    "web worker",
]
PATIENT = {"MIGRATO_REMOTE_ALLOW": "127.0.0.1", "MIGRATO_REMOTE_SECONDS": "60"}  # with bots on a busy machine
APART = {"archiver", "dispatcher", "remote worker", "webhook worker"}  # in place of the first

NewEngine = Callable[..., Engine]


def is_whole(engine: Engine) -> bool:
    """True if a process of every kind runs."""
    return set(engine.processes().values()) in (set(KINDS), {*KINDS[1:], *APART})


@pytest.fixture
def new_engine(tmp_path: Path) -> Iterator[NewEngine]:
    """Makes engines of few processes, unless told otherwise, that do not run yet; they are ended after the test."""
    made: list[Engine] = []

    def make(name: str = "data", *options: str, **environ: str) -> Engine:
        engine = Engine(tmp_path / name, *options, **{**FEW, **environ})
        made.append(engine)
        return engine

    yield make
    for engine in made:
        engine.end()


@pytest.fixture(scope="package")
def collector() -> Iterator[Collector]:
    """A collector on this machine, for the shared engine."""
    with Collector() as collector:
        thread = threading.Thread(target=collector.serve_forever)
        thread.start()
        yield collector
        collector.shutdown()
        thread.join()


@pytest.fixture(scope="package")
def engine(tmp_path_factory: pytest.TempPathFactory, collector: Collector) -> Iterator[Engine]:
    """A running engine for all that do it no harm; in memory, so that a slow disk does not slow them; it is traced."""
    traced = {
        "MIGRATO_TRACES": "1",
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}",
        "OTEL_SERVICE_NAME": "our-games",
        "OTEL_BSP_SCHEDULE_DELAY": "500",
    }
    engine = Engine(tmp_path_factory.mktemp("engine") / "data", "--ephemeral", **traced).start()
    yield engine
    engine.end()


@pytest.fixture(scope="package")
def _mortal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    engine = Engine(tmp_path_factory.mktemp("mortal") / "data", **PATIENT).start()
    yield engine
    engine.end()


@pytest.fixture
def mortal(_mortal: Engine) -> Engine:
    """A whole engine that keeps its games on disk, for all that kill processes of it and see them replaced."""
    until(lambda: is_whole(_mortal), otherwise=_mortal.tail)
    return _mortal


@pytest.fixture
def watcher(engine: Engine) -> Player:
    """A spectator of the shared engine."""
    return Player(engine.url)
