"""Heartbeats, one a second, for the supervisor that replaces this process when it hangs.

`migrato serve` gets a byte through a pipe; for others, as a probe of Kubernetes, a file is touched. Where nobody asks
for any, none are given.
"""

import os
import stat
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Final, Self

from events.rhythm import pause

# Holds the number of the pipe's descriptor, which the process has inherited, or the path of the file from / on.
VARIABLE: Final = "MIGRATO_PULSE"
READY: Final = b"!"  # in the pipe: the process does its work now
INTERVAL: Final = 1.0  # seconds between two signs
FIRST_WITHIN: Final = 90.0  # seconds that the first sign may take, on a machine however slow
STUCK_AFTER: Final = (
    600.0  # seconds after which a process that does not return to its main loop is stuck, not busy
)


class Heartbeat:
    """The heartbeat of this process, for its supervisor."""

    def __init__(self, pipe: int | None, file: Path | None = None) -> None:
        """`pipe`: a descriptor to write to, which should not block; None if nobody listens. `file` is touched."""
        self._pipe = pipe
        self._file = file
        self._turns: list[float] = []  # the last one of each main loop

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> Self:
        """The heartbeat that the environment asks for."""
        named = environ.get(VARIABLE, "")
        if named.startswith("/"):
            return cls(None, Path(named))
        return cls(int(named) if named.isdecimal() and _is_pipe(int(named)) else None)

    def beat(self) -> None:
        """Give one sign of life; a reader that is late or gone does no harm."""
        if self._pipe is not None:
            with suppress(OSError):
                os.write(self._pipe, b".")
        if self._file is not None:
            with suppress(OSError):  # no room, for example; the reader of the file decides
                self._file.touch()

    def say_ready(self) -> None:
        """Say, once, that this process has begun its work."""
        if self._pipe is not None:
            with suppress(OSError):
                os.write(self._pipe, READY)

    def around(self, question: Callable[[], bool]) -> Callable[[], bool]:
        """The question that a main loop asks each time round. As long as the loop asks, a thread gives signs of life.

        It is a thread, and not the loop itself, because one turn may rightly take longer than a stopped process may
        stay unnoticed: a day of games goes into one file, two hundred slow bots are waited for. Among greenlets the
        thread is one of them, and so also tells of a loop that turns no more. Of several main loops each must go round.
        """
        number = len(self._turns)
        self._turns.append(time.monotonic())
        if number == 0:
            Thread(target=self._beat_on, name="heartbeat", daemon=True).start()

        def asked() -> bool:
            self._turns[number] = time.monotonic()
            return question()

        return asked

    def _beat_on(self) -> None:
        while True:
            if time.monotonic() - min(self._turns) < STUCK_AFTER:
                self.beat()
            time.sleep(pause(INTERVAL))


def _is_pipe(descriptor: int) -> bool:
    try:
        return stat.S_ISFIFO(os.fstat(descriptor).st_mode)
    except OSError:
        return False
