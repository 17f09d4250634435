"""Real engines for the clients."""

import hashlib
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.engine import FEW, Engine
from tests.support.markdown import ROOT, blocks
from tests.support.node import NODE, node_modules
from tests.support.running import output

APP_KEY = "mgapp_" + "c" * 43
HASHED = hashlib.sha256(APP_KEY.encode()).hexdigest()


TYPESCRIPT = ROOT / "clients/typescript"
PROGRAMS = Path(__file__).parent / "programs"
NPM_CLI = NODE.parents[1] / "lib/node_modules/npm/bin/npm-cli.js"
NPM: list[str | Path] = [NODE, NPM_CLI, "--offline", "--no-audit", "--no-fund"]


class Address(NamedTuple):
    """The URL of an engine, and the key of an app that it knows."""

    url: str
    app_key: str


@pytest.fixture(scope="package")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    """A running engine, in memory, which may call bots on this machine."""
    data = tmp_path_factory.mktemp("engine") / "data"
    settings = {"MIGRATO_APP_KEYS": f"clients={HASHED}", "MIGRATO_REMOTE_ALLOW": "127.0.0.1"}
    # Nobody waits for long until a connection counts as dead; only a bot that fails takes its minute.
    settings |= {"MIGRATO_STREAM_HEARTBEAT": "1", "MIGRATO_REMOTE_SECONDS": "60"}
    engine = Engine(data, "--ephemeral", **settings)
    try:
        yield Address(engine.start().url, APP_KEY)
    finally:
        engine.end()


@pytest.fixture(scope="package")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the client and the kit in Python, and nothing else of the tree."""
    folder = tmp_path_factory.mktemp("python")
    alone = ("--no-deps", "--no-build-isolation", "--no-index", "--quiet")
    trees = [
        shutil.copytree(ROOT / "clients" / package, folder / package) for package in ("python", "python-bots")
    ]
    output([sys.executable, "-m", "pip", "install", *alone, "--target", folder / "site", *trees], folder)
    return folder / "site"


@pytest.fixture(scope="package")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the TypeScript package and the programs."""
    folder = tmp_path_factory.mktemp("installed")
    tree = shutil.copytree(TYPESCRIPT, folder / "tree")
    (folder / "package.json").write_text('{"private": true, "type": "module"}')
    output([*NPM, "install", "--install-links", tree], folder)
    shutil.copytree(PROGRAMS, folder, dirs_exist_ok=True)
    (folder / "page.ts").write_text("\n".join(blocks(TYPESCRIPT / "README.md", "ts")))
    shutil.copy(ROOT / "tests/generators/programs/tsconfig.json", folder)
    (folder / "node_modules/eventsource").symlink_to(node_modules() / "eventsource")
    return folder


@pytest.fixture(scope="package")
def mortal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """A running engine that keeps its games on disk, for all that kill it and start it again."""
    data = tmp_path_factory.mktemp("mortal") / "data"
    engine = Engine(data, MIGRATO_APP_KEYS=f"clients={HASHED}", **FEW)
    try:
        yield engine.start()
    finally:
        engine.end()
