"""Forked processes, which start at once."""

import os
from collections.abc import Callable


def forked(act: Callable[[], object]) -> int:
    """The number of a process that does this, and ends with 0 if it comes to its end."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            act()
            status = 0
        finally:
            os._exit(status)
    return child


def status_of(child: int) -> int:
    """Wait for its end, and tell how it ended."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
