"""Waiting for servers that need a while, and may not answer or obey at first."""

import time
from collections.abc import Callable
from typing import Any, Final

from drills.cluster.talk import Refused

LIMIT: Final = 180.0  # seconds that a server, or an agreement among them, may take on a busy machine
PAUSE: Final = 0.03  # seconds between two looks


class NotInTime(Exception):
    """A condition did not come true in time; the message says which one, and what was there instead."""


def until(what: str, holds: Callable[[], Any], seen: Callable[[], str] = str, seconds: float = LIMIT) -> None:
    """Wait until something holds. A server that refuses or does not answer meanwhile is asked again.

    `what` names it, and `seen` tells what there is, for the error. Raises NotInTime.
    """
    deadline = time.monotonic() + seconds
    while True:
        last = ""
        try:
            if holds():
                return
        except (OSError, Refused) as error:
            last = f"{type(error).__name__}: {error}\n"
        if time.monotonic() > deadline:
            raise NotInTime(f"not within {seconds:g} s: {what}\n{last}{seen()}")
        time.sleep(PAUSE)
