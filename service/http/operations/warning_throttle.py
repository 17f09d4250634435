"""Warnings that would come by the thousand, logged once a minute."""

import logging
import time
from collections.abc import Callable
from threading import Lock
from typing import Final

MINUTE: Final = 60.0  # seconds


class WarningThrottle:
    """A log for warnings of which one says as much as a thousand; safe among threads and greenlets."""

    def __init__(self, log: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._lock = Lock()
        self._logged_at: dict[str, float] = {}
        self._left_out: dict[str, int] = {}

    def warning(self, text: str, *about: object) -> None:
        """Log the warning; if one with this text, whatever its arguments, was logged within a minute, only count it."""
        with self._lock:
            now = self._clock()
            if now - self._logged_at.get(text, float("-inf")) < MINUTE:
                self._left_out[text] = self._left_out.get(text, 0) + 1
                return
            self._logged_at[text] = now
            left_out = self._left_out.pop(text, 0)
        if left_out:
            text, about = f"{text} (and %d more since the last such line)", (*about, left_out)
        self._log.warning(text, *about)
