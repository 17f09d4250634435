"""One log for many processes: whole lines, each behind the name of the process that wrote it."""

import os
import sys
from typing import TextIO

COLOURS = (36, 32, 33, 35, 34, 31)  # ANSI: a colour a name, in the order of first appearance


class MergedLog:
    """Writes `name | line` to a stream, in colour if that is a terminal."""

    def __init__(self, stream: TextIO | None = None, width: int = 10) -> None:
        """`width`: columns for the name."""
        self._stream = stream or sys.stderr
        self._width = width
        self._coloured = self._stream.isatty() and "NO_COLOR" not in os.environ
        self._colour: dict[str, int] = {}

    def line(self, name: str, text: str) -> None:
        """Write one line; a log whose reader went away is no reason to stop."""
        head = f"{name:<{self._width}} |"
        if self._coloured:
            colour = self._colour.setdefault(name, COLOURS[len(self._colour) % len(COLOURS)])
            head = f"\033[{colour}m{head}\033[0m"
        try:
            self._stream.write(f"{head} {text}\n")
            self._stream.flush()
        except OSError:
            self._stream = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 (lives as long as the process)


class Lines:
    """Cuts a stream of bytes into lines; the end of the last, unfinished one is kept for the next call."""

    LONGEST = 64 * 1024  # bytes after which a line without an end is cut

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[str]:
        """The lines that `data` completes; an empty `data` is the stream's end and completes the last."""
        whole = self._rest + data
        *lines, self._rest = whole.split(b"\n")
        if self._rest and (not data or len(self._rest) > self.LONGEST):
            lines.append(self._rest)
            self._rest = b""
        return [line.decode(errors="replace").rstrip("\r") for line in lines]
