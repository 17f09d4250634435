"""Real engines, and what watches them: a Chromium, and packages of npm."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import mkdtemp

import pytest
from playwright.sync_api import Browser

from tests.browsers.chromium import browsing
from tests.browsers.watchers import InChromium, InNode, Watcher
from tests.support.engine import Engine

Watch = Callable[[str, str], Watcher]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """An engine that runs."""
    engine = Engine(tmp_path / "data").start()
    yield engine
    engine.end()


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A browser."""
    with browsing() as browser:
        yield browser


@pytest.fixture
def watch(tmp_path: Path, browser: Browser) -> Iterator[Watch]:
    """Opens streams of states: by the name of what is to open them, and their address."""
    with ExitStack() as opened:

        def start(kind: str, url: str) -> Watcher:
            if kind == "chromium":
                return opened.enter_context(InChromium.watching(url, browser))
            return opened.enter_context(InNode.watching(kind, url, Path(mkdtemp(dir=tmp_path))))

        yield start
