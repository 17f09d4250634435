"""A stream of states by a ticket, through everything that a reconnect can mend."""

from collections.abc import Callable
from pathlib import Path

import pytest
import requests

from events.runtime.embedded import EmbeddedServer
from tests.browsers.conftest import Watch
from tests.browsers.watchers import CLOSED, Watcher, has_seen
from tests.service.conftest import gunicorn
from tests.service.table import FIRST_MOVE, SECOND_MOVE, Json, deck
from tests.support.engine import Engine
from tests.support.waiting import until

KINDS = ["chromium", "eventsource", "event-source-polyfill"]
SOON = 20.0  # seconds
Watchers = Callable[[str], dict[str, Watcher]]


class Game:
    """A private game of two people on a known deck."""

    def __init__(self, address: str) -> None:
        seats = [{"kind": "human"}, {"kind": "human"}]
        wanted = {"seats": seats, "setup": {"deck": deck()}}
        game = requests.post(f"{address}/v1/games", json=wanted, timeout=SOON).json()
        self.address = address
        self.at = f"{address}/v1/games/{game['id']}"
        self.tokens = [{"Authorization": f"Bearer {seat['token']}"} for seat in game["seats"]]

    def stream(self, **wanted: int) -> str:
        """The address of seat 0's stream of states."""
        answer = requests.post(f"{self.at}/tickets", json=wanted, headers=self.tokens[0], timeout=SOON)
        return f"{self.address}{answer.json()['stream']}&views=true"

    def move(self, seat: int, move: Json) -> int:
        """Make a move; the version after it."""
        answer = requests.post(f"{self.at}/moves", json=move, headers=self.tokens[seat], timeout=SOON)
        assert answer.status_code == 201, answer.text
        return int(answer.json()["version"])


@pytest.fixture
def watchers(watch: Watch) -> Watchers:
    """All kinds of watchers, at one address."""
    return lambda url: {kind: watch(kind, url) for kind in KINDS}


def see(watchers: dict[str, Watcher], condition: Callable[[Watcher], object]) -> None:
    """Return once all of them have seen something."""
    until(
        lambda: all(condition(watcher) for watcher in watchers.values()),
        otherwise=lambda: str({kind: watcher.seen() for kind, watcher in watchers.items()}),
    )


@pytest.mark.nightly(
    "an EventSource of a browser or of Node does not come again to an engine that was killed"
)
def test_an_engine_that_is_killed_in_mid_game(engine: Engine, watchers: Watchers) -> None:
    """The same EventSource shows what happens after the restart, to the end of the game.

    No reconnect mends a ticket that has expired, so the page is told: it asks for another one.
    """
    game = Game(engine.url)
    expired = watchers(game.stream(expires_in=1))
    following = watchers(game.stream())
    see(following, lambda watcher: has_seen(watcher, 2))
    version = game.move(0, FIRST_MOVE)
    see(following, lambda watcher: has_seen(watcher, version))
    engine.kill_supervisor()
    see(following, lambda watcher: "error" in watcher.seen()[-1])
    so_far = {kind: len(watcher.seen()) for kind, watcher in following.items()}
    engine.start()
    version = game.move(1, SECOND_MOVE)
    for kind, watcher in following.items():
        see({kind: watcher}, lambda watcher, after=so_far[kind]: has_seen(watcher, version, after))  # type: ignore[misc]
    version = game.move(0, {"type": "resign"})
    see(following, lambda watcher: watcher.seen()[-1] == {"end": True})
    for watcher in following.values():
        assert {"error": CLOSED} not in watcher.seen()
    see(expired, lambda watcher: {"error": CLOSED} in watcher.seen())


@pytest.mark.nightly("an EventSource of a browser or of Node gives up while the store starts")
def test_a_store_that_comes_late(tmp_path: Path, watchers: Watchers) -> None:
    """An EventSource that begins while the service answers 503 to everybody else gets its first state in the end."""
    data = tmp_path / "store"
    with EmbeddedServer(data) as first, gunicorn(first.url, tmp_path / "web.log") as address:
        game = Game(address)
        stream = game.stream()
        first.stop()
        assert requests.get(game.at, headers=game.tokens[0], timeout=SOON).status_code == 503
        waiting = watchers(stream)
        see(waiting, lambda watcher: len(watcher.seen()) >= 2)
        for watcher in waiting.values():
            assert {"error": CLOSED} not in watcher.seen()
        with EmbeddedServer(data):
            see(waiting, lambda watcher: has_seen(watcher, 2))
            version = game.move(0, FIRST_MOVE)
            see(waiting, lambda watcher: has_seen(watcher, version))
