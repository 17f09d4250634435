"""Thinking time of Migrato's bots: every bot in the same moments of games, one core, processor time.

`python -m benchmarks.thinking MOMENTS` measures with the domain that the process finds. It prints p50, p99 and the
longest for each bot, in milliseconds, and how many moments the net judges in a second: those of positions that it meets
for the first time, and the same again, when the parts are summed that moves share.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator

import compiled.preferred  # noqa: F401 (before anything imports the domain)
from compiled import ROOT, SWITCH, place
from domain.chance import SeededChance
from domain.lifecycle import Create, Seat
from domain.migrato.belief.knowledge import NOTHING, update_knowledge
from domain.migrato.belief.observation import Observation, observe
from domain.migrato.bots import BOTS
from domain.migrato.net.checked_in import trained
from domain.migrato.net.judge import Judge
from domain.migrato.rules.decide import decide
from domain.migrato.rules.state import INITIAL, evolve, fold
from domain.prng import Prng

MOMENTS = 300
APART = 5  # decisions of a game between two moments
JUDGED = "moments"  # how many the net judges in a second, first and again: a line among the bots'
Times = dict[str, tuple[float, float, float]]  # ms by bot: p50, p99, the longest


def moments() -> Iterator[Observation]:
    """Observations of seats with a choice of at least two moves, in games of a middling level against itself."""
    player, number = BOTS["level-5"], 0
    while True:
        number += 1
        chance, dice = SeededChance(number.to_bytes(32, "big"), "thinking"), Prng(number)
        seats = (Seat("human"), Seat("human"))
        state = fold(INITIAL, decide(INITIAL, None, Create("thinking", "c", {}, seats), chance))
        known, decisions = [NOTHING, NOTHING], 0
        while state.to_act is not None and decisions < 200:
            seat = state.to_act
            seen = observe(state, seat, known[seat])
            decisions += 1
            if decisions % APART == 0 and len(seen.moves) > 1:
                yield seen
            for event in decide(state, seat, player.choose(seen, dice), chance):
                after = evolve(state, event)
                known = [update_knowledge(known[s], s, state, event, after) for s in (0, 1)]
                state = after


def measure(number: int) -> Times:
    """The figures of all bots in this process, in so many moments."""
    found = moments()
    seen = [next(found) for _ in range(number)]
    times: Times = {}
    for name, bot in BOTS.items():
        bot.choose(seen[0], Prng(0))  # which may read or prepare something
        took = []
        for at, moment in enumerate(seen):
            started = time.process_time()
            bot.choose(moment, Prng(at))
            took.append(1000 * (time.process_time() - started))
        took.sort()
        times[name] = took[number // 2], took[number * 99 // 100], took[-1]
    judges = [Judge(one, trained()) for one in seen]
    times[JUDGED] = judged(judges, seen), judged(judges, seen), 0
    return times


def judged(judges: list[Judge], seen: list[Observation]) -> float:
    """Moments that are judged in a second of processor time: all moves with all discards after them."""
    started, count = time.process_time(), 0
    for judge, one in zip(judges, seen, strict=True):
        for move in one.moves:
            count += len(judge.logits(move))
    return count / (time.process_time() - started)


def run(number: int = MOMENTS) -> tuple[Times, Times]:
    """(plain, compiled), each in a process of its own; where nothing could be compiled, the second is plain again."""
    path = f"{place()}{os.pathsep}{ROOT}"
    return _apart(number, {SWITCH: "0"}), _apart(number, {"PYTHONPATH": path, "PYTHONSAFEPATH": "1"})


def _apart(number: int, environ: dict[str, str]) -> Times:
    command = [sys.executable, "-m", "benchmarks.thinking", str(number)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | environ, capture_output=True, text=True, check=True
    )
    times: Times = {}
    for line in done.stdout.splitlines():
        name, p50, p99, most = line.split()
        times[name] = float(p50), float(p99), float(most)
    return times


if __name__ == "__main__":
    for bot, figures in measure(int(sys.argv[1])).items():
        sys.stdout.write("{} {} {} {}\n".format(bot, *figures))
