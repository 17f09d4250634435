"""Our search against OpenSpiel's own ISMCTS bot, and our playouts beside those of OpenSpiel's C++ card games.

The match is played on the adapter's game (`research.openspiel`). OpenSpiel's Python bot gets what ours has: fair
determinizations of what its seat has seen, the same core and the same time for a move. It searches with playouts of
uniformly random moves, as it ships; since those last over a thousand moves here and tell nothing, it may also have them
made by the domain directly, which is several times faster, and cut short, scored as the table lies then (`Rival`).
"""

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import sqrt
from multiprocessing import get_context
from statistics import mean, median
from typing import Any, NamedTuple

import numpy as np
import pyspiel
from open_spiel.python.algorithms import ismcts, mcts

import compiled.preferred  # noqa: F401 (before anything imports the domain)
from benchmarks import playouts
from compiled import in_use, place
from domain.bot import Budget
from domain.migrato.playout import play_on
from domain.migrato.rules.state import scores
from domain.prng import ImaginedChance, Prng
from research.dealing import with_deck
from research.openspiel import MigratoBot, MigratoState

clock = time.process_time  # of one thread on one core, so that what else the machine does falls on nobody
TURN_LIMIT = 200  # of a match's games, scored as the table lies then; two sensible bots need 40 to 80 turns
CPP_GAMES = ("gin_rummy", "crazy_eights", "hearts", "skat")


@dataclass(frozen=True, slots=True)
class Rival:
    """Search settings of OpenSpiel's bot. `cut`: its playouts' greatest number of moves; None: as shipped, to the end.

    `by_lead`: a playout that was cut is worth the lead in points (a tenth each, 1 at most), else who leads.
    """

    uct_c: float = 1.0
    cut: int | None = 10
    by_lead: bool = True

    def __str__(self) -> str:
        playouts = f"{self.cut} moves" if self.cut else "shipped, to the end"
        return f"c = {self.uct_c:g}, playouts: {playouts}{', by lead' if self.cut and self.by_lead else ''}"


SHIPPED = Rival(cut=None)
BEST = Rival(cut=40, uct_c=0.3)  # of SCREENED, where only the shipped playouts stood out, as worse
SCREENED = (
    SHIPPED,
    Rival(cut=150),
    Rival(cut=40),
    Rival(cut=10),
    Rival(cut=5),
    Rival(cut=10, by_lead=False),
    Rival(cut=10, uct_c=2.0),
    Rival(cut=10, uct_c=0.3),
    Rival(cut=40, uct_c=0.3),
)


class CutPlayouts(mcts.Evaluator):  # type: ignore[misc]
    """Uniformly random moves on the domain itself, not through OpenSpiel."""

    def __init__(self, rival: Rival, seed: int) -> None:
        """`rival.cut` must be given."""
        self._cut, self._by_lead = rival.cut or 0, rival.by_lead
        self._dice = Prng(seed)

    def evaluate(self, state: MigratoState) -> Any:
        """The lowest and the highest return of a seat."""
        table = state.table.state
        deck = ImaginedChance(self._dice).shuffled(0, table.deck, ())
        table, _ = play_on(with_deck(table, deck), self._dice, self._cut)
        points = scores(table)
        lead = points[0] - points[1]
        over = table.result is not None
        worth = (
            max(-1.0, min(1.0, lead / 10)) if self._by_lead and not over else float((lead > 0) - (lead < 0))
        )
        return np.array([worth, -worth])

    def prior(self, state: MigratoState) -> list[tuple[int, float]]:
        """Every legal move alike."""
        actions = state.legal_actions()
        return [(action, 1 / len(actions)) for action in actions]


class TimedISMCTS(ismcts.ISMCTSBot):  # type: ignore[misc]
    """OpenSpiel's bot, which counts simulations, held to a time instead where `seconds` is given."""

    seconds: float | None = None
    simulations = 0

    def run_search(self, state: MigratoState) -> list[tuple[int, float]]:
        """As in the bot itself, but for when it ends."""
        legal = state.legal_actions()
        if self.seconds is None or len(legal) == 1:
            self.simulations += 0 if len(legal) == 1 else self._max_simulations
            return list(super().run_search(state))
        end = clock() + self.seconds
        self.reset()
        self._root_node = self.create_new_node(state)
        while clock() < end or self._root_node.total_visits < 1:
            self.run_simulation(self.sample_root_state(state))
            self.simulations += 1
        return list(self.get_final_policy(state, self._root_node))


