"""A browser, an engine, and what pages complained of."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from drills.ports import free_port
from tests.browsers.chromium import browsing
from tests.page.browser import USUAL, Contexts, Errors, kept
from tests.page.prepared import Prepared
from tests.support.engine import Engine

PATIENCE = 90_000  # milliseconds for whatever a page is to show, on a busy machine
expect.set_options(timeout=PATIENCE)
Visit = Callable[..., Page]
Sit = Callable[..., Page]


@pytest.fixture(scope="package")
def app() -> str:
    """The origin of somebody's app, which may show tables of the engine."""
    return f"http://localhost:{free_port()}"


@pytest.fixture(scope="package")
def engine(tmp_path_factory: pytest.TempPathFactory, app: str) -> Iterator[Engine]:
    """An engine that all tests share but those that hurt one."""
    engine = Engine(tmp_path_factory.mktemp("engine") / "data", MIGRATO_EMBED_ANCESTORS=app).start()
    yield engine
    engine.end()


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A browser."""
    with browsing() as browser:
        yield browser


@pytest.fixture(scope="package")
def contexts(browser: Browser) -> Contexts:
    """The contexts of that browser."""
    return Contexts(browser)


@pytest.fixture
def visit(contexts: Contexts) -> Iterator[Visit]:
    """Opens pages of browsers that know nothing of one another; at the end none may have complained.

    A `fresh` one has loaded nothing before; the time of one that `has_clock` can be set forward; scripts run at the
    start of each page.
    """
    complaints: list[Errors] = []
    with ExitStack() as stack:

        def opened(*scripts: str, fresh: bool = False, **wanted: Any) -> Page:
            wanted = {**USUAL, **wanted}
            if fresh:
                page, errors = contexts.new(**wanted)
                stack.callback(page.context.close)
                for script in scripts:
                    page.context.add_init_script(script)
            else:
                page, errors = stack.enter_context(contexts.lent(*scripts, **wanted))
            page.context.set_default_timeout(PATIENCE)
            complaints.append(errors)
            return page

        yield opened
        found = [error for errors in complaints for error in errors]
    assert found == []


@pytest.fixture
def page(visit: Visit) -> Page:
    """An empty page."""
    return visit()


@pytest.fixture
def sit(visit: Visit) -> Sit:
    """Opens an address, the game's table unless another one is given, for somebody who holds a seat of the game."""

    def opened(game: Prepared, seat: int = 0, address: str = "", *scripts: str, **wanted: Any) -> Page:
        page = visit(kept(**game.seat(seat)), *scripts, **wanted)
        page.goto(game.url + (address or f"/play/{game.id}"))
        if not address:
            expect(page.locator(".table")).to_be_visible()
        return page

    return opened
