"""One log for many processes: whole lines, each behind the name of the process that wrote it, or all in JSON."""

import os
import re
import sys
import time
from collections.abc import Iterable
from typing import Final, Literal, TextIO

from events.runtime import logs

# Valkey and Redis: process and role, day and time (that of the machine), a mark for the level, text.
SERVER_LINE: Final = re.compile(r"\d+:[A-Z] \d\d \w{3} \d{4} [\d:.]+ ([.*#-]) (.*)")
SERVER_LEVELS: Final = {".": "debug", "-": "info", "*": "info", "#": "warning"}
OURS: Final = '{"time":"'  # as a line begins that a process of ours has written in JSON

COLOURS = (36, 32, 33, 35, 34, 31)  # ANSI: a colour a name, in the order of first appearance


class MergedLog:
    """Writes lines to a stream: as `name | line`, in colour if that is a terminal, or as JSON objects."""

    def __init__(
        self, stream: TextIO | None = None, width: int = 10, form: Literal["text", "json"] = "text"
    ) -> None:
        """`width`: columns for the name."""
        self._stream = stream or sys.stderr
        self._width = width
        self._coloured = self._stream.isatty() and "NO_COLOR" not in os.environ
        self._colour: dict[str, int] = {}
        self._form = self._as_json if form == "json" else self._as_text

    def line(self, name: str, text: str) -> None:
        """Write one line."""
        self.lines(name, [text])

    def lines(self, name: str, texts: Iterable[str]) -> None:
        """Write lines at once; a log whose reader went away is no reason to stop."""
        try:
            self._stream.write("".join([self._form(name, text) for text in texts]))
            self._stream.flush()
        except OSError:
            self._stream = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 (lives as long as the process)

    def _as_text(self, name: str, text: str) -> str:
        head = f"{name:<{self._width}} |"
        if self._coloured:
            colour = self._colour.setdefault(name, COLOURS[len(self._colour) % len(COLOURS)])
            head = f"\033[{colour}m{head}\033[0m"
        return f"{head} {text}\n"

    @staticmethod
    def _as_json(name: str, text: str) -> str:
        """A line of JSON as it is; anything else, such as a server's line or a traceback, as the message of one."""
        if text.startswith(OURS) and text.endswith("}"):
            return f"{text}\n"
        of_server = SERVER_LINE.fullmatch(text)
        level, message = ("info", text) if of_server is None else (SERVER_LEVELS[of_server[1]], of_server[2])
        return logs.json_line(time.time(), level, name, name, message) + "\n"


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
