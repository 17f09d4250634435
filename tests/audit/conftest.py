"""The audited games, played once, and a table to play more."""

from collections.abc import Iterator

import pytest

from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from tests.audit.games import Corpus, Table, corpus, unhurried


@pytest.fixture(scope="session")
def played(server: EmbeddedServer) -> Corpus:
    """Games of every kind; nothing changes them."""
    with unhurried():
        return corpus(server.url)


@pytest.fixture(scope="module")
def table(server: EmbeddedServer) -> Iterator[Table]:
    """A table on the server that all tests share; a game belongs to the test that plays it."""
    with unhurried():
        yield Table(bootstrap.application(Settings(redis_url=server.url, queue_url=server.url)))
