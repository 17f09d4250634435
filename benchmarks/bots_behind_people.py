"""The report on players, measured: false alarms among honest players, and what it says with a bot behind a person.

    python -m benchmarks bots-behind-people PART [--players N] [--games N] [--jobs N]

`honest`: of N players of each kind, each with one game, in one report a kind: how many it marks, and how many p-values
are below 5 % before they are corrected. `league`: N games of 20 honest people, and the same league with a bot behind
one of them. `baseline`: how often each kind makes a bot's choice, from N games each, by stratum: the greatest is in
`domain.migrato.bots.measured_strength`. `likelihood`: evidence in few choices (`benchmarks.likelihoods`). It prints
Markdown for docs/how-to/find-bots-behind-people.md.
"""

import argparse
import io
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from benchmarks.likelihoods import likelihood
from benchmarks.people import PEOPLE, Person, behind, honest, played
from domain.registry import GAMES
from events.audit.players.agreement import STRATA, Panel
from events.audit.players.facts import Facts, facts_of
from events.audit.players.report import Collected, Player
from events.audit.statistics.intervals import wilson
from events.log.export import games_in
from service.cli.selfplay.pool import spread

GAME: Final = GAMES["migrato"]
BASELINE, HONEST, LEAGUE = 3_000_000, 1_000_000, 2_000_000  # numbers of the first games: none is in two parts
CHEAP: Final = ("greedy", "heuristic", "net")
LEAGUE_PEOPLE: Final = 20
SUSPECT: Final = "p00"
BEHIND: Final = {
    "`level-7`": behind(SUSPECT, "level-7"),
    "`net`": behind(SUSPECT, "net"),
    "`heuristic`, 1 of 10 moves by chance": behind(SUSPECT, "heuristic", 0.1),
    "`heuristic`, half of the moves by chance": behind(SUSPECT, "heuristic", 0.5),
}
Table = tuple[int, tuple[Person, Person]]  # a game's number, and who plays it


def facts(tables: Sequence[Table], bots: Sequence[str], budget: float, jobs: int) -> Iterator[Facts]:
    """The facts of these games, in any order."""
    with spread(partial(_facts, tuple(bots), budget), tables, jobs) as coming:
        yield from coming


def _facts(bots: Sequence[str], budget: float, table: Table) -> Facts:
    number, people = table
    (exported,) = games_in(io.BytesIO(played(people, number)))
    return facts_of(GAME, Panel(GAME, bots, budget), exported)


def of_kind(kind: str, games: int, start: int) -> list[Table]:
    """Games of honest people of a kind; nobody plays two."""
    numbers = [start + 100 * at + PEOPLE.index(kind) for at in range(games)]
    return [(n, (honest(f"{kind}/{n}a", kind), honest(f"{kind}/{n}b", kind))) for n in numbers]


