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
from domain.game import Game
from domain.lifecycle import Json
from service.cli.exits import Failure, Refusal
from service.cli.selfplay.match import ConservationError, Match, Outcome, outcomes
from service.cli.selfplay.options import GameCommand, game_of, game_option, run_options, seats_of
from service.cli.selfplay.statistics import (
    BotResult,
    Lengths,
    Rate,
    SeatResult,
    Summary,
    mean_place,
    summarize,
)

EXAMPLES = """\b
Examples:
  migrato simulate
  migrato simulate --bots heuristic,greedy --games 10000 --jobs 2 --check
  migrato simulate --bots greedy,random --rules opla --return-flight --seed 7 --csv games.csv
  migrato simulate --game migo --bots maxn-easy,heuristic,greedy --games 200
  migrato simulate --games 200 --json - | python -m json.tool
"""


ORDINALS = ("first", "second", "third", "fourth")


class LineUp(click.ParamType[tuple[str, ...]]):
    """A bot for each seat, separated by commas."""

    name = "BOT,BOT,..."

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """The names, if the game has such bots and so many seats."""
        game = game_of(ctx)
        names = tuple(name.strip() for name in str(value).split(","))
        try:
            for name in names:
                game.bot(name)
        except DomainError as error:
            self.fail(str(error), param, ctx)
        if len(names) not in game.seat_counts:
            self.fail(f"name {seats_of(game)} bots, separated by commas: one for each seat.", param, ctx)
        return names


@click.command(cls=GameCommand, defaults=lambda game: {"bots": ",".join(game.sparring_bots)}, epilog=EXAMPLES)
@click.option("--bots", type=LineUp(), show_default=True, help="Who plays whom, a bot for each seat.")
@click.option(
    "--games", type=click.IntRange(1), default=1000, show_default=True, metavar="N", help="How many games."
)
@game_option
@run_options
@click.option("--check", is_flag=True, help="Verify after every event that nothing is lost or there twice.")
@click.option(
    "--csv", "csv_path", type=click.Path(path_type=Path, allow_dash=True), help="Write a line a game."
)
@click.option(
    "--json", "json_path", type=click.Path(path_type=Path, allow_dash=True), help="Write the figures."
)
def simulate(
    bots: tuple[str, ...],
    games: int,
    game: Game,
    options: Json,
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
    match = Match(bots, options, seed, check, game.name)
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
        _write(json_path, json.dumps(_as_document(match, summary), indent=2) + "\n")
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
    console.print(_two_bots_table(summary) if len(summary.bots) == 2 else _bots_table(summary))
    if len(summary.bots) > 2:
        console.print(_seats_table(summary))
    lengths = Table(*(name for name, _ in _length_cells(summary.lengths)), box=box.SIMPLE)
    lengths.add_row(*(cell for _, cell in _length_cells(summary.lengths)))
    console.print(lengths)
    ends = ", ".join(f"{reason} {count}" for reason, count in summary.reasons.items())
    console.print(f"{summary.games} games; how they ended: {ends}")


def _two_bots_table(summary: Summary) -> Table:
    table = Table("bot", "wins", "share", "95 %", "first", "second", "score", box=box.SIMPLE)
    for bot in summary.bots:
        table.add_row(bot.bot, *_wins(bot.wins), *map(_percent, bot.in_order), f"{bot.mean_score:.1f}")
    table.add_row("(draws)", *_wins(summary.draws))
    return table


def _bots_table(summary: Summary) -> Table:
    table = Table("bot", "wins", "share", "95 %", "shared", "place", "score", box=box.SIMPLE)
    for bot in summary.bots:
        table.add_row(bot.bot, *_figures(bot))
    table.add_row("(shared)", *_wins(summary.draws))
    return table


def _seats_table(summary: Summary) -> Table:
    table = Table("to start", "wins", "share", "95 %", "shared", "place", "score", box=box.SIMPLE)
    for order, seat in zip(_ordinals(len(summary.seats)), summary.seats, strict=True):
        table.add_row(order, *_figures(seat))
    return table


def _figures(result: BotResult | SeatResult) -> tuple[str, ...]:
    place = f"{mean_place(result.places):.2f}"
    return *_wins(result.wins), _percent(result.shared), place, f"{result.mean_score:.1f}"


def _wins(wins: Rate) -> tuple[str, str, str]:
    return str(wins.count), _percent(wins), _interval(wins)


def _ordinals(number: int) -> list[str]:
    """The names of so many places from "first" on."""
    return [*ORDINALS, *(f"{place}th" for place in range(len(ORDINALS) + 1, number + 1))][:number]


def _length_cells(lengths: Lengths) -> Iterator[tuple[str, str]]:
    yield "turns: min", str(lengths.minimum)
    yield from zip(("25 %", "median", "75 %"), map(str, lengths.quartiles), strict=True)
    yield "95 %", str(lengths.p95)
    yield "99 %", str(lengths.p99)
    yield "max", str(lengths.maximum)


def _interval(rate: Rate) -> str:
    return f"{100 * rate.low:.1f}-{100 * rate.high:.1f} %"


def _percent(rate: Rate) -> str:
    return f"{100 * rate.share:.1f} %"


def _as_document(match: Match, summary: Summary) -> Json:
    document = {"match": asdict(match), **asdict(summary)}
    document["bots"] = [_bot_document(bot) for bot in summary.bots]
    return document


def _bot_document(bot: BotResult) -> Json:
    """The figures, the wins by order of play under their names: "first", "second", ..."""
    document = asdict(bot)
    by_order = document.pop("in_order")
    return {**document, **dict(zip(_ordinals(len(by_order)), by_order, strict=True))}


def _as_csv(match: Match, played: list[Outcome]) -> str:
    """A line a game; `place_*` only where there are more than two, for of two the winner says it."""
    seats = range(len(match.bots))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    placed = [f"place_{bot}" for bot in seats] if len(seats) > 2 else []
    scored = [f"score_{bot}" for bot in seats]
    writer.writerow(["game", "starter", "winner", "reason", "turns", "moves", *placed, *scored])
    for game in played:
        won = "" if game.winner is None else f"{game.winner}:{match.bots[game.winner]}"
        starter = f"{game.starter}:{match.bots[game.starter]}"
        places = game.places if placed else ()
        writer.writerow(
            [game.number, starter, won, game.reason, game.turns, game.moves, *places, *game.scores]
        )
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
