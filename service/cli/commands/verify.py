"""`migrato verify`: exports of games checked, on any machine, without a server."""

import json
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import Any, NamedTuple

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from events.audit.findings import Report
from events.audit.forks import Origin
from events.audit.histories import Histories
from events.audit.kept.comparing import KeptThings
from events.audit.verify import verified_origin
from events.audit.verify import verify as check
from events.log.export import LARGEST_GAME, Exported, Unreadable
from service.cli.archive_files import is_staged
from service.cli.exits import Refusal
from service.cli.export_files import exports_in
from service.cli.in_order import in_order
from service.cli.kept_files import kept_things
from service.cli.verify_report import Outcome, kept_lines, lines
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
MIB = 2**20
_ERASE = "\r\x1b[2K"  # the line of a terminal


class Read(NamedTuple):
    """A game as it was read, or why none was: of which file, by its place in the list, and how far it is read now."""

    file: int
    game: Exported | Unreadable
    at: int


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
def verify(
    files: tuple[Path, ...],
    bots: bool,
    keys: Path | None,
    origin: Path | None,
    kept_files: tuple[Path, ...],
    as_json: bool,
    max_mib: int,
    jobs: int,
) -> None:
    """Check exported games: that nothing was changed, that the shuffles were fair, that every move was legal.

    A FILE holds one or more exports (`GET /v1/games/{id}/export`), plain or compressed by gzip, or is a file of an
    archive; `-` is stdin; a directory stands for all files in it, by name. No server is asked. The
    report names what was checked, what could not be checked, and the first fault: the event, the check, what was
    expected and what was found. Exports of one game must tell one history, in whatever files they are. Remarks tell
    what no check can find wrong, and a reader should know.

    With --kept, whatever somebody kept of a game (exports, events, streams, states, looks at a seat, signed heads) must
    be what is recorded: every head, and every member that was shown. A directory stands for all files in it.

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
    given, several = _listed(files), len(files) > 1 or files[0].is_dir()
    kept = kept_things(_listed(kept_files), max_mib * MIB) if kept_files else None
    with _progress(given) as bar:
        coming = _outcomes(given, judge, max_mib * MIB, jobs, bar.advance, histories, kept)
        total = run(coming, lambda outcome, games: _tell(outcome, as_json, len(given) > 1 or games > 1, bar))
    total.beside = kept
    if total.games != 1 or total.stopped is not None or (as_json and (several or kept is not None)):
        sum_up(total, as_json=as_json, err=True)
    if not as_json and (total.stopped is None or kept is not None):
        for line, wrong in kept_lines(total):
            click.echo(line, err=wrong or total.games != 1)
    sys.exit(total.exit_code)


class _Bar:
    """A bar on a terminal's stderr, by bytes read; and what is told meanwhile."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._task = progress.add_task("", total=total)
        self._places: dict[int, int] = {}

    def advance(self, file: int, at: int) -> None:
        """A file, by its place in the list, is read so far."""
        self._places[file] = max(at, self._places.get(file, 0))
        self._progress.update(self._task, completed=sum(self._places.values()))

    def tell(self, line: str, *, err: bool = False) -> None:
        """Print a line, in place of the bar where it comes to the same terminal; the bar is soon drawn below it."""
        is_in_the_way = not self._progress.disable and (err or sys.stdout.isatty())
        click.echo(_ERASE + line if is_in_the_way else line, err=err)


def _tell(outcome: Outcome, as_json: bool, briefly: bool, bar: _Bar) -> None:
    if as_json:
        bar.tell(json.dumps(outcome.document))
    else:
        for line in lines(outcome, briefly):
            bar.tell(line, err=outcome.report is None)


def _listed(given: tuple[Path, ...]) -> list[Path]:
    """The files, and those of directories and what is in these, by their names.

    Hidden ones are left out, and what an archiver had not ended when it died.
    """
    files = list[Path]()
    for path in given:
        if not path.is_dir():
            files.append(path)
            continue
        try:
            inside = sorted(_inside(path))
        except OSError as error:
            raise Refusal(f"{path} cannot be read: {error.strerror}.") from error
        if not inside:
            raise Refusal(f"{path} is a directory without files.")
        files += inside
    return files


def _inside(directory: Path) -> Iterator[Path]:
    waiting = [directory]
    while waiting:
        for one in waiting.pop().iterdir():
            if one.name.startswith(".") or is_staged(one):
                continue
            if one.is_dir() and not one.is_symlink():
                waiting.append(one)
            elif one.is_file():
                yield one


def _outcomes(
    files: list[Path],
    judge: Callable[[Exported | Unreadable], Report | Unreadable],
    largest: int,
    jobs: int,
    advance: Callable[[int, int], None],
    histories: Histories,
    kept: KeptThings | None,
) -> Generator[Outcome, None, None]:
    """Outcome of every game, in order; of a file only up to where it cannot be read on."""
    ended = set[int]()
    for read, judged in in_order(judge, _read(files, largest, ended), jobs, lambda read: read.game):
        if read.file in ended:
            continue
        name = "stdin" if str(files[read.file]) == "-" else str(files[read.file])
        if isinstance(judged, Unreadable):
            ended.add(read.file)
            yield Outcome(name, unreadable=judged)
        else:
            assert isinstance(read.game, Exported)
            yield outcome_of(name, judged, read.game, histories, kept)
        advance(read.file, read.at)


def _judged(judge: Callable[[Exported], Report], game: Exported | Unreadable) -> Report | Unreadable:
    if isinstance(game, Unreadable):
        return game
    try:
        return judge(game)
    except Unreadable as reason:
        return reason


def _read(files: list[Path], largest: int, ended: set[int]) -> Iterator[Read]:
    """The games of all files; those of files that have ended by now are passed over."""
    for number, file in enumerate(files):
        try:
            with _opened(file) as stream:
                for exported in exports_in(stream, largest, str(file)):
                    yield Read(number, exported, stream.tell() if stream.seekable() else 0)
                    if number in ended:
                        break
        except Unreadable as reason:
            yield Read(number, reason, 0)
        except OSError as error:
            why = error.strerror or str(error)
            yield Read(number, Unreadable("cannot-be-read", f"The file cannot be read: {why}."), 0)


@contextmanager
def _opened(file: Path) -> Iterator[BufferedReader]:
    if str(file) == "-":
        stdin: Any = sys.stdin.buffer
        yield stdin if isinstance(stdin, BufferedReader) else BufferedReader(stdin)
    else:
        with file.open("rb") as stream:
            yield stream


def _origin(file: Path, trusted: dict[str, str] | None, largest: int) -> Origin:
    try:
        with _opened(file) as stream:
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


@contextmanager
def _progress(files: list[Path]) -> Iterator[_Bar]:
    """The bar while it is shown; what comes from a pipe has no end to show."""
    sizes = [file.stat().st_size for file in files if str(file) != "-" and file.is_file()]
    progress = Progress(
        TextColumn("verifying"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        disable=not sys.stderr.isatty() or sum(sizes) < MIB,
    )
    with progress:
        yield _Bar(progress, sum(sizes))
