"""SIGSTOP: a process that is there and does nothing is replaced, as a dead one is."""

import os
import signal
import sys
import time

import pytest

from tests.processes.conftest import NewEngine, is_whole
from tests.support.engine import ALL, Engine, is_alive
from tests.support.players import Human, Player, bots_game, check_history, is_settled
from tests.support.waiting import until

HANG_SECONDS = 5  # the least that may be set
REPLACED_WITHIN = 150.0  # some seconds more than HANG_SECONDS, or than START if it hung before its first sign
NAMES = {
    "web": "web",
    "dispatcher": "dispatcher",
    "bot worker": "bots-1",
    "thinker": "thinker-1",
    "remote worker": "remote",
    "webhook worker": "webhooks",
    "archiver": "archiver",
    "store": "store",
    "queue": "queue",
}
ROUNDS = (
    ("web worker", "dispatcher", "bot worker", "thinker", "remote worker", "webhook worker", "archiver"),
    ("web", "store", "queue"),
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are found in /proc")


@pytest.fixture
def engine(new_engine: NewEngine) -> Engine:
    """A durable engine that notices soon."""
    return new_engine(**ALL, MIGRATO_ROLES="apart", MIGRATO_HANG_SECONDS=f"{HANG_SECONDS}").start()


@pytest.mark.nightly("a process of a whole engine hangs, and its supervisor does not replace it")
def test_any_process_that_hangs_is_replaced(engine: Engine) -> None:
    """Running games go on, and what was answered before is there after, whatever hung."""
    watcher, human = Player(engine.url), Human(engine.url, seed=4, turns=60)
    human.start()
    for kinds in ROUNDS:
        game_id = bots_game(watcher)
        stopped = [engine.signal(kind, signal.SIGSTOP) for kind in kinds]
        until(lambda: not any(map(is_alive, stopped)), REPLACED_WITHIN, engine.tail)  # noqa: B023 (called at once)
        until(lambda: is_whole(engine), REPLACED_WITHIN, engine.tail)
        until(lambda: is_settled(watcher.view(game_id)), REPLACED_WITHIN, engine.tail)  # noqa: B023
        check_history(watcher.events(game_id))
    log = engine.log.read_text()
    assert [
        name for name in NAMES.values() if f"{name} hangs, it gives no sign of life: killed" not in log
    ] == []
    human.join(REPLACED_WITHIN)
    assert not human.is_alive()
    human.check(human.player.events(human.game_id))


@pytest.mark.nightly("after a sleep of the machine a process of a whole engine counts as hanging")
def test_a_process_that_was_stopped_with_all_others_does_not_hang(engine: Engine) -> None:
    """A machine that slept, or a job that was suspended, goes on with the processes that it had."""
    before = engine.processes()
    everybody = [*before, engine.pid]
    for pid in everybody:
        os.kill(pid, signal.SIGSTOP)
    let_pass(HANG_SECONDS + 2)  # longer than one alone may be silent
    for pid in reversed(everybody):  # the supervisor first, before anybody could give a sign
        os.kill(pid, signal.SIGCONT)
        let_pass(0.3)
    let_pass(HANG_SECONDS + 2)  # that nobody is replaced later can only be seen by waiting
    assert engine.processes() == before, engine.tail()
    watcher = Player(engine.url)
    game_id = bots_game(watcher)
    until(lambda: is_settled(watcher.view(game_id)), REPLACED_WITHIN, engine.tail)


def let_pass(seconds: float) -> None:
    """Wait for this time to pass, because the time itself is what is tested."""
    over = time.monotonic() + seconds
    until(lambda: time.monotonic() > over, 2 * seconds)
