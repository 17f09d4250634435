"""What many tests need: a real server of their own, and an application on it."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from events.redis.connections.client import RedisClient
from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.use_cases.application import Application
from tests.events.proxy import BadConnection

# Every run tries the same examples, so that whether it passes depends on the code alone. Others are tried by
# `pytest --hypothesis-profile default`.
hypothesis.settings.register_profile("steady", derandomize=True)
hypothesis.settings.load_profile("steady")


@pytest.fixture(scope="session")
def server() -> Iterator[EmbeddedServer]:
    """A real server in memory, one for each test process; ask for `redis_url` instead to find it empty."""
    with EmbeddedServer(None) as server:
        yield server


@pytest.fixture
def redis_url(server: EmbeddedServer) -> str:
    """Where a real and empty server listens."""
    link = RedisClient.to(server.url, timeout=5.0)
    link.call("FLUSHALL")
    link.close()
    return server.url


@pytest.fixture
def settings(redis_url: str) -> Settings:
    """Settings for that server, without app keys."""
    return Settings(redis_url=redis_url, queue_url=redis_url)


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
def counted(redis_url: str, short_path: Path) -> Iterator[BadConnection]:
    """The way to that server, where requests are counted."""
    connection = BadConnection(redis_url, short_path)
    yield connection
    connection.close()
