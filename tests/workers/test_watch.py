"""The watch over the clocks, and what it does about a store that stops: by a real server that is really stopped."""

import os
import signal
import time
from collections.abc import Iterator

import pytest

from domain.registry import GAMES
from events.errors import StoreUnavailable
from events.games.access import Caller
from events.games.command_handler import utc_now
from events.games.new_game import NewGame
from events.redis import keys
from events.redis.connections.client import RedisClient
from events.redis.deadlines import RedisClockStore
from events.redis.event_store import RedisEventStore
from events.redis.listings import RedisListings
from events.redis.people.players import RedisPlayerStore
from events.runtime.bootstrap import wired
from events.runtime.embedded import EmbeddedServer
from events.use_cases.application import Application
from tests.events.timed import clocked, kinds, move, people
from workers.clocks.watch import Watch

LAPSE = 400  # milliseconds here, so that little has to be waited for
SECONDS_2 = {"kind": "per-move", "seconds": 2}


def on(url: str, lapse: int = LAPSE) -> tuple[Application, Watch]:
    """An application in real time, and a watch over its clocks."""
    link = RedisClient.to(url, 0.5)
    clocks = RedisClockStore(link, lapse)
    here = wired(
        RedisEventStore(link, link, 5.0), RedisListings(link), GAMES, RedisPlayerStore(link), clocks=clocks
    )
    assert here.timekeeping is not None
    return here, Watch(clocks, here.timekeeping)


@pytest.fixture
def stoppable() -> Iterator[EmbeddedServer]:
    """A server of one's own."""
    with EmbeddedServer(None) as server:
        yield server


def watch_for(watch: Watch, seconds: float) -> None:
    """As the dispatcher does."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        watch.look()
        time.sleep(0.05)


def test_time_that_is_up_is_recorded_though_nobody_asks(redis_url: str) -> None:
    """Within a look; the next turn's, too."""
    here, watch = on(redis_url)
    game_id = clocked(here, {"kind": "per-move", "seconds": 1, "when_up": "bot"}, "migo", 3)
    watch_for(watch, 2.5)
    events = here.views.history(game_id)
    assert [event.seat for event in events if event.type == "turn_timed_out"] == [0, 1]
    assert "clock_credited" not in kinds(here, game_id)


def test_where_no_clock_runs_nothing_is_written(redis_url: str) -> None:
    """Not even that somebody looked."""
    here, watch = on(redis_url)
    here.creation.create("a", NewGame(seats=people(2)))
    link = RedisClient.to(redis_url, 5.0)
    watch_for(watch, 0.3)
    assert not link.call("EXISTS", keys.WATCHED, keys.OUTAGES)


@pytest.mark.parametrize("first", ["the player", "the watch"])
def test_a_paused_store_costs_nobody_a_game(stoppable: EmbeddedServer, first: str) -> None:
    """The deadline passes while the server stands still; whoever comes first after it, the time is given back."""
    here, watch = on(stoppable.url)
    game_id, bank = clocked(here, SECONDS_2), clocked(here, {"kind": "bank", "seconds": 2})
    watch_for(watch, 0.5)
    pid = stoppable_pid(stoppable)
    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(StoreUnavailable):
            move(here, game_id)
        with pytest.raises(StoreUnavailable):
            watch.look()
        time.sleep(3.0)
    finally:
        os.kill(pid, signal.SIGCONT)
    if first == "the watch":
        watch_for(watch, 0.3)
    move(here, game_id)
    move(here, bank)
    for one in (game_id, bank):
        assert kinds(here, one).count("clock_credited") == 1
        assert "turn_timed_out" not in kinds(here, one)
    watch_for(watch, 0.3)
    assert kinds(here, game_id).count("clock_credited") == 1


def stoppable_pid(server: EmbeddedServer) -> int:
    """Of the server's process."""
    about = RedisClient.to(server.url, 5.0).call("INFO", "server")
    return int(next(line for line in about.decode().splitlines() if line.startswith("process_id:"))[11:])


def test_nobody_watched(redis_url: str) -> None:
    """While no dispatcher is there, time stands still: the first one that comes gives it back."""
    here, watch = on(redis_url)
    game_id = clocked(here, SECONDS_2)
    watch_for(watch, 0.2)
    time.sleep(2.5)
    _, later = on(redis_url)
    watch_for(later, 0.2)
    assert kinds(here, game_id)[-1] == "clock_credited"


def test_a_clock_that_is_the_first_in_a_while(redis_url: str, caplog: pytest.LogCaptureFixture) -> None:
    """Nobody had looked, for there was nothing to look at; that is no outage."""
    here, watch = on(redis_url)
    here.interventions.abort(clocked(here, SECONDS_2), Caller("app", app="a"))
    watch_for(watch, 0.2)
    RedisClient.to(redis_url, 5.0).call("SET", keys.WATCHED, int(time.time() * 1000) - 60_000)
    game_id = clocked(here, SECONDS_2)
    watch_for(watch, 0.3)
    assert kinds(here, game_id)[-1] == "clock_set"
    assert not caplog.records


def test_several_watches_record_it_once(redis_url: str) -> None:
    """Whoever looks first; an outage is given back once, too."""
    both = [on(redis_url) for _ in range(3)]
    here = both[0][0]
    game_id = clocked(here, {"kind": "per-move", "seconds": 1, "when_up": "replace"})
    until = time.monotonic() + 1.5
    while time.monotonic() < until:
        for _, watch in both:
            watch.look()
        time.sleep(0.05)
    assert kinds(here, game_id).count("turn_timed_out") == kinds(here, game_id).count("player_replaced") == 1


def test_one_broken_game_does_not_stop_the_others(redis_url: str, caplog: pytest.LogCaptureFixture) -> None:
    """A deadline of a game that is not there, and one in a key of a wrong type."""
    here, watch = on(redis_url)
    game_id = clocked(here, {"kind": "per-move", "seconds": 1})
    link, nobody = RedisClient.to(redis_url, 5.0), "0" * 22
    link.call("ZADD", keys.deadlines(keys.partition_of(nobody)), 1, nobody)
    free = next(one for one in range(keys.PARTITIONS) if not link.call("EXISTS", keys.deadlines(one)))
    link.call("SET", keys.deadlines(free), "what is this?")
    watch_for(watch, 1.2)
    assert "game_ended" in kinds(here, game_id)
    assert "cannot be kept" in caplog.text


def test_outages_are_told_by_the_stores_own_clock(redis_url: str) -> None:
    """Found by the first look after them, told to every later one, forgotten in time."""
    link = RedisClient.to(redis_url, 5.0)
    store, other = RedisClockStore(link, 100), RedisClockStore(link, 100)
    assert store.watched(0).outages == []
    time.sleep(0.2)
    (found,) = other.watched(0).outages
    assert 200 <= found[1] - found[0] < 2000
    assert list(store.watched(0).outages) == [found]
    assert store.watched(found[1] + 1).outages == []
    assert abs(store.watched(0).now - utc_now().timestamp() * 1000) < 5000


def test_a_store_whose_clock_was_set_back(redis_url: str) -> None:
    """Looks go on from there."""
    link = RedisClient.to(redis_url, 5.0)
    store = RedisClockStore(link, 100)
    link.call("SET", keys.WATCHED, int(time.time() * 1000) + 3_600_000)
    assert store.watched(0).outages == []
    time.sleep(0.2)
    assert len(store.watched(0).outages) == 1
