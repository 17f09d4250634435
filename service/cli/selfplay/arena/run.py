"""Playing a tournament: over processes, with a bar that tells how far it is, and with every game kept at once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from service.cli.selfplay.arena.fixtures import Record, Tournament, fixtures, key_of, play_fixture
from service.cli.selfplay.arena.results import (
    ResultsError,
    appending,
    check_belongs,
    in_order,
    load,
    store,
)
from service.cli.selfplay.pool import spread

_AN_HOUR = 3600  # seconds: games of a round differ much, so the rate is that of many


def run(tournament: Tournament, jobs: int, path: Path | None, resume: bool) -> tuple[list[Record], int]:
    """All games in the tournament's order, those of before among them, and how many an interrupt left unplayed.

    The file grows by each game as it is over, in any order; a tournament that is whole puts it in order.
    ResultsError if the file is there and not to be gone on from, or is another tournament's.
    """
    records = [] if path is None else _before(tournament, path, resume)
    there = {key_of(record) for record in records}
    waiting = [fixture for fixture in fixtures(tournament) if key_of(fixture) not in there]
    done = len(there)
    try:
        with (
            nullcontext(_nowhere) if path is None else appending(path, tournament.has_external_bots) as keep,
            _progress(done, len(waiting)) as advance,
            spread(partial(play_fixture, tournament), waiting, jobs) as coming,
        ):
            for record in coming:
                keep(record)
                records.append(record)
                advance()
    except KeyboardInterrupt:
        pass
    records = in_order(tournament, records)
    left = done + len(waiting) - len(records)
    if path is not None and not left:
        store(path, records, tournament.seats, tournament.game, tournament.has_external_bots)
    return records, left


def _before(tournament: Tournament, path: Path, resume: bool) -> list[Record]:
    """The games that the file holds already; afterwards the file exists, and ends with a whole line."""
    records = []
    if path.exists():
        if not resume:
            raise ResultsError(f"{path} is there already: --resume goes on from it, --from shows it.")
        records = load(path)
        check_belongs(path, tournament, records)
    store(path, records, tournament.seats, tournament.game, tournament.has_external_bots)
    return records


def _nowhere(_record: Record) -> None:
    """Keep games in memory alone: there is no file."""


@contextmanager
def _progress(done: int, waiting: int) -> Iterator[Callable[[], None]]:
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TextColumn("gone"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), speed_estimate_period=_AN_HOUR) as progress:
        task = progress.add_task("", total=done + waiting, completed=done)
        yield partial(progress.advance, task)


class _Rate(ProgressColumn):
    """Games a minute, or a second where they are many."""

    def render(self, task: Task) -> Text:
        """The pace as text, as "12 games/min"."""
        rate = task.speed or 0.0
        return Text(f"{rate:,.0f} games/s" if rate >= 10 else f"{60 * rate:,.1f} games/min")
