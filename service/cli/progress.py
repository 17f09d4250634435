"""Progress of a run over files of games: a bar on a terminal, with an estimate of the time left."""

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

MIB: Final = 2**20
ENOUGH: Final = 2.0  # seconds of work, before which nothing is said about the rest
_ERASE: Final = "\r\x1b[2K"  # the line of a terminal
_MINUTE: Final = 60
_HOUR: Final = 3600


class TimeLeft:
    """Time left of a run, estimated from the bytes that took work; games known from a former run take none."""

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._clock = clock
        self._began = self._last = clock()
        self._worked = 0.0  # seconds
        self._of = self._read = 0  # bytes that took them; all that were read

    def advance(self, size: int, known: bool) -> None:
        """So many bytes more are done; `known`: nothing had to be done for them."""
        now = self._clock()
        self._read += size
        if not known:
            self._of += size
            self._worked += now - self._last
        self._last = now

    @property
    def seconds(self) -> float | None:
        """Seconds left at the rate of the work so far; None before ENOUGH seconds of work."""
        if self._worked < ENOUGH or not self._of:
            return None
        return max(0, self._total - self._read) * self._worked / self._of

    def __str__(self) -> str:
        """The same in words, rounded up."""
        left = self.seconds
        if left is None:
            return "time left unknown"
        if left < _MINUTE:
            return f"about {max(1, math.ceil(left))} s left"
        if left < _HOUR:
            return f"about {math.ceil(left / _MINUTE)} min left"
        return f"about {math.ceil(left / _HOUR * 10) / 10:.1f} h left"


class Bar:
    """A bar on a terminal's stderr, by bytes read; and what is told meanwhile."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress = progress
        self._left = TimeLeft(total)
        self._task = progress.add_task("", total=total, left=str(self._left))
        self._places: dict[int, int] = {}

    def advance(self, file: int, at: int, known: bool = False) -> None:
        """A file, by its place in the list, is read so far; `known`: nothing had to be done for what was read."""
        before = self._places.get(file, 0)
        self._places[file] = max(at, before)
        self._left.advance(self._places[file] - before, known)
        self._progress.update(self._task, completed=sum(self._places.values()), left=str(self._left))

    def tell(self, line: str, *, err: bool = False) -> None:
        """Print a line, in place of the bar where it comes to the same terminal; the bar is soon drawn below it."""
        is_in_the_way = not self._progress.disable and (err or sys.stdout.isatty())
        click.echo(_ERASE + line if is_in_the_way else line, err=err)


@contextmanager
def bar_over(files: list[Path], what: str) -> Iterator[Bar]:
    """The bar while it is shown; what comes from a pipe has no end to show."""
    sizes = [file.stat().st_size for file in files if str(file) != "-" and file.is_file()]
    progress = Progress(
        TextColumn(what),
        BarColumn(),
        DownloadColumn(),
        TextColumn("{task.fields[left]}"),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        disable=not sys.stderr.isatty() or sum(sizes) < MIB,
    )
    with progress:
        yield Bar(progress, sum(sizes))
