"""`migrato audit`: reports on many games together, on any machine, without a server."""

import json
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
import orjson
from rich.console import Console

from domain.game import Game
from domain.registry import GAMES
from events.audit.findings import FAILED, INCOMPLETE, UNSCORED
from events.audit.players.agreement import Panel, default_bots
from events.audit.players.facts import Facts, facts_of
from events.audit.players.report import Collected
from events.audit.verify import verify
from events.log.export import LARGEST_GAME, Exported, Unreadable
from service.cli.exits import Failure, Refusal
from service.cli.game_files import games_of, listed, name_of
from service.cli.in_order import WorkerDied, in_order
from service.cli.players_report import THRESHOLDS, document, show, write_csv
from service.cli.progress import Bar, bar_over
from service.cli.run_state import RunState, run_state, state_option, tasks_of
from service.cli.verify_run import jobs_option, keys_option, trusted_by
from service.cli.wording import harmless

EXAMPLES: Final = """\b
Examples:
  migrato audit players archive/
  migrato audit players --state players.state --jobs 4 archive/
  migrato audit players --bots level-7 --player pl_0123456789abcdefghij --json archive/
"""
BUDGET: Final = 30.0  # seconds of a bot's stated thinking, for each game and seat
_LEFT_OUT: Final = "left_out"
_UNFIT: Final = (FAILED, INCOMPLETE, UNSCORED)  # verdicts on games that are left out
_IN_A_FILE: Final = 200  # characters of a line where there is no terminal


@click.group(epilog=EXAMPLES)
def audit() -> None:
    """Report on many games together, for what no single game shows."""


@audit.command(epilog=EXAMPLES)
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path, allow_dash=True)
)
@click.option(
    "--player",
    "names",
    multiple=True,
    metavar="NAME",
    help="Report on this player only; may be given several times.",
)
@click.option(
    "--bots",
    "bots",
    metavar="NAMES",
    help="Compare with these bots, separated by commas.  [default: greedy, heuristic, net, the bot for hints]",
)
@click.option(
    "--budget",
    type=click.FloatRange(0.001),
    default=BUDGET,
    show_default=True,
    help="Seconds that a bot may think about the choices of a seat in a game, by the time that it states.",
)
@keys_option
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
@click.option(
    "--csv",
    "csv_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a row for each player and bot there, too.",
)
@jobs_option
@state_option
def players(
    files: tuple[Path, ...],
    names: tuple[str, ...],
    bots: str | None,
    budget: float,
    keys: Path | None,
    as_json: bool,
    csv_file: Path | None,
    jobs: int,
    state_file: Path | None,
) -> None:
    """Report on players over all their games: moves as bots would make them, times, pairs, hints.

    A FILE holds exports, or is a file of an archive; a directory stands for all files in it. Each game is verified
    first; games that are not complete or fail are left out and counted. Then bots are asked for every choice of a
    person between moves that cause different events; a slow bot is asked for some of them, always the same. The report
    has rates with 95 % intervals, and the rates of honest players; it marks what honest players hardly ever show. It
    proves nothing: read its last lines.

    With --state, an interrupted run goes on where it stopped when the same command is given again.

    Exit code 0: the report is complete, whatever it says; 1: interrupted; 2: a file could not be read to its end, or
    there was no game to report on.
    """
    trusted = trusted_by(keys)
    panels = _panels(None if bots is None else [name.strip() for name in bots.split(",")], budget)
    given = listed(files)
    asked = {
        game: {name: GAMES[game].bots[name].version for name in panel.names} for game, panel in panels.items()
    }
    options = {"bots": asked, "budget": budget, "keys": trusted}
    games, left_out, unreadable = Collected(), Counter[str](), list[str]()
    look = partial(_looked_at, panels, trusted)
    with run_state(state_file, "audit players", options) as state, bar_over(given, "asking bots") as bar:
        try:
            _collect(given, look, jobs, state, bar, games, left_out, unreadable)
        except (KeyboardInterrupt, WorkerDied) as stop:
            how = "" if state_file is None else " The same command goes on from there."
            why = "Interrupted" if isinstance(stop, KeyboardInterrupt) else str(stop).rstrip(".")
            raise Failure(f"{why} after {games.games:,} games.{how}") from None
    for line in unreadable:
        click.echo(line, err=True)
    if not games.games:
        raise Refusal(f"There is no game to report on{_why(left_out)}.")
    report = games.report(names or None)
    if as_json:
        told = {**options, "keys": None if trusted is None else sorted(trusted), "thresholds": THRESHOLDS}
        click.echo(json.dumps(document(report, dict(left_out), told)))
    else:
        show(report, left_out, Console(highlight=False, width=None if sys.stdout.isatty() else _IN_A_FILE))
    if csv_file is not None:
        write_csv(report, csv_file)
    missing = sorted(set(names) - {player.name for player in report.players})
    if missing:
        raise Refusal(f"There is no game of {', '.join(map(harmless, missing))}.")
    if unreadable:
        sys.exit(Refusal.exit_code)


