"""Applications whose time a test tells, and outages that a test makes up."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from domain.game import Game
from domain.lifecycle import Json, Seat
from domain.registry import GAMES
from events.application import Adapters, Application, wired
from events.engine.new_game import NewGame
from events.features.clocks.port import Watched
from events.features.listings.redis import RedisListings
from events.features.players.redis import RedisPlayerStore
from events.store.event_store import RedisEventStore
from events.store.link import link_to
from events.times import milliseconds_of, timestamp
from tests.support.sure import sure

NOON = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class Time:
    """A time that passes when a test says so; an instance is what an application takes for its clock."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def passes(self, seconds: float) -> None:
        """Let this much time pass, or go back."""
        self.now += timedelta(seconds=seconds)

    @property
    def milliseconds(self) -> int:
        """The time in milliseconds, as clocks count it."""
        return milliseconds_of(timestamp(self.now))


class Outages:
    """A clock store that knows the outages that a test makes up, and nothing of deadlines."""

    def __init__(self, time: Time) -> None:
        self._time = time
        self.known: list[tuple[int, int]] = []

    def watched(self, since: int) -> Watched:
        """The outages that were made up."""
        return Watched(self._time.milliseconds, [outage for outage in self.known if outage[1] >= since])

    def passes(self, seconds: float) -> None:
        """Let the time pass, as an outage in which no process can look at the clocks."""
        before = self._time.milliseconds
        self._time.passes(seconds)
        self.known.append((before, self._time.milliseconds))


def timed(
    url: str,
    time: Time,
    clocks: Any = None,
    games: Mapping[str, Game] = GAMES,
    store: RedisEventStore | None = None,
) -> Application:
    """An application on that server; without `clocks` there were never any outages."""
    link = link_to(url, 5.0)
    kept: Any = clocks or Outages(time)
    events = store or RedisEventStore(link, link, 5.0)
    return wired(Adapters(events, RedisListings(link), RedisPlayerStore(link), clocks=kept), games, now=time)


def people(number: int) -> tuple[Seat, ...]:
    return tuple(Seat("human", f"p{seat}") for seat in range(number))


def clocked(here: Application, clock: Json, name: str = "migrato", seats: Any = 2, **more: Any) -> str:
    """A new game with a clock, of so many people, or of these seats."""
    sitting = people(seats) if isinstance(seats, int) else seats
    return here.creation.create("a", NewGame(name, seats=sitting, clock=clock, **more)).snapshot.game_id


def move(here: Application, game_id: str, times: int = 1) -> None:
    """The seat that is to act makes the first move that there is, so often; bots make their own."""
    for _ in range(times):
        now = here.views.snapshot(game_id)
        seat = sure(now.status.to_act)
        if now.status.seats[seat].kind == "bot":
            here.bot_turns.bot_move(game_id, now.version)
        else:
            here.moves.play(game_id, seat, now.game.legal_moves(now.state, seat)[0])


def turn(here: Application, game_id: str) -> None:
    """Make moves until the turn is over."""
    before = here.views.snapshot(game_id).status
    while (now := here.views.snapshot(game_id).status).to_act is not None and (now.turn, now.to_act) == (
        before.turn,
        before.to_act,
    ):
        move(here, game_id)


def kinds(here: Application, game_id: str) -> list[str]:
    return [event.type for event in here.views.history(game_id)]
