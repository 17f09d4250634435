"""`migrato simulate`: bots against each other, without a server."""

import csv
import io
import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

import click
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from domain.errors import DomainError
from domain.migrato.bots import BOTS
from service.cli.exits import Failure, Refusal
from service.selfplay.match import ConservationError, Match, Outcome, outcomes
from service.selfplay.options import game_options, options_of, run_options
from service.selfplay.statistics import LONG_GAME, Lengths, Rate, Summary, summarize

EXAMPLES = """\b
Examples:
  migrato simulate
  migrato simulate --bots heuristic,greedy --games 10000 --jobs 2 --check
  migrato simulate --bots greedy,random --rules opla --return-flight --seed 7 --csv games.csv
  migrato simulate --games 200 --json - | python -m json.tool
"""


class BotPair(click.ParamType[tuple[str, str]]):
    """Two names of bots, separated by a comma."""

    name = "BOT,BOT"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """The two names, if the catalogue has them."""
        names = [name.strip() for name in str(value).split(",")]
        unknown = [name for name in names if name not in BOTS]
        if unknown:
            self.fail(f"there is no bot {unknown[0]!r}; there is: {', '.join(BOTS)}.", param, ctx)
        if len(names) != 2:
            self.fail("name two bots, separated by a comma.", param, ctx)
        return names[0], names[1]


@click.command(epilog=EXAMPLES)
@click.option("--bots", type=BotPair(), default="heuristic,greedy", show_default=True, help="Who plays whom.")
@click.option(
    "--games", type=click.IntRange(1), default=1000, show_default=True, metavar="N", help="How many games."
)
@game_options
@run_options
@click.option("--check", is_flag=True, help="Verify after every event that every card is still there, once.")
@click.option(
    "--csv", "csv_path", type=click.Path(path_type=Path, allow_dash=True), help="Write a line a game."
)
@click.option(
    "--json", "json_path", type=click.Path(path_type=Path, allow_dash=True), help="Write the figures."
)
def simulate(
    bots: tuple[str, str],
    games: int,
    rules: str,
    return_flight: bool,
    turn_limit: int,
    seed: int,
    jobs: int,
    check: bool,
    csv_path: Path | None,
    json_path: Path | None,
) -> None:
    """Let bots play each other and tabulate who wins and how long the games are.

    The bots take turns at starting. Win rates come with Wilson 95 % intervals. The table goes to stdout,
    unless --csv or --json is `-` and goes there; progress goes to stderr. Ctrl-C ends it with the games so far.
    """
    match = Match(bots, options_of(rules, return_flight, turn_limit), seed, check)
    started = time.perf_counter()
    try:
        played, whole = _play(match, games, jobs)
    except (ConservationError, DomainError) as error:
        raise Failure(f"{error}.") from error
    seconds = time.perf_counter() - started
    if not played:
        raise Failure("Interrupted before the first game was over.")
    summary = summarize(match, played)
    if csv_path:
        _write(csv_path, _as_csv(match, played))
    if json_path:
        _write(json_path, json.dumps({"match": asdict(match), **asdict(summary)}, indent=2) + "\n")
    if not any(path is not None and str(path) == "-" for path in (csv_path, json_path)):
        _print_tables(summary)
    moves = sum(outcome.moves for outcome in played)
    click.echo(f"{len(played)} games in {seconds:.1f} s: {moves / seconds:,.0f} moves/s", err=True)
    if not whole:
        raise Failure(f"Interrupted: these are {len(played)} of {games} games.")


def _play(match: Match, games: int, jobs: int) -> tuple[list[Outcome], bool]:
    """The outcomes in the order of the games, and whether all were played."""
    played: list[Outcome] = []
    try:
        with outcomes(match, games, jobs) as coming, _progress(games) as progress:
            task = progress.add_task(" - ".join(match.bots), total=games)
            for outcome in coming:
                played.append(outcome)
                progress.update(task, completed=len(played))
    except KeyboardInterrupt:
        return sorted(played), False
    return sorted(played), True


def _progress(games: int) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=games < 10,
    )


def _print_tables(summary: Summary) -> None:
    console = Console()
    wins = Table("bot", "wins", "share", "95 %", "first", "second", "score", box=box.SIMPLE)
    for bot in summary.bots:
        shares = (_percent(bot.wins), _interval(bot.wins), _percent(bot.first), _percent(bot.second))
        wins.add_row(bot.bot, str(bot.wins.count), *shares, f"{bot.mean_score:.1f}")
    wins.add_row("(draws)", str(summary.draws.count), _percent(summary.draws), _interval(summary.draws))
    console.print(wins)
    lengths = Table(*(name for name, _ in _length_cells(summary.lengths)), box=box.SIMPLE)
    lengths.add_row(*(cell for _, cell in _length_cells(summary.lengths)))
    console.print(lengths)
    ends = ", ".join(f"{reason} {count}" for reason, count in summary.reasons.items())
    console.print(f"{summary.games} games; how they ended: {ends}")


def _length_cells(lengths: Lengths) -> Iterator[tuple[str, str]]:
    yield "turns: min", str(lengths.minimum)
    yield from zip(("25 %", "median", "75 %"), map(str, lengths.quartiles), strict=True)
    yield "95 %", str(lengths.p95)
    yield "99 %", str(lengths.p99)
    yield "max", str(lengths.maximum)
    yield f"over {LONG_GAME}", _percent(lengths.over_150)


def _interval(rate: Rate) -> str:
    return f"{100 * rate.low:.1f}-{100 * rate.high:.1f} %"


def _percent(rate: Rate) -> str:
    return f"{100 * rate.share:.1f} %"


def _as_csv(match: Match, played: list[Outcome]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["game", "starter", "winner", "reason", "turns", "moves", "score_0", "score_1"])
    for number, starter, winner, reason, turns, moves, scores in played:
        won = "" if winner is None else f"{winner}:{match.bots[winner]}"
        writer.writerow([number, f"{starter}:{match.bots[starter]}", won, reason, turns, moves, *scores])
    return text.getvalue()


def _write(path: Path, text: str) -> None:
    if str(path) == "-":
        click.echo(text, nl=False)
        return
    try:
        stream: TextIO
        with path.open("w", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise Refusal(f"{path} cannot be written: {error.strerror}.") from error