def league(games: int, suspect: Person | None = None) -> list[Table]:
    """Games of honest people of all kinds but the first ones, one of whom may be another instead."""
    people = [honest(f"p{at:02}", PEOPLE[-1 - at % 8]) for at in range(LEAGUE_PEOPLE)]
    if suspect is not None:
        people[0] = suspect
    tables = []
    for number in range(games):
        turn, at = divmod(number, LEAGUE_PEOPLE // 2)
        step = 1 + turn % (LEAGUE_PEOPLE - 1)
        rest = [(seat + step) % (LEAGUE_PEOPLE - 1) + 1 for seat in range(LEAGUE_PEOPLE - 1)]
        ring = [0, *rest]  # the circle method: who sits opposite changes every turn
        tables.append((LEAGUE + number, (people[ring[at]], people[ring[-1 - at]])))
    return tables


def collected(found: Iterator[Facts]) -> Collected:
    """All of them, summed up."""
    games = Collected()
    for one in found:
        games.add(one)
    return games


def baseline(games: int, jobs: int) -> Iterator[str]:
    """Rates at which each kind makes a bot's choice, by stratum."""
    bots = (*CHEAP, GAME.hint_bot)
    yield (
        "| bot | kind | "
        + " | ".join(("alone", "few", "most", "all"))
        + " |\n|---|---|"
        + "--:|" * len(STRATA)
    )
    rates: dict[tuple[str, str], list[list[int]]] = {}
    for kind in PEOPLE:
        for one in facts(of_kind(kind, games, BASELINE), bots, 20.0, jobs):
            for counts in one.answers.people.values():
                for bot, cells in counts.items():
                    sums = rates.setdefault((bot, kind), [[0, 0] for _ in STRATA])
                    for at, (hits, of) in enumerate(cells):
                        sums[at][0] += hits
                        sums[at][1] += of
    for (bot, kind), sums in sorted(rates.items()):
        shares = " | ".join(f"{hits / of:.2f} of {of:,}" if of else "" for hits, of in sums)
        yield f"| `{bot}` | `{kind}` | {shares} |"


def false_alarms(players: int, jobs: int) -> Iterator[str]:
    """Numbers of honest players of each kind whom the report marks."""
    yield "| kind | players | marked | agreement | p below 5 %, uncorrected | times | p below 5 %, uncorrected |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for kind in PEOPLE:
        report = collected(facts(of_kind(kind, players // 2, HONEST), CHEAP, 0.0, jobs)).report()
        marked = sum(bool(player.alarms) for player in report.players)
        agreed = [one for player in report.players for one in player.agreement if one.chance is not None]
        paces = [player.pace for player in report.players if player.pace is not None]
        times = [p for pace in paces for p in (pace.too_even, pace.too_quick) if p is not None]
        low = sum((one.chance or 0.0) < 0.05 for one in agreed), sum(p < 0.05 for p in times)
        yield (
            f"| `{kind}` | {len(report.players)} | {marked} | {len(agreed)} | {low[0]} ({low[0] / len(agreed):.1%}) "
            f"| {len(times)} | {low[1]} ({low[1] / len(times):.1%}) |"
        )


def with_and_without(games: int, jobs: int) -> Iterator[str]:
    """Rows of what the report says of one person, honest and with a bot behind them."""
    bots = (*CHEAP, GAME.hint_bot)
    yield "| behind `p00` | others marked | marked | " + " | ".join(f"`{bot}`" for bot in bots) + " |"
    yield "|---|--:|---|" + "---|" * len(bots)
    honestly = {one.game_id: one for one in facts(league(games), bots, 5.0, jobs)}
    for what, suspect in {"nobody": None, **BEHIND}.items():
        changed = dict(honestly)
        if suspect is not None:
            tables = [table for table in league(games, suspect) if suspect in table[1]]
            changed |= {one.game_id: one for one in facts(tables, bots, 5.0, jobs)}
        report = collected(iter(changed.values())).report()
        mine = next(player for player in report.players if player.name == SUSPECT)
        others = sum(bool(player.alarms) for player in report.players) - bool(mine.alarms)
        yield f"| {what} | {others} of {len(report.players) - 1} | {', '.join(mine.alarms) or 'no'} | {_rates(mine)} |"


def _rates(player: Player) -> str:
    return " | ".join(
        f"{one.rate.share:.0%} ({one.rate.low:.0%} to {one.rate.high:.0%}) of {one.rate.of:,}, honest {one.honest:.0%}"
        if one.honest is not None
        else f"{one.rate.share:.0%} of {one.rate.of:,}"
        for one in sorted(player.agreement, key=lambda one: (*CHEAP, GAME.hint_bot).index(one.bot))
    )


def main(arguments: list[str]) -> int:
    """Measure one part and print it."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks bots-behind-people", description=__doc__.split("\n")[0]
    )
    parser.add_argument("part", choices=("honest", "league", "baseline", "likelihood"))
    parser.add_argument("--players", type=int, default=200)
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args(arguments)
    lines = {
        "honest": partial(false_alarms, asked.players, asked.jobs),
        "league": partial(with_and_without, asked.games, asked.jobs),
        "baseline": partial(baseline, asked.games, asked.jobs),
        "likelihood": partial(likelihood, asked.games, asked.jobs),
    }[asked.part]
    for line in lines():
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    if asked.part == "honest":
        sys.stdout.write(
            f"\n0 of {asked.players} means at most {wilson(0.0, asked.players)[1]:.1%} (95 %, Wilson).\n"
        )
    return 0
