"""Clocks of real processes: a store that stands still while time runs out, and one that was set back by an hour."""

import signal
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import requests

from domain.lifecycle import Seat
from events.engine.access import new_game_id
from events.engine.new_game import NewGame
from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.due_games import PARTITIONS
from events.store.link import link_to
from tests.support.engine import Engine
from tests.support.players import Player
from tests.support.running import running
from tests.support.waiting import LIMIT, until

HOUR_MS = 3_600_000
TURN = 5  # seconds that a player has
STANDS_STILL = timedelta(seconds=4)  # at least: an outage is what is longer than 3

Json = dict[str, Any]


def set_back(link: RedisClient) -> None:
    """Leave the feeds as a clock that was set back does: their ids, which only grow, are an hour ahead of it."""
    seconds, _ = link.call("TIME")
    entry, game = f"{int(seconds) * 1000 + HOUR_MS}-0", new_game_id()
    fields = ("game", game, "first", 1, "last", 1, "types", "x", "due", "")
    link.calls([("XADD", keys.feed(partition), entry, *fields) for partition in PARTITIONS])


def test_a_clock_that_is_set_back_stops_no_game(redis_url: str, tmp_path: Path) -> None:
    """The dispatcher notices lost jobs within seconds, by a clock of its own."""
    with EmbeddedServer(None) as queue:
        queue_link = link_to(queue.url, 5.0)
        set_back(link_to(redis_url, 5.0))
        environ = {"MIGRATO_REDIS_URL": redis_url, "MIGRATO_QUEUE_URL": queue.url}
        application = bootstrap.application(Settings(redis_url=redis_url))

        def moved() -> bool:
            queue_link.call("FLUSHALL")  # whatever was asked for is lost
            return application.views.snapshot(game_id).version > 2

        with running([sys.executable, "-m", "workers", "dispatch"], environ, tmp_path / "log", None):
            until(lambda: queue_link.call("EXISTS", "migrato:dispatcher:alive"))
            seats = (Seat("bot", bot="greedy"), Seat("bot", bot="greedy"))
            game_id = application.creation.create("club", NewGame(seats=seats)).snapshot.game_id
            until(moved, otherwise=(tmp_path / "log").read_text)


def new_game(url: str, seconds: int = TURN) -> Json:
    """A game whose first player has so many seconds a move, and loses after them."""
    wanted = {"seats": [{"kind": "human"}] * 2, "clock": {"kind": "per-move", "seconds": seconds}}
    answer = requests.post(f"{url}/v1/games", json=wanted, timeout=LIMIT)
    assert answer.status_code == 201, answer.text
    game: Json = answer.json()
    return game


def events_of(player: Player, game: Json, kind: str) -> list[Json]:
    """The game's events of a kind."""
    return [event for event in player.events(game["id"]) if event["type"] == kind]


@pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")
def test_a_store_that_stands_still_costs_nobody_a_game(mortal: Engine) -> None:
    """It stops until a deadline has passed: whoever moves then is in time; whoever does not loses by a later deadline,
    not by the one that passed meanwhile.
    """
    link = link_to(f"unix://{mortal.data_dir}/redis/redis.sock", 5.0)
    # An outage is what follows a look at the clocks, and looks begin with the first clock.
    new_game(mortal.url, 3600)
    until(lambda: link.call("EXISTS", keys.WATCHED), otherwise=mortal.tail)
    while True:
        moves, sleeps = new_game(mortal.url), new_game(mortal.url)
        first, second = (Player(mortal.url, game["seats"][0]["token"]) for game in (moves, sleeps))
        begun, due = (datetime.fromisoformat(game["clock"]["deadline"]) for game in (moves, sleeps))
        legal = first.ask("GET", f"/v1/games/{moves['id']}/legal-moves")["moves"][0]
        stopped = datetime.now(UTC)
        mortal.signal("store", signal.SIGSTOP)
        if datetime.now(UTC) < begun:
            break
        mortal.signal("store", signal.SIGCONT)  # on a busy machine time may be up before: once more
    until(lambda: datetime.now(UTC) > max(due, stopped + STANDS_STILL))  # what is tested is time
    woken = datetime.now(UTC)
    mortal.signal("store", signal.SIGCONT)
    played = first.ask("POST", f"/v1/games/{moves['id']}/moves", legal, "the-move-after-the-pause")
    assert played["events"]
    ended = [event["version"] for event in events_of(first, moves, "turn_timed_out")]
    assert [version for version in ended if version <= played["version"]] == []
    until(lambda: events_of(second, sleeps, "turn_timed_out"), otherwise=mortal.tail)
    (up,) = events_of(second, sleeps, "turn_timed_out")
    (credit,) = events_of(second, sleeps, "clock_credited")
    assert datetime.fromisoformat(up["data"]["deadline"]) > woken
    assert credit["data"]["milliseconds"] >= (woken - stopped) / timedelta(milliseconds=1)
    assert datetime.fromisoformat(credit["data"]["until"]) > due
