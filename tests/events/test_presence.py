"""Presence: who is connected, as several processes tell and hear it."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from events.engine.access import new_game_id
from events.features.presence import presence
from events.features.presence.port import GRACE, UNSEEN, WATCHED
from events.features.presence.presence import Presence, connected
from events.features.presence.redis import RedisPresence
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.link import link_to
from tests.events.conftest import NewLink
from tests.support.telling import KEEP_TELLING
from tests.support.waiting import until

GAME = new_game_id()
SHORT = 0.1  # seconds of grace
MakeProcess = Callable[..., Presence]


def told(process: Presence) -> list[int] | None:
    """The seats that are connected, once the process has told and heard."""
    process.tell()
    return process.of(GAME)


@pytest.fixture
def process(new_link: NewLink) -> MakeProcess:
    """Makes the presence of a process, which tells when the test says so."""

    def made(grace: float = GRACE) -> Presence:
        return Presence(RedisPresence(new_link()), grace=grace, in_background=False)

    return made


def test_a_seat_is_connected_while_a_stream_of_it_is_open_anywhere(process: MakeProcess) -> None:
    """All processes know; two streams of it are two, and for the grace it is as if the last one was still open."""
    here, there = process(), process()
    assert (connected(here.look(GAME)), here.of(GAME)) == ([], None)
    there.enter(GAME, None)
    leaving = [here.enter(GAME, 1), here.enter(GAME, 1)]
    there.tell()
    assert (here.of(GAME), there.of(GAME), connected(process().look(GAME))) == ([1], [1], [1])
    leaving[0]()
    leaving[0]()  # twice is once
    here.enter(GAME, 0)()
    leaving[1]()
    here.tell()
    assert (here.of(GAME), connected(process().look(GAME))) == ([0, 1], [0, 1])


def test_after_the_grace_it_is_connected_no_more(process: MakeProcess) -> None:
    """Neither here nor elsewhere; then a process forgets a game at which nobody looks."""
    here, there = process(SHORT), process(SHORT)
    leave_there = there.enter(GAME, None)
    here.enter(GAME, 1)()
    until(lambda: told(here) is None)
    until(lambda: told(there) == [])
    assert connected(process().look(GAME)) == []
    leave_there()
    there.tell()
    assert there.of(GAME) is None


def test_a_process_that_dies_takes_its_players_with_it(process: MakeProcess) -> None:
    """After the grace; another process's stream of the same seat keeps it connected."""
    dying, other = process(SHORT), process()
    dying.enter(GAME, 0)
    dying.enter(GAME, 1)
    other.enter(GAME, 1)
    until(lambda: told(other) == [1])
    assert connected(process().look(GAME)) == [1]


def test_a_process_goes_on_telling_while_anybody_is_there(
    new_link: NewLink, link: RedisClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also after an error that nobody has foreseen; a game that nobody looks at any more is forgotten. No process waits
    for that at its end.
    """
    failures = list[float]()

    def fail(*_: object) -> None:
        failures.append(time.monotonic())
        raise ValueError("not foreseen")

    monkeypatch.setattr(Presence, "_keep_telling", KEEP_TELLING)
    monkeypatch.setattr(presence, "PACE", 0.01)
    there = Presence(store := RedisPresence(new_link()), grace=SHORT)
    leave = there.enter(GAME, 0)
    assert {thread.daemon for thread in threading.enumerate() if thread.name == "presence"} == {True}
    with monkeypatch.context() as once:
        once.setattr(RedisPresence, "tell", fail)
        until(lambda: len(failures) > 1)
    link.call("DEL", keys.presence(GAME))
    until(lambda: store.hear([GAME])[GAME].get(0, 0) > 0)
    leave()
    until(lambda: there.of(GAME) is None)


def test_a_clock_that_was_ahead_makes_nobody_present(process: MakeProcess, link: RedisClient) -> None:
    """Nobody counts for longer than the grace, whatever time it was when it was told."""
    seconds, _ = link.call("TIME")
    link.call("ZADD", keys.presence(GAME), (int(seconds) + 200_000) * 1000, 0)
    heard = RedisPresence(link).tell({GAME: {1: 5.0}})[GAME]
    assert heard[1] <= 5.0 < heard[0] <= GRACE
    link.call("ZADD", keys.presence(GAME), (int(seconds) + 200_000) * 1000, 0)
    assert RedisPresence(link).hear([GAME])[GAME][0] == 0.0
    assert 0 < link.call("TTL", keys.presence(GAME)) <= 86_400


def test_time_away_counts_anew_once_nobody_was_told_of(link: RedisClient) -> None:
    """As all web processes end, or the store forgets all, or its clock is set; two processes that tell go on."""
    store, other = RedisPresence(link), RedisPresence(link)

    def watched() -> float:
        return other.tell({GAME: {0: GRACE}})[GAME][WATCHED]

    def at(key: str, member: str | int, seconds: float) -> None:
        server, _ = link.call("TIME")
        link.call("ZADD", key, int((int(server) + seconds) * 1000), member)

    assert WATCHED not in store.tell({GAME: {}})[GAME]
    assert store.tell({GAME: {0: GRACE}})[GAME][WATCHED] == 0
    at(keys.presence(GAME), WATCHED, -1000.0)
    at(keys.presence(GAME), 1, -500.0)
    assert watched() <= -999.0
    at(keys.ATTENDED, GAME, 1 - UNSEEN)
    assert watched() <= -999.0
    for seconds in (-UNSEEN - 2.0, -7200.0, 7200.0):
        at(keys.presence(GAME), WATCHED, -1000.0)
        at(keys.ATTENDED, GAME, seconds)
        assert watched() == 0
        assert store.hear([GAME])[GAME][1] <= -499.0
    at(keys.presence(GAME), WATCHED, 7200.0)
    assert store.hear([GAME])[GAME][WATCHED] == 0


def test_a_look_leaves_nothing_and_a_store_that_is_away_harms_nobody(
    process: MakeProcess, link: RedisClient, tmp_path: Path
) -> None:
    """A stream goes on without it, and is heard of when the store is back."""
    assert connected(process().look(GAME)) == []
    assert link.call("DBSIZE") == 0
    nowhere = Presence(RedisPresence(link_to(f"unix://{tmp_path}/nowhere", 0.1)), in_background=False)
    leave = nowhere.enter(GAME, 0)
    assert (nowhere.of(GAME), connected(nowhere.look(GAME))) == (None, [])
    nowhere.tell()
    leave()
    Presence(None).enter(GAME, 0)()


def test_a_key_of_a_wrong_type_hides_one_game_only(process: MakeProcess, link: RedisClient) -> None:
    """Others are told and heard of in the same send."""
    link.call("SET", keys.presence(GAME), "text")
    other = new_game_id()
    assert RedisPresence(link).tell({GAME: {0: 1.0}, other: {1: 1.0}})[GAME] == {}
    assert connected(process().look(other)) == [1]
