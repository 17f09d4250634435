"""`migrato verify`: exports of games checked, on any machine, without a server."""

import json
import sys
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path

import click

from events.audit.findings import Report
from events.audit.forks import Origin
from events.audit.histories import Histories
from events.audit.kept.comparing import KeptThings
from events.audit.verify import verified_origin
from events.audit.verify import verify as check
from events.log.export import LARGEST_GAME, Exported, Unreadable
from service.cli.exits import Refusal
from service.cli.export_files import exports_in
from service.cli.game_files import games_of, listed, name_of, opened
from service.cli.in_order import in_order
from service.cli.kept_files import kept_things
from service.cli.progress import MIB, Bar, bar_over
from service.cli.run_state import RunState, digest_of, run_state, state_option, tasks_of
from service.cli.verify_report import Outcome, kept_lines, lines, report_of, report_state
from service.cli.verify_run import (
    bots_option,
    jobs_option,
    json_option,
    keys_option,
    outcome_of,
    run,
    sum_up,
    trusted_by,
)

EXAMPLES = """\b
Examples:
  migrato verify game.ndjson
  migrato verify --keys migrato-keys.json --bots games/*.ndjson.gz
  migrato verify --jobs 4 games/
  migrato verify --kept what-i-saw.ndjson game.ndjson
  curl -s http://127.0.0.1:8000/v1/games/ID/export | migrato verify -
"""


@click.command(epilog=EXAMPLES)
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path, allow_dash=True)
)
@bots_option
@keys_option
@click.option(
    "--origin",
    type=click.Path(path_type=Path),
    help="The export of the game that the others were forked from, to compare them with it.",
)
@click.option(
    "--kept",
    "kept_files",
    type=click.Path(path_type=Path),
    multiple=True,
    help="What somebody kept while a game was played, to compare it with the record; may be given several times.",
)
@json_option
@click.option(
    "--max-mib",
    type=click.IntRange(1),
    default=LARGEST_GAME // MIB,
    show_default=True,
    help="Refuse a game, or a file of kept things, that is larger; memory grows with it.",
)
@jobs_option
@state_option
def verify(
    files: tuple[Path, ...],
    bots: bool,
    keys: Path | None,
    origin: Path | None,
    kept_files: tuple[Path, ...],
    as_json: bool,
    max_mib: int,
    jobs: int,
    state_file: Path | None,
) -> None:
    """Check exported games: that nothing was changed, that the shuffles were fair, that every move was legal.

    A FILE holds one or more exports (`GET /v1/games/{id}/export`), plain or compressed by gzip, or is a file of an
    archive; `-` is stdin; a directory stands for all files in it, by name. No server is asked. The
    report names what was checked, what could not be checked, and the first fault: the event, the check, what was
    expected and what was found. Exports of one game must tell one history, in whatever files they are. Remarks tell
    what no check can find wrong, and a reader should know.

    With --kept, whatever somebody kept of a game (exports, events, streams, states, looks at a seat, signed heads) must
    be what is recorded: every head, and every member that was shown. A directory stands for all files in it.

    With --state, an interrupted run goes on where it stopped when the same command is given again, and reports all.

    Verdicts: passed; incomplete: the file ends properly, but before the game does; unscored: the game is over, but its
    result is not confirmed, or the file ends before that; failed; and unreadable.

    Exit code 0: nothing is wrong; 1: something is, or bots were to be asked for their moves and could not be, or (with
    --keys) a game is incomplete or unscored, which no signature proves, or (with --kept) something fits no game; else
    2: a file could not be read to its end.
    """
    trusted = trusted_by(keys)
    compared, histories = None if origin is None else _origin(origin, trusted, max_mib * MIB), Histories()
    if compared is not None:
        histories.know(compared, str(origin))
    judge = partial(_judged, partial(check, trusted=trusted, bots=bots, origin=compared))
    given, several = listed(files), len(files) > 1 or files[0].is_dir()
    kept = kept_things(listed(kept_files), max_mib * MIB) if kept_files else None
    options = {
        "bots": bots,
        "keys": trusted,
        "origin": None if compared is None else digest_of(compared.exported),
    }
    with run_state(state_file, "verify", options) as state, bar_over(given, "verifying") as bar:
        coming = _outcomes(given, judge, max_mib * MIB, jobs, bar.advance, histories, kept, state)
        total = run(coming, lambda outcome, games: _tell(outcome, as_json, len(given) > 1 or games > 1, bar))
    total.beside = kept
    if total.games != 1 or total.stopped is not None or (as_json and (several or kept is not None)):
        sum_up(total, as_json=as_json, err=True)
    if not as_json and (total.stopped is None or kept is not None):
        for line, wrong in kept_lines(total):
            click.echo(line, err=wrong or total.games != 1)
    sys.exit(total.exit_code)


def _tell(outcome: Outcome, as_json: bool, briefly: bool, bar: Bar) -> None:
    if as_json:
        bar.tell(json.dumps(outcome.document))
    else:
        for line in lines(outcome, briefly):
            bar.tell(line, err=outcome.report is None)


def _outcomes(
    files: list[Path],
    judge: Callable[[Exported | Unreadable | None], Report | Unreadable | None],
    largest: int,
    jobs: int,
    advance: Callable[[int, int, bool], None],
    histories: Histories,
    kept: KeptThings | None,
    state: RunState,
) -> Generator[Outcome, None, None]:
    """Outcome of every game, in order; of a file only up to where it cannot be read on."""
    ended = set[int]()
    tasks = tasks_of(games_of(files, largest, ended), state, report_of)
    for task, found in in_order(judge, tasks, jobs, lambda task: task.left):
        read, judged = task.read, task.known or found
        if read.file in ended:
            continue
        name = name_of(files[read.file])
        if isinstance(judged, Unreadable):
            ended.add(read.file)
            yield Outcome(name, unreadable=judged)
        else:
            assert isinstance(read.game, Exported)
            assert judged is not None
            if task.digest is not None:
                state.add(task.digest, report_state(judged))
            yield outcome_of(name, judged, read.game, histories, kept)
        advance(read.file, read.at, task.known is not None)


def _judged(
    judge: Callable[[Exported], Report], game: Exported | Unreadable | None
) -> Report | Unreadable | None:
    if game is None or isinstance(game, Unreadable):
        return game
    try:
        return judge(game)
    except Unreadable as reason:
        return reason


def _origin(file: Path, trusted: dict[str, str] | None, largest: int) -> Origin:
    try:
        with opened(file) as stream:
            found = verified_origin(next(exports_in(stream, largest)), trusted=trusted)
    except Unreadable as reason:
        raise Refusal(f"--origin: {file}: {reason.detail}") from reason
    except OSError as error:
        raise Refusal(f"--origin: {file} cannot be read: {error.strerror}.") from error
    if isinstance(found, Origin):
        return found
    why = "its result is not confirmed" if found.over else "it is not over"
    why = why if found.wrong is None else f"it fails the check {found.wrong.check}"
    raise Refusal(f"--origin: {file}: nothing can be compared with this game: {why}.")
