"""A real engine for clients to play on, and events that it told."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from domain.registry import DEFAULT_GAME, GAMES
from tests.generators.played import stored_page, told_pages
from tests.support.engine import FEW, Engine

APP_KEY = "mgapp_" + "g" * 43


OTHERS = "a generator that is not ours makes a client that does not compile, or does not play"


@pytest.hookimpl(tryfirst=True)  # before others look at the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this folder as nightly."""
    for item in items:
        if item.nodeid.startswith("tests/generators/"):
            item.add_marker(pytest.mark.nightly(OTHERS))


class Newer(NamedTuple):
    """Files of a page as the description has it, of the same with a new member in each event, and with a new type."""

    base: Path
    member: Path
    kind: Path


class Address(NamedTuple):
    """The URL of an engine, and the key of an app that it knows."""

    url: str
    app_key: str


@pytest.fixture(scope="package")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    """A running engine; in memory, so that a slow disk does not slow it."""
    data = tmp_path_factory.mktemp("engine") / "data"
    app = f"generators={hashlib.sha256(APP_KEY.encode()).hexdigest()}"
    engine = Engine(data, "--ephemeral", MIGRATO_APP_KEYS=app, **{**FEW, "MIGRATO_THINK_WORKERS": "1"})
    try:
        yield Address(engine.start().url, APP_KEY)
    finally:
        engine.end()


@pytest.fixture(scope="package")
def pages(address: Address, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """For each game a file with a list of EventsPage documents, in which every type of event is."""
    folder = tmp_path_factory.mktemp("pages")
    files = {game: folder / f"{game}.json" for game in GAMES}
    for game, file in files.items():
        stored = [stored_page()] if game == DEFAULT_GAME else []  # only of this game are there old ones
        file.write_text(json.dumps([*told_pages(*address, game), *stored]))
    return files


@pytest.fixture(scope="package")
def newer(tmp_path_factory: pytest.TempPathFactory) -> Newer:
    """Pages that an engine that has learnt something might tell an older client."""
    folder, page = tmp_path_factory.mktemp("newer"), stored_page()
    more = {"base": {}, "member": {"weather": "fair"}, "kind": {"type": "weather_changed", "data": {}}}
    files = {name: folder / f"{name}.json" for name in more}
    for name, members in more.items():
        file = [page | {"events": [event | members for event in page["events"]]}]
        files[name].write_text(json.dumps(file))
    return Newer(**files)
