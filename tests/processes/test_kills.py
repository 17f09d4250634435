"""SIGKILL to any process at any moment: games go on, and nothing that was told is lost or doubled."""

import random
import sys
import time

import pytest

from tests.processes.conftest import NewEngine
from tests.processes.engine import is_alive
from tests.processes.players import Human, Player, bots_game, check_history, is_settled
from tests.waiting import until

GOES_ON_WITHIN = 10.0  # seconds after the process is back; it is back within one or two
ENDS_WITHIN = 60.0
KINDS = [
    "web worker",
    "web",
    "dispatcher",
    "bot worker",
    "thinker",
    "remote worker",
    "webhook worker",
    "archiver",
    "store",
    "queue",
]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")


def go_on(player: Player, games: list[str], seen: dict[str, int]) -> None:
    """Wait until each of the games has gone beyond what was seen of it, or is over."""
    deadline = time.monotonic() + GOES_ON_WITHIN
    for game_id in games:

        def moved(game_id: str = game_id) -> bool:
            view = player.view(game_id)
            return bool(view["version"] > seen[game_id]) or is_settled(view)

        until(moved, max(1.0, deadline - time.monotonic()), lambda: str(player.view(games[0])))


def check_all(player: Player, games: list[str], humans: list[Human]) -> None:
    """Every game gets to its end, and its history is whole and the one that was told."""
    for human in humans:
        human.join(ENDS_WITHIN)
        assert not human.is_alive()
        events = human.player.events(human.game_id)
        human.check(events)
        check_history(events)
    for game_id in games:
        until(lambda game_id=game_id: is_settled(player.view(game_id)), ENDS_WITHIN)  # type: ignore[misc]
        check_history(player.events(game_id))


def test_any_process_may_be_killed(new_engine: NewEngine) -> None:
    """One after the other, at random moments of running games of bots, while people play on."""
    engine = new_engine().start()
    watcher, chance = Player(engine.url), random.Random(2)
    humans = [Human(engine.url, seed, turns=60) for seed in range(2)]
    for human in humans:
        human.start()
    games: list[str] = []
    for kind in KINDS:
        running = [bots_game(watcher) for _ in range(2)]
        games += running
        time.sleep(chance.uniform(0.0, 0.6))  # any moment of a game: what it waits for is chance
        engine.kill(kind)
        go_on(watcher, running, {game_id: watcher.view(game_id)["version"] for game_id in running})
    check_all(watcher, games, humans)
    assert sorted(set(engine.processes().values())) == sorted(KINDS)


def test_the_supervisor_may_be_killed(new_engine: NewEngine) -> None:
    """Everything dies with it; what is started next on the same directory goes on where it was.

    The second time the event store is killed first, so that nobody can finish anything: as in a power cut.
    """
    engine = new_engine().start()
    watcher = Player(engine.url)
    human = Human(engine.url, seed=3, turns=60)
    human.start()
    games: list[str] = []
    for store_first in (False, True):
        running = [bots_game(watcher) for _ in range(2)]
        games += running
        until(lambda running=running: all(watcher.view(game_id)["version"] > 8 for game_id in running))  # type: ignore[misc]
        told = {game_id: watcher.events(game_id) for game_id in games}
        processes = engine.processes()
        if store_first:
            engine.kill("store")
        engine.kill_supervisor()
        engine.start()
        assert [kind for pid, kind in processes.items() if is_alive(pid)] == []
        for game_id, events in told.items():
            same = ("version", "commitment", "head")  # what was hidden may be shown meanwhile
            now = watcher.events(game_id)[: len(events)]
            assert [[event[name] for name in same] for event in now] == [
                [event[name] for name in same] for event in events
            ]
        go_on(watcher, games, {game_id: len(events) for game_id, events in told.items()})
    check_all(watcher, games, [human])
