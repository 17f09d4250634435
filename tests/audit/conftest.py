"""The audited games, played once."""

import pytest

from events.runtime.embedded import EmbeddedServer
from tests.audit.games import Corpus, corpus


@pytest.fixture(scope="session")
def played(server: EmbeddedServer) -> Corpus:
    """Games of every kind; nothing changes them."""
    return corpus(server.url)
