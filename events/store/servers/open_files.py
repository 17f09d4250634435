"""The files and connections that this process may have open: once they are used up, nobody new is let in."""

import os
import resource
from typing import Final

from events.store.servers.durability import Fault

FEW_FILES: Final = "process-files"
NEARLY_ALL: Final = 0.95
OPEN: Final = "/proc/self/fd"


def fault() -> Fault | None:
    """The fault that this process has nearly as many files open as it may have, if so; None where nobody can tell."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        there = len(os.listdir(OPEN))  # noqa: PTH208 -- names are enough
    except FileNotFoundError:
        return None
    except OSError:  # there is none left to look with
        there = most
    if most == resource.RLIM_INFINITY or there < NEARLY_ALL * most:
        return None
    detail = (
        f"A web process has nearly as many files and connections open as it may: {most}. Then nobody new is let in. "
        f"Raise its limit (`ulimit -n`, `LimitNOFILE`), or let more web processes run."
    )
    return Fault(FEW_FILES, "web", detail)
