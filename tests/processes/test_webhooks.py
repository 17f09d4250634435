"""Webhooks of a whole engine, all of whose processes are killed at once in the middle of deliveries."""

import os
import signal
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest
import requests

from tests.processes.conftest import NewEngine
from tests.processes.players import Player, bots_game, is_settled
from tests.processes.receiver_outage import outage
from tests.waiting import until
from tests.webhooks.receiver import Got, Json, Receiver, receiver

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")


def test_everything_dies_in_mid_delivery(new_engine: NewEngine) -> None:
    """The receiver gets all that the app's log has, in order for each game, whatever was under way."""

    def takes_a_while(_: Got) -> int | None:
        time.sleep(0.05)
        return 200

    engine = new_engine(MIGRATO_REMOTE_ALLOW="127.0.0.1")
    engine.start()
    with receiver(takes_a_while) as server:
        created = requests.post(f"{engine.url}/v1/webhooks", json={"url": server.url}, timeout=10)
        assert created.status_code == 201, created.text
        games: list[str] = []
        for _ in range(3):
            watcher = Player(engine.url)
            games += [bots_game(watcher) for _ in range(2)]
            count = len(server.got)
            until(partial(has_more, server, count + 5), 30, engine.tail)
            for pid in [*engine.processes(), engine.pid]:
                kill(pid)
            engine.end()
            engine.start()
        watcher = Player(engine.url)
        until(lambda: all(is_settled(watcher.view(game_id)) for game_id in games), 60, engine.tail)
        for game_id in games:
            until(partial(is_over, server, game_id), 60, engine.tail)
        logged = all_events(engine.url)
        for game_id in games:
            wanted = [event["id"] for event in logged if event["data"]["game_id"] == game_id]
            assert [event["id"] for event in server.of_game(game_id)] == wanted
            assert len(wanted) > 4


def test_a_receiver_that_is_killed_for_a_while(new_engine: NewEngine, tmp_path: Path) -> None:
    """It gets all that it has missed, in order for each game; by `tests.processes.receiver_outage` for longer."""
    engine = new_engine(MIGRATO_REMOTE_ALLOW="127.0.0.1").start()
    assert outage(engine, tmp_path, 6.0).missed > 20


def kill(pid: int) -> None:
    """SIGKILL, unless it is gone already."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def has_more(server: Receiver, count: int) -> bool:
    """Whether the receiver has got so many requests."""
    return len(server.got) >= count


def is_over(server: Receiver, game_id: str) -> bool:
    """Whether the receiver knows that nothing follows in the game."""
    return [event["type"] for event in server.of_game(game_id)][-1:] == ["game.scored"]


def all_events(url: str) -> list[Json]:
    """All that is in the log."""
    found: list[Json] = []
    after = "0"
    while True:
        page = requests.get(f"{url}/v1/events?after={after}", timeout=10).json()
        if not page["events"]:
            return found
        found += page["events"]
        after = page["next"]
