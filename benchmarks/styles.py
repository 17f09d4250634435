"""Habits of Migrato's styles: games against the level whose temperature they have, and what happens in them.

`python -m benchmarks.styles GAMES` prints a table of each style, and of the level against itself, by so many games of
both seats on the same shuffles: an even number, at least 4.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from statistics import mean, stdev

import compiled.preferred  # noqa: F401 (before anything imports the domain)
from domain.chance import SeededChance
from domain.lifecycle import Create, Seat
from domain.migrato.belief.knowledge import NOTHING, update_knowledge
from domain.migrato.belief.observation import observe
from domain.migrato.bots import BOTS
from domain.migrato.bots.learned.levels import STYLES
from domain.migrato.rules.cards import FIRST_DANGER
from domain.migrato.rules.decide import decide
from domain.migrato.rules.events import ArrivalFailed, BirdsArrived, DangerPlayed
from domain.migrato.rules.state import INITIAL, evolve, fold
from domain.prng import Prng

PEER = "level-5"
LIMIT = 300  # turns
COUNTED = {  # in a game
    DangerPlayed: "thefts",
    ArrivalFailed: "failed columns",
    BirdsArrived: "landings",
}
LYING = ("columns", "dangers held")  # before a decision, in the mean


def play(names: tuple[str, str], number: int) -> tuple[float, int, list[Counter[str]]]:
    """The first seat's points, the turns, and what each seat did; the same number is the same shuffle."""
    chance, dice = SeededChance(number.to_bytes(32, "big"), "styles"), Prng(number)
    seats = (Seat("human"), Seat("human"))
    create = Create("styles", "c", {"turn_limit": LIMIT}, seats)
    state = fold(INITIAL, decide(INITIAL, None, create, chance))
    known, did = [NOTHING, NOTHING], [Counter[str](), Counter[str]()]
    while state.to_act is not None:
        seat = state.to_act
        me = state.players[seat]
        did[seat]["decisions"] += 1
        did[seat]["columns"] += sum(map(bool, me.columns))
        did[seat]["dangers held"] += sum(card >= FIRST_DANGER for card in me.hand)
        move = BOTS[names[seat]].choose(observe(state, seat, known[seat]), dice)
        for event in decide(state, seat, move, chance):
            after = evolve(state, event)
            known = [update_knowledge(known[s], s, state, event, after) for s in (0, 1)]
            state = after
            if type(event) in COUNTED:
                did[seat][COUNTED[type(event)]] += 1
    assert state.result is not None
    winner = state.result.winner
    return 0.5 if winner is None else float(winner == 0), state.turn, did


def rows(games: int) -> Iterator[list[str]]:
    """Cells of a table: name, score against the peer with its interval, turns, what was done in a game."""
    for name in (PEER, *[style.name for style in STYLES]):
        scores, turns, did = [], [], Counter[str]()
        for number in range(games // 2):
            first = play((name, PEER), number)
            second = play((PEER, name), number)
            scores.append((first[0] + 1 - second[0]) / 2)
            turns += [first[1], second[1]]
            did += first[2][0] + second[2][1]
        error = 1.96 * stdev(scores) / len(scores) ** 0.5
        done = [f"{did[what] / len(turns):.2f}" for what in COUNTED.values()]
        done += [f"{did[what] / did['decisions']:.2f}" for what in LYING]
        yield [name, f"{100 * mean(scores):.1f} ± {100 * error:.1f} %", f"{mean(turns):.1f}", *done]


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdecimal() or int(sys.argv[1]) < 4:
        sys.exit(__doc__)
    for cells in (["bot", f"against {PEER}", "turns", *COUNTED.values(), *LYING], *rows(int(sys.argv[1]))):
        sys.stdout.write(f"| {' | '.join(cells)} |\n")
