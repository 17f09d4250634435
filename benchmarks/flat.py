"""Cost of moves, views and new games with few and with many stored games: two services side by side, in turns.

One is fresh. The other has a hundred thousand games in its archive, and twenty thousand more under way in its store.
Both run all the time, and rounds alternate. What the number of a game's own events costs, `lengths` measures.
"""

import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks import creating
from benchmarks.http_load import Lane, request
from benchmarks.moves import LANES, Round, measured, round_of_moves, service
from benchmarks.processor_time import processor_seconds
from benchmarks.synthetic import SyntheticGame, by_chance
from events.runtime import bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.store.event_store import RedisEventStore
from events.store.link import link_to

ARCHIVED = 100_000
RUNNING = 20_000
EVENTS = (10, 40)  # of a finished game before its end, and of one that is under way
ROUNDS = 7
GAMES_PER_LANE = 3
TIMES = 20  # that a lane asks for its view, and for a new game
SETTLED = 0.02  # of a processor that the background may use once it has nothing left to do
MOVES, VIEWS, NEW_GAMES = "moves", "views", "new games"


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two services, with its store."""

    url: str
    port: int
    store: RedisEventStore


def run(port: int = 8971) -> dict[str, list[tuple[Round, Round]]]:
    """By what is asked: (fresh, used) in each round."""
    found = dict[str, list[tuple[Round, Round]]]()
    with _side(port, 0, 0) as fresh, _side(port + 1, ARCHIVED, RUNNING) as used:
        for number in range(ROUNDS + 1):
            sides = [fresh, used] if number % 2 else [used, fresh]
            rounds = {side.port: _round(side, number) for side in sides}
            if number:  # the first round warms up
                for kind in rounds[port]:
                    found.setdefault(kind, []).append((rounds[port][kind], rounds[port + 1][kind]))
    return found


def _round(side: Side, number: int) -> Mapping[str, Round]:
    new = creating.requests(creating.PLAIN, LANES * TIMES, seed=number)
    games = [SyntheticGame(side.store) for _ in range(LANES)]
    return {
        MOVES: round_of_moves(side.url, side.port, GAMES_PER_LANE, seed=number),
        VIEWS: measured(side.port, [Lane([_view(game)] * TIMES, expected=200) for game in games]),
        NEW_GAMES: measured(side.port, [Lane(new[lane::LANES], expected=201) for lane in range(LANES)]),
    }


def _view(game: SyntheticGame) -> bytes:
    return request("GET", f"/v1/games/{game.game_id}", token=game.tokens[0])


@contextmanager
def _side(port: int, archived: int, running: int) -> Iterator[Side]:
    """A service that has archived so many games, and has so many under way."""
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(EmbeddedServer(directory / "data"))
        archive = str(directory / "archive")
        url = stack.enter_context(
            service(port, redis_url=server.url, MIGRATO_ARCHIVE=archive, MIGRATO_ARCHIVE_AFTER="3650d")
        )
        link = link_to(server.url, 60.0)
        store, rng = RedisEventStore(link, link, 1.0), Random(port)
        link.call("CONFIG", "SET", "appendfsync", "no")  # while it is filled
        for _ in range(archived):
            game = SyntheticGame(store)
            game.play(EVENTS[0], by_chance(rng))
            game.end()
        _settle()
        if archived:
            moved = bootstrap.mover(
                Settings(redis_url=server.url, archive=archive, archive_after=0.0, redis_timeout=60.0)
            ).run()
            assert moved.games == archived, moved
        for _ in range(running):
            SyntheticGame(store).play(EVENTS[1], by_chance(rng))
        link.call("CONFIG", "SET", "appendfsync", "always")
        _settle()
        yield Side(url, port, store)


def _settle() -> None:
    """Wait until the background has done what there was to do."""
    while True:
        before = sum(processor_seconds().values())
        time.sleep(2)
        if sum(processor_seconds().values()) - before < 2 * SETTLED:
            return
