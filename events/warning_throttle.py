"""Warnings that would come by the thousand: one when something breaks, one a minute meanwhile, a word at the end."""

import logging
import time
from collections.abc import Callable
from typing import Final

MINUTE: Final = 60.0  # seconds
AGAIN: Final = 10.0  # seconds after which it is told at once that something has broken again


class WarningThrottle:
    """A log for warnings of which one says as much as a thousand; safe among greenlets.

    Among threads, too: at worst a line comes twice. It has no lock, for it is imported before gevent changes those.
    """

    def __init__(self, log: logging.Logger, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._clock = clock
        self._logged_at: dict[str, float] = {}
        self._lasts = set[str]()
        self._left_out: dict[str, int] = {}

    def warning(self, text: str, *about: object) -> None:
        """Log the warning; if one with this text, whatever its arguments, was logged within a minute, only count it."""
        self._tell(logging.WARNING, text, about, None)

    def exception(self, text: str, *about: object, error: BaseException) -> None:
        """Log an error with its traceback, as seldom as a warning."""
        self._tell(logging.ERROR, text, about, error)

    def over(self, text: str, told: str, *about: object) -> None:
        """Log that what the warning with this text was about is over, unless there was none, or it was only counted."""
        if text in self._lasts:
            self._lasts.discard(text)
            self._log.info(told, *about)

    def _tell(self, level: int, text: str, about: tuple[object, ...], error: BaseException | None) -> None:
        now = self._clock()
        pause = MINUTE if text in self._lasts else AGAIN
        if now - self._logged_at.get(text, float("-inf")) < pause:
            self._left_out[text] = self._left_out.get(text, 0) + 1
            return
        self._logged_at[text] = now
        self._lasts.add(text)
        left_out = self._left_out.pop(text, 0)
        if left_out:
            text, about = f"{text} (and %d more since the last such line)", (*about, left_out)
        self._log.log(level, text, *about, exc_info=error)
