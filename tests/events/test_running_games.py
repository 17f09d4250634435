"""The games of an app that are not over: exactly as many as it may have, even if many are created at once."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import pytest

from domain.errors import DomainError
from domain.lifecycle import Seat
from events.application import Application
from events.engine.access import Caller
from events.engine.new_game import NewGame
from events.errors import TooManyGames
from events.features.apps.redis import running_games
from events.features.apps.redis.running_games import RedisRunningGames
from events.store.connections.client import RedisClient
from events.store.link import link_to
from tests.events.dump import dump
from tests.events.wiring import application_on
from tests.support.proxy import BadConnection

NEW = NewGame("counter", {}, (Seat("human"), Seat("open")))


def limited_to(url: str, most: int) -> Application:
    """A process's application."""
    link = link_to(url, 5.0)
    return application_on(link, running=RedisRunningGames(link, most))


def test_one_too_many(redis_url: str) -> None:
    """Waiting and played games count, each app's for itself; one that is over makes room."""
    here = limited_to(redis_url, 2)
    first = here.creation.create("club", NEW).snapshot.game_id
    here.creation.create("club", NEW)
    with pytest.raises(TooManyGames) as refused:
        here.creation.create("club", NEW)
    assert refused.value.data == {"limit": {"name": "running-per-app", "quota": 2}}
    here.creation.create("team", NEW)
    RedisRunningGames(link_to(redis_url, 5.0), 2).take_place("club", first)  # it has one
    here.seats.take(first, 1, "bo", None, Caller("app", "club"), None)
    with pytest.raises(TooManyGames):
        here.creation.create("club", NEW)
    here.interventions.abort(first, Caller("app", "club"), None)
    with pytest.raises(TooManyGames):
        here.creation.create("club", NEW)  # the feed has not brought the listing up to date yet
    here.listing.update(first)
    here.creation.create("club", NEW)


def test_many_at_once(redis_url: str) -> None:
    """By two processes' applications: not one more than there may be, and not one less."""
    applications = [limited_to(redis_url, 50), limited_to(redis_url, 50)]

    def create(number: int) -> bool:
        try:
            applications[number % 2].creation.create("club", NEW)
        except TooManyGames:
            return False
        return True

    with ThreadPoolExecutor(32) as pool:
        created = list(pool.map(create, range(250)))
    assert created.count(True) == 50
    page = applications[0].listing.page("club", limit=50)
    assert (len(page.games), page.cursor) == (50, None)


def test_a_place_that_was_taken_for_nothing_is_free_again(link: RedisClient) -> None:
    """As by a death before the game was there; the same game asked for twice has one place."""
    running = RedisRunningGames(link, 1)
    running.take_place("club", "a")
    running.take_place("club", "a")
    with pytest.raises(TooManyGames):
        running.take_place("club", "b")
    link.call("ZADD", "{app:club}:creating", 1, "a")  # long ago
    running.take_place("club", "b")
    link.call("ZADD", "{app:club}:creating", 10**14, "b")  # by a clock that was ahead
    with pytest.raises(TooManyGames):
        running.take_place("club", "c")
    assert link.call("ZCOUNT", "{app:club}:creating", f"({int(link.call('TIME')[0]) + 1}000", "+inf") == 0


def test_a_refused_game_takes_no_place_and_keeps_no_name(redis_url: str) -> None:
    """The refusal is the game's, so that another could have the place, or there is no place left."""
    here, link = limited_to(redis_url, 1), link_to(redis_url, 5.0)
    for _ in range(2):
        with pytest.raises(DomainError):
            here.creation.create("club", replace(NEW, seats=(Seat("human"), Seat("bot", bot="oracle"))))
    here.creation.create("club", NEW)
    before = set(dump(link))
    with pytest.raises(TooManyGames):
        here.creation.create("club", replace(NEW, seats=(Seat("human", "zoe"), Seat("open"))))
    assert set(dump(link)) <= before


def test_nothing_is_written_while_there_is_room(link: RedisClient) -> None:
    """While there is room nothing is written, for one look is good for a while."""
    running = RedisRunningGames(link, 100_000)
    for number in range(10):
        running.take_place("club", f"{number}")
    assert link.call("KEYS", "*") == []


def test_room_is_looked_for_now_and_then(counted: BadConnection, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once a second, whatever is created, which takes two requests."""
    now = [1000.0]
    monkeypatch.setattr(running_games, "time", SimpleNamespace(monotonic=lambda: now[0]))
    here = limited_to(counted.url, 100_000)
    for seconds, looks in ((0.0, 1), (running_games.FOR - 0.1, 0), (0.2, 1)):
        now[0] += seconds
        counted.requests = 0
        for _ in range(2):
            here.creation.create("club", NEW)
        assert counted.requests == 2 * 2 + looks