def rival_bot(game: pyspiel.Game, rival: Rival, budget: Budget, seed: int) -> TimedISMCTS:
    """OpenSpiel's bot by these settings."""
    numbers, rng = np.random.RandomState(seed), random.Random(seed)
    evaluator = CutPlayouts(rival, seed) if rival.cut else mcts.RandomRolloutEvaluator(1, numbers)
    bot = TimedISMCTS(game, evaluator, rival.uct_c, budget.iterations or 1, random_state=numbers)
    bot.seconds = budget.milliseconds / 1000 if budget.milliseconds else None
    bot.set_resampler(lambda state, player: state.imagined(player, rng))
    return bot


# --- the match ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Played:
    """A game as our side saw it: 1 won, 0.5 drawn, 0 lost; the lead in points; of each side the seconds that a move
    took where there was a choice, and the rival's simulations for it.
    """

    score: float
    lead: int
    turns: int
    ours: float
    theirs: float
    simulations: float


class Pace(NamedTuple):
    """A budget for both bots that can be sent to another process, which a compiled `Budget` cannot."""

    iterations: int | None
    milliseconds: int | None


def play(ours: str, rival: Rival, pace: Pace, number: int) -> Played:
    """Game `number`; seats are swapped every game, two games in a row begin with the same cards."""
    budget = Budget(*pace)
    game = pyspiel.load_game("python_migrato", {"turn_limit": TURN_LIMIT})
    rng, seat = random.Random(number // 2), number % 2
    other = rival_bot(game, rival, budget, number)
    bots: dict[int, pyspiel.Bot] = {seat: MigratoBot(ours, number, budget, clock), 1 - seat: other}
    spent: dict[int, list[float]] = {0: [], 1: []}
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            cards, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(cards, chances)[0])
            continue
        player, choice = state.current_player(), len(state.legal_actions()) > 1
        asked = clock()
        action = bots[player].step(state)
        if choice:
            spent[player].append(clock() - asked)
        state.apply_action(action)
    searched = max(1, len(spent[1 - seat]))
    points = state.table.state.result.scores
    return Played(
        score=(state.returns()[seat] + 1) / 2,
        lead=points[seat] - points[1 - seat],
        turns=state.table.state.turn - 1,
        ours=mean(spent[seat]),
        theirs=mean(spent[1 - seat]),
        simulations=other.simulations / searched,
    )


def match(ours: str, rival: Rival, pace: Pace, games: int, jobs: int) -> list[Played]:
    """All games, over so many processes; how it stands is told on stderr."""
    played: list[Played] = []
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        for result in pool.map(partial(play, ours, rival, pace), range(games)):
            played.append(result)
            rate = mean(p.score for p in played)
            sys.stderr.write(f"\r{ours} against {rival}: game {len(played)} of {games}, {rate:.1%} ")
    sys.stderr.write("\n")
    return played


def interval(scores: Sequence[float]) -> tuple[float, float]:
    """Wilson's 95 % interval of a win rate, draws half (Wilson 1927)."""
    n, rate, z = len(scores), mean(scores), 1.959964
    middle = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return middle - half, middle + half


def _row(name: str, played: list[Played]) -> str:
    results = [p.score for p in played]
    low, high = interval(results)
    won, drawn = sum(s == 1 for s in results), sum(s == 0.5 for s in results)
    cells = (
        name,
        f"{len(played)}",
        f"{won} - {drawn} - {len(played) - won - drawn}",
        f"{mean(results):.1%} ({low:.1%} to {high:.1%})",
        f"{mean(p.lead for p in played):+.1f}",
        f"{mean(p.turns for p in played):.0f}",
        f"{sum(p.turns == TURN_LIMIT for p in played)}",
        f"{1000 * mean(p.ours for p in played):.0f}",
        f"{1000 * mean(p.theirs for p in played):.0f}",
        f"{mean(p.simulations for p in played):,.0f}",
    )
    return f"| {' | '.join(cells)} |"


HEADER = (
    "| | games | won - drawn - lost | win rate (95 %) | lead | turns | at limit | our ms | their ms | their tries |",
    f"|{'---|' * 10}",
)


def matches(ours: str, milliseconds: int, iterations: int, games: int, jobs: int) -> Iterator[str]:
    """Equal time, then equal iterations, against the best settings; equal time against the bot as it ships."""
    yield f"## `{ours}` against OpenSpiel's Python ISMCTS bot, domain {in_use()}"
    yield from ("", *HEADER)
    for rival, pace in (
        (BEST, Pace(None, milliseconds)),
        (BEST, Pace(iterations, None)),
        (SHIPPED, Pace(None, milliseconds)),
    ):
        each = f"{milliseconds} ms" if pace.milliseconds else f"{iterations} iterations"
        yield _row(f"{each} a move; {rival}", match(ours, rival, pace, games, jobs))


