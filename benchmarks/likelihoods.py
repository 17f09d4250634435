"""Evidence in few choices of one player that a bot plays for them: by agreement, and by the likelihood of the moves.

    python -m benchmarks bots-behind-people likelihood [--games N] [--jobs N]

Agreement is half of the report's evidence: the p-value by the rate in one comparison. The likelihood is that of
`events.audit.players.likelihood`, but the bot is asked with several seeds for each choice, not with one.
"""

import io
import math
import random
from collections.abc import Iterator, Sequence
from functools import partial
from statistics import median
from typing import Any, Final, NamedTuple

from benchmarks.people import PEOPLE, Person, behind, honest, played
from domain.migrato.bots.learned.chances import TEMPERATURES
from domain.registry import GAMES
from events.audit.players.agreement import ALL, ALONE, FEW, MOST, witnesses
from events.audit.players.choices import Choices, Chosen
from events.audit.players.likelihood import SLIPS, SLIPS_WITH_A_BOT
from events.audit.players.report import weight
from events.audit.statistics.tails import Trials, hits_or_more
from events.log.export import games_in
from service.cli.selfplay.pool import spread

GAME: Final = GAMES["migrato"]
BOT: Final = "level-7"
FIRST: Final = 4_000_000  # number of the first game
SEEDS: Final = 6  # with which the bot is asked
ASKED: Final = 24  # choices of a player in a game


class Weighed(NamedTuple):
    """A choice: how likely for a person at each temperature, how likely for the bot, its stratum, if the bot agrees."""

    person: tuple[float, ...]
    bot: float
    stratum: int
    agrees: bool


Table = tuple[int, str]  # a game's number, and the honest player's kind


def weighed(table: Table) -> tuple[str, list[Weighed], list[Weighed]]:
    """Choices of a game: the kind of the honest player, those with the bot behind them, and the honest ones."""
    number, kind = table
    people: Sequence[Person] = (behind("eve", BOT), honest("ada", kind))
    (exported,) = games_in(io.BytesIO(played(people, number)))
    choices, rng = Choices(GAME, exported), random.Random(number)
    found = list(choices.chosen())
    told = {}
    for name in ("eve", "ada"):
        own = [one for one in found if one.player == name]
        told[name] = [_weighed(choices, one) for one in rng.sample(own, min(ASKED, len(own)))]
    return kind, told["eve"], told["ada"]


def _weighed(choices: Choices, one: Chosen) -> Weighed:
    outcomes = [choices.causes(one, move) for move in one.observation.moves]
    kinds = [outcome for at, outcome in enumerate(outcomes) if outcome not in outcomes[:at]]
    made = kinds.index(one.caused)
    answers = [_answer(choices, one, BOT, seed) for seed in range(SEEDS)]
    first, asked = answers[0], [_answer(choices, one, name, 0) for name in witnesses(GAME)]
    people = [
        sum(chance for chance, outcome in zip(row, outcomes, strict=True) if outcome == one.caused)
        for row in GAME.chances(one.observation)
    ]
    smoothed = (answers.count(kinds[made]) + 0.5 * people[2]) / (SEEDS + 0.5)
    shared = sum(answer == first for answer in asked)
    stratum = (
        ALONE if not shared else ALL if shared == len(asked) else FEW if 2 * shared < len(asked) else MOST
    )
    anybody = 1 / len(kinds)
    return Weighed(
        tuple((1 - SLIPS) * chance + SLIPS * anybody for chance in people),
        (1 - SLIPS_WITH_A_BOT) * smoothed + SLIPS_WITH_A_BOT * anybody,
        stratum,
        first == one.caused,
    )


def _answer(choices: Choices, one: Chosen, bot: str, seed: int) -> Any:
    return choices.causes(one, GAME.think(one.observation, bot, seed * 7919 + one.version).move)


def by_agreement(told: Sequence[Weighed]) -> float:
    """The p-value of the report, in one comparison."""
    rates, trials, hits = GAME.agreements[BOT], [], 0
    for stratum, chance in enumerate(rates):
        own = [one for one in told if one.stratum == stratum]
        trials.append(Trials(chance, weight(chance), len(own)))
        hits += weight(chance) * sum(one.agrees for one in own)
    return hits_or_more(hits, trials)


def log_ratio(told: Sequence[Weighed]) -> float:
    """The logarithm of the likelihood for the bot by that for the person whose moves these are likeliest."""
    people = [sum(math.log(one.person[at]) for one in told) for at in range(len(TEMPERATURES))]
    return sum(math.log(one.bot) for one in told) - max(people)


def likelihood(games: int, jobs: int) -> Iterator[str]:
    """Rows of what choices of one game, of three and of all tell, of `level-7` and of each kind of honest player."""
    tables = [(FIRST + number, PEOPLE[number % len(PEOPLE)]) for number in range(games)]
    players: dict[str, list[list[Weighed]]] = {}
    with spread(partial(weighed), tables, jobs) as coming:
        for kind, eve, ada in coming:
            players.setdefault(f"with `{BOT}`", []).append(eve)
            players.setdefault("honest", []).append(ada)
            players.setdefault(f"honest `{kind}`", []).append(ada)
    yield "| who | games | choices | p by agreement | likelihood ratio | log of it, a choice |"
    yield "|---|--:|--:|--:|--:|--:|"
    for who, seats in sorted(players.items(), reverse=True):
        for of in sorted({1, 3, len(seats)}):
            parts = [
                [one for seat in seats[at : at + of] for one in seat]
                for at in range(0, len(seats) - of + 1, of)
            ]
            if of > len(seats) or not parts:
                continue
            size, ratio = median(map(len, parts)), median(map(log_ratio, parts))
            yield (
                f"| {who} | {of} | {size:.0f} | {median(map(by_agreement, parts)):.2g} "
                f"| {math.exp(ratio):.2g} | {ratio / size:.3f} |"
            )
