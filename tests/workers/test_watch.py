"""The watch over the clocks, in a store whose own clock a test puts forward; and a store that is really stopped."""

import os
import signal
import time

import pytest

from events.application import Application
from events.engine.access import Caller
from events.engine.new_game import NewGame
from events.errors import StoreUnavailable
from events.features.clocks import redis as deadlines
from events.features.clocks.redis import LAPSE, RedisClockStore
from events.runtime.embedded import EmbeddedServer
from events.store import keys
from events.store.event_store import RedisEventStore
from events.store.link import link_to
from tests.events.timed import Time, clocked, kinds, move, people, timed
from tests.support.sure import sure
from workers.reactions.clocks import ClockWatch

OUTAGE = LAPSE / 1000 + 1  # seconds
SECONDS_2 = {"kind": "per-move", "seconds": 2}
TIME = "{redis.call('GET', 'a test says that it is') or 0, 0}"


class Place:
    """A store and an application on it, for both of which time passes when a test says so."""

    def __init__(self, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(deadlines, "LOOK", deadlines.LOOK.replace("redis.call('TIME')", TIME))
        self.link, self._time = link_to(url, 5.0), Time()
        self.store = RedisClockStore(self.link)
        self.here: Application = timed(url, self._time, self.store)
        self.passes(0)

    def passes(self, seconds: int) -> None:
        """Let time pass, or go back."""
        self._time.passes(seconds)
        self.link.call("SET", "a test says that it is", self._time.milliseconds // 1000)

    def watch(self, store: RedisClockStore | None = None) -> ClockWatch:
        return ClockWatch(store or self.store, sure(self.here.timekeeping))

    def watched(self, seconds: int, *watches: ClockWatch) -> None:
        """So much time passes, in which they look once a second."""
        for watch in watches:
            watch.look()
        for _ in range(seconds):
            self.passes(1)
            for watch in watches:
                watch.look()

    def count(self, game_id: str, kind: str) -> int:
        """The number of the game's events of that type."""
        return kinds(self.here, game_id).count(kind)


@pytest.fixture
def place(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> Place:
    return Place(redis_url, monkeypatch)


def test_time_that_is_up_is_recorded_though_nobody_asks(place: Place) -> None:
    """Within a look; the next turn's, too; by several watches once."""
    game_id = clocked(place.here, {"kind": "per-move", "seconds": 1, "when_up": "bot"}, "migo", 3)
    other = clocked(place.here, {"kind": "per-move", "seconds": 1, "when_up": "replace"})
    place.watched(3, *(place.watch() for _ in range(3)))
    events = place.here.views.history(game_id)
    assert [event.seat for event in events if event.type == "turn_timed_out"][:2] == [0, 1]
    assert "clock_credited" not in kinds(place.here, game_id)
    assert place.count(other, "turn_timed_out") == place.count(other, "player_replaced") == 1


def test_without_a_running_clock_nothing_is_written(place: Place) -> None:
    """Nothing is written while no clock runs, not even that a process looked."""
    place.here.creation.create("a", NewGame(seats=people(2)))
    place.watched(2, place.watch())
    assert not place.link.call("EXISTS", keys.WATCHED, keys.OUTAGES)


def test_a_paused_store_costs_nobody_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """The deadline passes while the server stands still; it is given back to the first who comes after it."""
    with EmbeddedServer(None) as server:
        place, hasty = Place(server.url, monkeypatch), link_to(server.url, 0.1)
        assert server.pid is not None
        watch = place.watch()
        for first in ("the player", "the watch"):
            games = [clocked(place.here, clock) for clock in (SECONDS_2, {"kind": "bank", "seconds": 2})]
            place.watched(1, watch)
            os.kill(server.pid, signal.SIGSTOP)
            try:
                with pytest.raises(StoreUnavailable):
                    place.watch(RedisClockStore(hasty)).look()
                with pytest.raises(StoreUnavailable):
                    RedisEventStore(hasty, hasty, 5.0).read(games[0])
            finally:
                os.kill(server.pid, signal.SIGCONT)
            place.passes(int(OUTAGE))
            if first == "the watch":
                place.watched(0, watch)
            for game_id in games:
                move(place.here, game_id)
                assert place.count(game_id, "clock_credited") == 1
                assert place.count(game_id, "turn_timed_out") == 0
            place.watched(1, watch)
            assert place.count(games[0], "clock_credited") == 1


def test_time_stands_still_while_no_dispatcher_is_there(place: Place) -> None:
    """The first one that comes gives it back."""
    game_id = clocked(place.here, SECONDS_2)
    place.watched(1, place.watch())
    place.passes(int(OUTAGE))
    place.watched(0, place.watch())
    assert kinds(place.here, game_id)[-1] == "clock_credited"


def test_the_first_clock_in_a_while_finds_no_outage(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    """Nobody had looked, for there was nothing to look at."""
    watch = place.watch()
    place.here.interventions.abort(clocked(place.here, SECONDS_2), Caller("app", app="a"))
    place.watched(1, watch)
    place.link.call("SET", keys.WATCHED, 1)
    game_id = clocked(place.here, SECONDS_2)
    place.watched(1, watch)
    assert kinds(place.here, game_id)[-1] == "clock_set"
    assert not caplog.records


def test_one_broken_game_does_not_stop_the_others(place: Place, caplog: pytest.LogCaptureFixture) -> None:
    """A deadline of a game that is not there, and one in a key of a wrong type."""
    game_id, nobody = clocked(place.here, {"kind": "per-move", "seconds": 1}), "0" * 22
    place.link.call("ZADD", keys.deadlines(keys.partition_of(nobody)), 1, nobody)
    indices = map(keys.deadlines, range(keys.PARTITIONS))
    place.link.call("SET", next(one for one in indices if not place.link.call("EXISTS", one)), "garbage")
    place.watched(2, place.watch())
    assert "game_ended" in kinds(place.here, game_id)
    assert "cannot be kept" in caplog.text


def test_outages_are_told_by_the_stores_own_clock(place: Place) -> None:
    """Found by the first look after them, told to every later one, forgotten in time; also where it is set back."""
    store, other = place.store, RedisClockStore(place.link)
    assert store.watched(0).outages == []
    place.passes(LAPSE // 1000)
    assert store.watched(0).outages == []
    place.passes(int(OUTAGE))
    (found,) = other.watched(0).outages
    assert found[1] - found[0] == OUTAGE * 1000
    assert list(store.watched(0).outages) == [found]
    assert store.watched(found[1] + 1).outages == []
    place.passes(-3600)
    assert len(store.watched(0).outages) == 1
    place.passes(int(OUTAGE))
    assert len(store.watched(0).outages) == 2


def test_the_stores_clock_is_the_servers(redis_url: str) -> None:
    now = RedisClockStore(link_to(redis_url, 5.0)).watched(0).now
    assert abs(now - time.time() * 1000) < 5000
