"""Interrupts of a command that spreads its work over processes: its own process gets them, and ends the others."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

INTERRUPTS: Final = frozenset((signal.SIGINT, signal.SIGTERM, signal.SIGHUP))


@contextmanager
def held_back() -> Iterator[None]:
    """Interrupts wait: a process that is forked meanwhile gets none before it has called `leave_to_parent`."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def leave_to_parent() -> None:
    """Let this process go on when somebody interrupts the command; the parent ends it by SIGTERM."""
    for number in INTERRUPTS - {signal.SIGTERM}:
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTS)
