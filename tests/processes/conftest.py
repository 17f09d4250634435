"""Real engines for the tests of this folder, which are run one after the other: there are few cores."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.processes.engine import Engine
from tests.processes.players import Player

HERE = Path(__file__).parent

NewEngine = Callable[..., Engine]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of them by one worker of pytest-xdist."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("processes"))


@pytest.fixture
def new_engine(tmp_path: Path) -> Iterator[NewEngine]:
    """Makes engines that do not run yet; whatever runs is ended after the test."""
    made: list[Engine] = []

    def make(name: str = "data", *options: str, **environ: str) -> Engine:
        engine = Engine(tmp_path / name, *options, **environ)
        made.append(engine)
        return engine

    yield make
    for engine in made:
        engine.end()


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """A running engine that a module's tests share; in memory, so that a slow disk does not slow them."""
    engine = Engine(tmp_path_factory.mktemp("engine") / "data", "--ephemeral").start()
    yield engine
    engine.end()


@pytest.fixture
def watcher(engine: Engine) -> Player:
    """A spectator of the shared engine."""
    return Player(engine.url)
