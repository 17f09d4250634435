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
        self._logged_at: dict[tuple[str, str], float] = {}
        self._lasts = set[tuple[str, str]]()
        self._left_out: dict[tuple[str, str], int] = {}

    def warning(self, text: str, *about: object, kind: str = "") -> None:
        """Log the warning; if one with this text, whatever its arguments, was logged within a minute, only count it.

        `kind`: one of a few words, each of which counts as a text of its own; all of them are over together.
        """
        self._tell(logging.WARNING, (text, kind), about, None)

    def exception(self, text: str, *about: object, error: BaseException) -> None:
        """Log an error with its traceback, as seldom as a warning."""
        self._tell(logging.ERROR, (text, ""), about, error)

    def over(self, text: str, told: str, *about: object) -> None:
        """Log that what the warning with this text was about is over, unless there was none, or it was only counted."""
        if any(known == text for known, _ in self._lasts):
            self._lasts = {one for one in self._lasts if one[0] != text}
            self._log.info(told, *about)

    def _tell(
        self, level: int, which: tuple[str, str], about: tuple[object, ...], error: BaseException | None
    ) -> None:
        now = self._clock()
        pause = MINUTE if which in self._lasts else AGAIN
        if now - self._logged_at.get(which, float("-inf")) < pause:
            self._left_out[which] = self._left_out.get(which, 0) + 1
            return
        self._logged_at[which] = now
        self._lasts.add(which)
        left_out, text = self._left_out.pop(which, 0), which[0]
        if left_out:
            text, about = f"{text} (and %d more since the last such line)", (*about, left_out)
        self._log.log(level, text, *about, exc_info=error)
