"""A store's clock that was set back by an hour: with a real dispatcher, whose queue loses every job."""

import sys
from pathlib import Path

from domain.lifecycle import Seat
from events.games.access import new_game_id
from events.games.new_game import NewGame
from events.redis import keys
from events.redis.connections.client import RedisClient
from events.redis.feed import PARTITIONS
from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from tests.project.running import running
from tests.waiting import until

HOUR_MS = 3_600_000


def set_back(link: RedisClient) -> None:
    """As after that: what is added to a feed is an hour ahead of the clock, since ids of entries only grow."""
    seconds, _ = link.call("TIME")
    entry, game = f"{int(seconds) * 1000 + HOUR_MS}-0", new_game_id()
    fields = ("game", game, "first", 1, "last", 1, "types", "x", "due", "")
    link.calls([("XADD", keys.feed(partition), entry, *fields) for partition in PARTITIONS])


def test_a_clock_that_is_set_back_stops_no_game(tmp_path: Path) -> None:
    """Lost jobs are missed by the dispatcher's own clock, in seconds."""
    with EmbeddedServer(None) as store, EmbeddedServer(None) as queue:
        store_link, queue_link = RedisClient.to(store.url, 5.0), RedisClient.to(queue.url, 5.0)
        set_back(store_link)
        environ = {"MIGRATO_REDIS_URL": store.url, "MIGRATO_QUEUE_URL": queue.url}
        application = bootstrap.application(Settings(redis_url=store.url))

        def moved() -> bool:
            queue_link.call("FLUSHALL")  # whatever was asked for is lost
            return application.views.snapshot(game_id).version > 2

        with running([sys.executable, "-m", "workers", "dispatch"], environ, tmp_path / "log", None):
            until(lambda: queue_link.call("EXISTS", "migrato:dispatcher:alive"), 60)
            seats = (Seat("bot", bot="greedy"), Seat("bot", bot="greedy"))
            game_id = application.creation.create("club", NewGame(seats=seats)).snapshot.game_id
            until(moved, 60, (tmp_path / "log").read_text)
