"""Fixtures of many tests: a real server of their own, and an application on it."""

import atexit
import gc
import importlib
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from flask.testing import FlaskClient

from compiled import ROOT
from compiled.__main__ import obstacle
from drills.cluster.servers import Cluster
from events.application import Application
from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.store.link import link_to
from tests.browsers.chromium import MISSING
from tests.support.chance import SteadyChance
from tests.support.programs import ABSENT
from tests.support.proxy import BadConnection
from tests.support.replacing import refuse_replacing_compiled_members
from tests.support.scripted_server import ScriptedServer, echo
from tests.support.telling import only_tests_tell

# `make test` tries the same examples every time, so that whether it passes depends on the code alone. `make test-all`
# tries others, with `--hypothesis-profile default`.
hypothesis.settings.register_profile("steady", derandomize=True)
hypothesis.settings.load_profile("steady")

SHARING = {"browsers", "clients", "cluster", "generators", "page", "processes"}  # folders
REQUEST_ID = "a-request-of-a-test"
_made = FlaskClient.__init__


def _make(client: FlaskClient, *args: Any, **kwargs: Any) -> None:
    """Clients send an id of their own, so that what two requests are answered can be compared."""
    _made(client, *args, **kwargs)
    client.environ_base["HTTP_X_REQUEST_ID"] = REQUEST_ID


FlaskClient.__init__ = _make  # type: ignore[assignment,method-assign]


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--on-cluster`: the tests of whole applications keep their games in a cluster of three servers."""
    parser.addoption("--on-cluster", action="store_true", help="keep games in a Redis Cluster")


def pytest_configure(config: pytest.Config) -> None:
    """Draws are steady, too, no member of a compiled module is replaced, and no thread tells who is connected."""
    config.pluginmanager.register(SteadyChance())
    refuse_replacing_compiled_members()
    only_tests_tell()


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks at the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests that share engines, browsers, clusters or generated clients are run by one worker of pytest-xdist."""
    for item in items:
        folder = item.nodeid.removeprefix("tests/").partition("/")[0]  # paths would cost a second
        if folder in SHARING:
            # The three of `browsers` take a minute, and workers begin with groups of many tests.
            item.add_marker(pytest.mark.xdist_group("clients" if folder == "browsers" else folder))
        elif "running_web" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("web"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """All other tests of a file are run by one worker, too: what they share is made once."""
    from xdist.scheduler import LoadGroupScheduling  # type: ignore[import-untyped]

    class ByFile(LoadGroupScheduling):  # type: ignore[misc]
        """A test's group, or else its file."""

        def _split_scope(self, nodeid: str) -> str:
            return str(super()._split_scope(nodeid)).partition("::")[0]

    return ByFile(config, log)


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """The garbage collector is off while pytest collects: it would find nothing.

    In a fresh clone pytest rewrites the assertions of every file. Each worker begins with files of its own, and finds
    those of the others rewritten.
    """
    gc.disable()
    worker = getattr(session.config, "workerinput", None)
    if worker is not None:
        _import_part(session.config.args, int(worker["workerid"].removeprefix("gw")), worker["workercount"])


def _import_part(chosen: Sequence[str], number: int, count: int) -> None:
    """Import every so many of the files with tests in these folders.

    One that cannot be imported fails or is skipped once it is collected.
    """
    files = [file for folder in chosen if Path(folder).is_dir() for file in Path(folder).rglob("test_*.py")]
    for file in sorted(files)[number::count]:
        with suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(file.resolve().relative_to(ROOT).with_suffix("").parts))


def pytest_collection_finish(session: pytest.Session) -> None:
    """The collector leaves all that was imported alone from now on, which saves a twentieth of the time."""
    gc.freeze()
    gc.enable()
    atexit.register(gc.unfreeze)  # DuckDB reports a leak of whatever the collector has not freed at the end


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say at the end, and not among other skips, how many tests had no browser, or no other program."""
    skipped = [str(report.longrepr) for report in terminalreporter.stats.get("skipped", [])]
    for what in (MISSING, ABSENT):
        if count := sum(what in reason for reason in skipped):
            named = what if what == MISSING else "a program or library " + ABSENT + " what each of them names"
            terminalreporter.write_sep("!", f"{count} TESTS WERE SKIPPED: {named}", red=True)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A cluster of three real servers in memory, one for each test process; it need not be empty."""
    with Cluster(3) as cluster:
        yield cluster


@pytest.fixture
def cluster_url(cluster: Cluster) -> str:
    """Address of an empty cluster."""
    link = link_to(cluster.url, timeout=5.0)
    link.call("FLUSHALL")
    link.close()
    return cluster.url


@pytest.fixture(scope="session")
def server() -> Iterator[EmbeddedServer]:
    """A real server in memory, one for each test process; ask for `redis_url` instead to find it empty."""
    with EmbeddedServer(None) as server:
        yield server


@pytest.fixture
def redis_url(server: EmbeddedServer) -> str:
    """Address of a real and empty server."""
    link = link_to(server.url, timeout=5.0)
    link.call("FLUSHALL")
    link.close()
    return server.url


@pytest.fixture
def evicting_url(redis_url: str) -> Iterator[str]:
    """The address of a real and empty server that throws keys away once its memory is full."""
    link = link_to(redis_url, timeout=5.0)
    link.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
    yield redis_url
    link.call("CONFIG", "SET", "maxmemory-policy", "noeviction")


@pytest.fixture
def settings(redis_url: str, request: pytest.FixtureRequest) -> Settings:
    """Settings for that server, without app keys."""
    on_cluster = request.config.getoption("--on-cluster")
    store = request.getfixturevalue("cluster_url") if on_cluster else redis_url
    return Settings(redis_url=store, queue_url=redis_url)


@pytest.fixture
def application(settings: Settings) -> Application:
    """The application with the real games on that server."""
    return bootstrap.application(settings)


@pytest.fixture
def short_path() -> Iterator[Path]:
    """A directory whose path is short enough for sockets, which `tmp_path` may not be."""
    with tempfile.TemporaryDirectory(prefix="migrato-test-") as directory:
        yield Path(directory)


@pytest.fixture
def scripted(short_path: Path) -> Iterator[ScriptedServer]:
    """A server that answers each request with the request itself."""
    server = ScriptedServer(short_path, echo)
    yield server
    server.close()


@pytest.fixture
def counted(redis_url: str, short_path: Path) -> Iterator[BadConnection]:
    """The way to that server, where requests are counted."""
    connection = BadConnection(redis_url, short_path)
    yield connection
    connection.close()


@pytest.fixture(scope="session")
def build() -> Path:
    """The compiled modules, made of the sources as they are now; without a compiler the test is skipped."""
    missing = obstacle()
    if missing:
        pytest.skip(f"nothing can be compiled here: {missing}")
    made = subprocess.run(
        [sys.executable, "-m", "compiled"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert made.stdout, made.stderr
    return Path(made.stdout.strip())
