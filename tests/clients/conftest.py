"""Real engines for the clients."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.processes.engine import Engine

HERE = Path(__file__).parent
APP_KEY = "mgapp_" + "c" * 43
HASHED = hashlib.sha256(APP_KEY.encode()).hexdigest()


class Address(NamedTuple):
    """Where an engine listens, and the key of an app that it knows."""

    url: str
    app_key: str


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks at the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of them by one worker of pytest-xdist: there are few cores."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("processes"))


@pytest.fixture(scope="package")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    """A running engine, in memory, which may call bots on this machine."""
    data = tmp_path_factory.mktemp("engine") / "data"
    settings = {"MIGRATO_APP_KEYS": f"clients={HASHED}", "MIGRATO_REMOTE_ALLOW": "127.0.0.1"}
    engine = Engine(data, "--ephemeral", **settings)
    try:
        yield Address(engine.start().url, APP_KEY)
    finally:
        engine.end()


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Engine]:
    """A running engine for one test, which keeps its games on disk."""
    engine = Engine(tmp_path / "data", MIGRATO_APP_KEYS=f"clients={HASHED}")
    try:
        yield engine.start()
    finally:
        engine.end()