def _panels(bots: list[str] | None, budget: float) -> dict[str, Panel]:
    """The bots that are asked in each game; Refusal for one that no game has."""
    if bots is None:
        return {name: Panel(game, default_bots(game), budget) for name, game in GAMES.items()}
    unknown = [bot for bot in bots if not any(bot in game.bots for game in GAMES.values())]
    if unknown:
        known = ", ".join(dict.fromkeys(bot for game in GAMES.values() for bot in game.bots))
        raise Refusal(f"--bots: there is no bot {', '.join(map(repr, unknown))}; there are: {known}.")
    return {
        name: Panel(game, [bot for bot in bots if bot in game.bots], budget) for name, game in GAMES.items()
    }


def _collect(
    files: list[Path],
    look: partial[Any],
    jobs: int,
    state: RunState,
    bar: Bar,
    games: Collected,
    left_out: Counter[str],
    unreadable: list[str],
) -> None:
    """Sum the games of all files up; of a file only up to where it cannot be read on."""
    ended = set[int]()
    tasks = tasks_of(games_of(files, LARGEST_GAME, ended), state, _kept)
    for task, found in in_order(look, tasks, jobs, lambda task: task.left):
        read, seen = task.read, task.known or found
        if read.file in ended:
            continue
        if isinstance(seen, Unreadable):
            ended.add(read.file)
            unreadable.append(harmless(f"{name_of(files[read.file])}: {seen.detail}"))
            continue
        if task.digest is not None:
            state.add(task.digest, seen)
        if _LEFT_OUT in seen:
            left_out[seen[_LEFT_OUT]] += 1
        elif not games.add(Facts.read(seen)):
            left_out["double"] += 1
        bar.advance(read.file, read.at, task.known is not None)


def _kept(document: dict[str, Any]) -> dict[str, Any]:
    """A result of a former run, if it is one; LookupError, TypeError, ValueError or AttributeError."""
    if _LEFT_OUT not in document:
        Facts.read(document)
    elif document[_LEFT_OUT] not in _UNFIT:
        raise ValueError
    return document


def _looked_at(
    panels: dict[str, Panel], trusted: dict[str, str] | None, game: Exported | Unreadable | None
) -> dict[str, Any] | Unreadable | None:
    """The facts of a game as a document, or the reason for which it is left out."""
    if game is None or isinstance(game, Unreadable):
        return game
    try:
        report = verify(game, trusted=trusted)
    except Unreadable as reason:
        return reason
    if not report.complete:
        return {_LEFT_OUT: report.verdict}
    rules: Game = GAMES[orjson.loads(game.header)["game"]]
    return facts_of(rules, panels[rules.name], game).document


def _why(left_out: Counter[str]) -> str:
    return (
        f"; left out: {', '.join(f'{count:,} {why}' for why, count in sorted(left_out.items()))}"
        if left_out
        else ""
    )
