"""A browser, an engine, and what pages complained of."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.page.browser import Errors, browsing
from tests.processes.engine import Engine

HERE = Path(__file__).parent
PATIENCE = 40_000  # milliseconds for whatever a page is to show, on a busy machine
expect.set_options(timeout=PATIENCE)
Visit = Callable[..., BrowserContext]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of them by one worker of pytest-xdist: there are few cores."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("processes"))


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine that runs."""
    engine = Engine(tmp_path_factory.mktemp("engine") / "data").start()
    yield engine
    engine.end()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser."""
    with browsing() as browser:
        yield browser


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Opens browsers that know nothing of one another; at the end no page may have complained."""
    errors, contexts = Errors(), []

    def context(**wanted: Any) -> BrowserContext:
        opened = browser.new_context(**{"locale": "en", "reduced_motion": "reduce", **wanted})
        opened.set_default_timeout(PATIENCE)
        errors.watch(opened)
        contexts.append(opened)
        return opened

    yield context
    for opened in contexts:
        opened.close()
    assert errors == []
