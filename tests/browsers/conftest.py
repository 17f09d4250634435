"""Real engines, and what watches them: a Chromium, and packages of npm."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.browsers.watchers import InChromium, InNode, Watcher
from tests.support.engine import Engine

Watch = Callable[[str, str], Watcher]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """An engine that runs."""
    engine = Engine(tmp_path / "data").start()
    yield engine
    engine.end()


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Watch]:
    """Opens streams of states: by the name of what is to open them, and their address."""
    with ExitStack() as opened:

        def start(kind: str, url: str) -> Watcher:
            place = Path(mkdtemp(dir=tmp_path))
            if kind == "chromium":
                return opened.enter_context(InChromium.watching(url, place))
            return opened.enter_context(InNode.watching(kind, url, place))

        yield start
