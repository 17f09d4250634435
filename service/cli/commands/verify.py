"""`migrato verify`: exports of games checked, on any machine, without a server."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import IO, Any

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from events.audit.findings import Report
from events.audit.forks import Origin
from events.audit.verify import verified_origin
from events.audit.verify import verify as check
from events.log.export import LARGEST_GAME, Exported, Unreadable
from service.cli.exits import Refusal
from service.cli.export_files import exports_in, trusted_keys
from service.cli.verify_report import Outcome, Totals, lines

EXAMPLES = """\b
Examples:
  migrato verify game.ndjson
  migrato verify --keys migrato-keys.json --bots games/*.ndjson.gz
  curl -s http://127.0.0.1:8000/v1/games/ID/export | migrato verify -
"""
MIB = 2**20


@click.command(epilog=EXAMPLES)
@click.argument(
    "files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path, allow_dash=True)
)
@click.option("--bots", is_flag=True, help="Let bots think again, and compare their moves; takes its time.")
@click.option(
    "--keys",
    type=click.Path(path_type=Path),
    help="Whom to trust: a JWK set, as an engine publishes it at /.well-known/migrato-keys.json.",
)
@click.option(
    "--origin",
    type=click.Path(path_type=Path),
    help="The export of the game that the others were forked from, to compare them with it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a game.")
@click.option(
    "--max-mib",
    type=click.IntRange(1),
    default=LARGEST_GAME // MIB,
    show_default=True,
    help="Refuse a game that is larger; memory grows with it.",
)
def verify(
    files: tuple[Path, ...], bots: bool, keys: Path | None, origin: Path | None, as_json: bool, max_mib: int
) -> None:
    """Check exported games: that nothing was changed, that the shuffles were fair, that every move was legal.

    A FILE holds one or more exports (`GET /v1/games/{id}/export`), plain or compressed by gzip; `-` is stdin. No server
    is asked. Told is what was checked and what could not be, and what was found wrong first: at which event, by which
    check, what was expected and what found. Remarks tell what no check can find wrong, and a reader should know.

    Verdicts: passed; incomplete: the file ends properly, but before the game does; unscored: the game is over, but its
    result is not confirmed, or the file ends before that; failed; and unreadable.

    Exit code 0: nothing is wrong; 1: something is, or bots were to be asked for their moves and could not be, or (with
    --keys) a game is incomplete or unscored, which no signature proves; else 2: a file could not be read to its end.
    """
    trusted = None if keys is None else _trusted(keys)
    compared = None if origin is None else _origin(origin, trusted, max_mib * MIB)
    judge = partial(check, trusted=trusted, bots=bots, origin=compared)
    began, total = time.monotonic(), Totals()
    with _progress(files) as advance:
        for file in files:
            for outcome in _outcomes(file, judge, max_mib * MIB, advance):
                total.add(outcome)
                _tell(outcome, as_json, briefly=len(files) > 1 or total.games > 1)
    if total.games > 1 and not as_json:
        click.echo(total.last_line(time.monotonic() - began), err=True)
    sys.exit(total.exit_code)


def _tell(outcome: Outcome, as_json: bool, briefly: bool) -> None:
    if as_json:
        click.echo(json.dumps(outcome.document, ensure_ascii=False))
    else:
        for line in lines(outcome, briefly):
            click.echo(line, err=outcome.report is None)


def _outcomes(
    file: Path, judge: Callable[[Exported], Report], largest: int, advance: Any
) -> Iterator[Outcome]:
    name = "stdin" if str(file) == "-" else str(file)
    try:
        with _opened(file) as stream:
            for exported in exports_in(stream, largest):
                yield Outcome(name, report=judge(exported))
                advance(stream)
    except Unreadable as reason:
        yield Outcome(name, unreadable=reason)
    except OSError as error:
        why = error.strerror or str(error)
        yield Outcome(name, unreadable=Unreadable("cannot-be-read", f"The file cannot be read: {why}."))


@contextmanager
def _opened(file: Path) -> Iterator[BufferedReader]:
    if str(file) == "-":
        stdin: Any = sys.stdin.buffer
        yield stdin if isinstance(stdin, BufferedReader) else BufferedReader(stdin)
    else:
        with file.open("rb") as stream:
            yield stream


def _trusted(keys: Path) -> dict[str, str]:
    try:
        with keys.open("rb") as stream:
            return trusted_keys(stream.read(MIB + 1))
    except OSError as error:
        raise Refusal(f"--keys: {keys} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise Refusal(f"--keys: {keys} cannot be used: {error}.") from error


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
def _progress(files: tuple[Path, ...]) -> Iterator[Any]:
    """A bar on a terminal's stderr, by bytes read; what comes from a pipe has no end to show."""
    sizes = [file.stat().st_size for file in files if str(file) != "-" and file.is_file()]
    progress = Progress(
        TextColumn("verifying"),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty() or sum(sizes) < MIB,
    )
    with progress:
        task = progress.add_task("", total=sum(sizes))
        places: dict[IO[bytes], int] = {}

        def advance(stream: IO[bytes]) -> None:
            if stream.seekable():
                places[stream] = stream.tell()
                progress.update(task, completed=sum(places.values()))

        yield advance
