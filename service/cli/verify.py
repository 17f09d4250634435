"""`migrato verify`: exports of games checked, on any machine, without a server."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import IO, Any

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from events.audit.files import exports_in, trusted_keys
from events.audit.findings import (
    CHECKS,
    FAILED,
    NOT_ASKED,
    NOT_CHECKED,
    NOTHING,
    PARTLY,
    PASSED,
    UNITS,
    Report,
)
from events.audit.forks import Origin
from events.audit.verify import verified_origin
from events.audit.verify import verify as check
from events.export import LARGEST_GAME, Exported, Unreadable
from service.cli.exits import Refusal

EXAMPLES = """\b
Examples:
  migrato verify game.ndjson
  migrato verify --keys migrato-keys.json --bots games/*.ndjson.gz
  curl -s http://127.0.0.1:8000/v1/games/ID/export | migrato verify -
"""
MARKS = {PASSED: "✓", FAILED: "✗", PARTLY: "~", NOT_CHECKED: "–"}
MIB = 2**20


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one game: the report, or why there is none."""

    file: str
    report: Report | None = None
    unreadable: Unreadable | None = None

    @property
    def exit_code(self) -> int:
        """0: nothing wrong; 1: something is, or not all that was asked for was checked; 2: it could not be read."""
        return {"passed": 0, "failed": 1, "incomplete": 1, "unreadable": 2}[self.verdict]

    @property
    def verdict(self) -> str:
        """One word. A bot's version is free text: who asks for bots' moves is not told "passed" where some were not."""
        if self.report is None:
            return "unreadable"
        if not self.report.passed:
            return "failed"
        return "incomplete" if self.report.unasked else "passed"

    @property
    def document(self) -> dict[str, Any]:
        """As it goes out."""
        told: dict[str, Any] = {"file": self.file, "verdict": self.verdict}
        if self.report is not None:
            return told | self.report.document
        assert self.unreadable is not None
        return told | {
            "code": self.unreadable.code,
            "detail": self.unreadable.detail,
            "line": self.unreadable.line,
        }


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
    check, what was expected and what found.

    Exit code 0: nothing is wrong; 1: something is, or not all that was asked for could be checked; else 2: a file
    could not be read, or not to its end.
    """
    trusted = None if keys is None else _trusted(keys)
    compared = None if origin is None else _origin(origin, trusted, max_mib * MIB)
    judge = partial(check, trusted=trusted, bots=bots, origin=compared)
    began, codes = time.monotonic(), list[int]()
    with _progress(files) as advance:
        for file in files:
            for outcome in _outcomes(file, judge, max_mib * MIB, advance):
                codes.append(outcome.exit_code)
                _tell(outcome, as_json, briefly=len(files) > 1 or len(codes) > 1)
    if len(codes) > 1 and not as_json:
        told = [f"{codes.count(0)} with nothing wrong"]
        told += [f"{codes.count(1)} FAILED"] * (1 in codes)
        told += [f"{codes.count(2)} could not be read"] * (2 in codes)
        seconds = time.monotonic() - began
        click.echo(f"{len(codes)} games: {', '.join(told)} ({len(codes) / seconds:,.0f} games/s)", err=True)
    sys.exit(1 if 1 in codes else max(codes, default=2))


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
    why = "it is not over" if found.wrong is None else f"it fails the check {found.wrong.check}"
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


def _tell(outcome: Outcome, as_json: bool, briefly: bool) -> None:
    if as_json:
        click.echo(json.dumps(outcome.document, ensure_ascii=False))
    elif outcome.unreadable is not None:
        click.echo(_harmless(f"✗ {outcome.file}: {outcome.unreadable.detail}"), err=True)
    else:
        assert outcome.report is not None
        for line in _lines(outcome.file, outcome.report, briefly):
            click.echo(_harmless(line))


def _lines(file: str, report: Report, briefly: bool) -> Iterator[str]:
    mark, verdict = MARKS[FAILED], "FAILED"
    if report.passed and report.unasked:
        mark, verdict = MARKS[PARTLY], f"{report.unasked} moves of bots could not be asked for again"
    elif report.passed:
        mark, verdict = MARKS[PASSED], "passed" if report.complete else "nothing wrong, as far as can be seen"
    if briefly and report.complete:
        verdict += "".join(f"; {note}" for note in _left_open(report))
    events = "1 event" if report.version == 1 else f"{report.version} events"
    yield f"{mark} {file}: game {report.game_id}, {events}: {verdict}"
    for checked in report.checks if not (briefly and report.passed) else ():
        note = f" ({checked.note})" if checked.note else ""
        unit = UNITS[checked.name]
        unit = unit.removesuffix("s") if checked.count == 1 else unit
        count = f": {checked.count:,} {unit}" if checked.count else ""
        yield f"  {MARKS[checked.status]} {checked.name}{count}{note}"
    if report.wrong is not None:
        wrong = report.wrong
        where = "" if wrong.version is None else f"event {wrong.version}: "
        yield f"  {where}{wrong.detail}"
        yield f"  the check is: {wrong.check}: {CHECKS[wrong.check]}"
        if wrong.expected is not None:
            yield f"  expected: {wrong.expected}"
        if wrong.found is not None:
            yield f"  found:    {wrong.found}"


def _left_open(report: Report) -> Iterator[str]:
    """What was not checked of a whole game though there was something to check."""
    for checked in report.checks:
        if checked.status in (PARTLY, NOT_CHECKED) and checked.note not in (NOTHING, NOT_ASKED, None):
            yield f"{checked.name}: {checked.note}"


def _harmless(line: str) -> str:
    """What a file says may hold anything: nothing of it shall command the terminal."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in line)