def screening(milliseconds: int, games: int, jobs: int) -> Iterator[str]:
    """The settings that suit OpenSpiel's bot: all against `greedy`, whose results are shown; a small lead is good."""
    yield f"## Settings of OpenSpiel's bot, screened against `greedy` at {milliseconds} ms a move (greedy's results)"
    yield from ("", *HEADER)
    for rival in SCREENED:
        yield _row(str(rival), match("greedy", rival, Pace(None, milliseconds), games, jobs))


# --- playouts -------------------------------------------------------------------------------------------


def openspiel_speed(name: str, moves: int, seed: int) -> tuple[float, float]:
    """Moves of players and steps (with those of chance) per second in random playouts of an OpenSpiel game."""
    rng, game = random.Random(seed), pyspiel.load_game(name)
    made, steps, started = 0, 0, time.process_time()
    while made < moves:
        state = game.new_initial_state()
        while made < moves and not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(_drawn(state.chance_outcomes(), rng.random()))
            else:
                actions = state.legal_actions()
                state.apply_action(actions[int(rng.random() * len(actions))])
                made += 1
            steps += 1
    spent = time.process_time() - started
    return made / spent, steps / spent


def _drawn(outcomes: Sequence[tuple[int, float]], chance: float) -> int:
    for outcome, probability in outcomes:
        chance -= probability
        if chance < 0:
            return outcome
    return outcomes[-1][0]


OWN_LOOP, COMPILED, PLAIN = "Migrato, compiled, own loop", "Migrato, compiled", "Migrato, plain Python"


def _round(moves: int, seed: int) -> dict[str, tuple[float, float]]:
    """Every subject, one right after the other: what slows one of them slows all."""
    (((plain, *_), (quick, *_)),) = playouts.run(1)  # the first table is Migrato's
    return {
        OWN_LOOP: (quick.within, quick.within),  # cards are drawn within moves: there are no steps of chance
        COMPILED: (quick.driven, quick.driven),
        PLAIN: (plain.driven, plain.driven),
        "python_migrato (this adapter)": openspiel_speed("python_migrato", moves // 4, seed),
        **{f"{name} (C++)": openspiel_speed(name, moves, seed) for name in CPP_GAMES},
    }


def speeds(rounds: int, moves: int) -> Iterator[str]:
    """Rows of medians, and ratios within the rounds; RuntimeError where the domain has not been compiled."""
    if not place().is_dir():
        raise RuntimeError("The domain as it is now has not been compiled: `python -m compiled` does it.")
    figures = [_round(moves, seed) for seed in range(1, rounds + 1)]
    yield f"## Random playouts driven through Python, one core, median of {rounds} rounds"
    yield from ("", "| | moves/s | steps/s | compiled to this | plain to this |", "|---|---|---|---|---|")
    for name in figures[0]:
        made, steps = (median(column) for column in zip(*(each[name] for each in figures), strict=True))
        ratios = [median(each[ours][0] / each[name][0] for each in figures) for ours in (COMPILED, PLAIN)]
        yield f"| {name} | {made:,.0f} | {steps:,.0f} | {ratios[0]:.2f} | {ratios[1]:.2f} |"
    yield from (
        "",
        "Moves are those of players, steps are all, those of chance included; ratios are of moves/s.",
    )


def main(arguments: Sequence[str]) -> int:
    """Print Markdown for results.md."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks openspiel", description=__doc__)
    parser.add_argument(
        "part", nargs="?", choices=["speed", "match", "screen"], help="default: speed, then match"
    )
    parser.add_argument("--bot", default="ismcts", help="ours (default: %(default)s)")
    parser.add_argument("--games", type=int, default=100, help="of a match (default: %(default)s)")
    parser.add_argument("--milliseconds", type=int, default=100, help="for a move (default: %(default)s)")
    parser.add_argument("--iterations", type=int, default=200, help="for a move (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="games at once (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="of playouts (default: %(default)s)")
    parser.add_argument(
        "--uct-c", type=float, help="of OpenSpiel's bot (default: what was best when screened)"
    )
    given = parser.parse_args(arguments)
    parts: dict[str, Callable[[], Iterator[str]]] = {
        "speed": partial(speeds, given.rounds, 40_000),
        "match": partial(matches, given.bot, given.milliseconds, given.iterations, given.games, given.jobs),
        "screen": partial(screening, given.milliseconds, given.games, given.jobs),
    }
    for part in [given.part] if given.part else ["speed", "match"]:
        for line in parts[part]():
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
        sys.stdout.write("\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
