"""Gunicorn's log, in the form of all other lines."""

import logging
import os
import sys
from typing import Any

from gunicorn.glogging import Logger

from events.runtime import logs
from events.runtime.settings import load
from events.warning_throttle import WarningThrottle
from service.http.operations.access_log import under_way

ALWAYS_SO = ("Starting gunicorn", "Using worker", "Booting worker")


class EngineLogger(Logger):  # type: ignore[misc]
    """Sets up the log of the web processes; gunicorn's own lines go the same way as all others.

    Its tracebacks, of connections that break in an odd way, may come by the thousand.
    """

    def __init__(self, cfg: Any) -> None:
        super().__init__(cfg)
        self._warnings = WarningThrottle(self.error_log)

    def info(self, msg: str, *args: Any, **kwargs: Any) -> None:
        """Log a line of gunicorn's, but none of those that say at each start what is always so."""
        if not msg.startswith(ALWAYS_SO):
            super().info(msg, *args, **kwargs)

    def exception(self, msg: str, *args: Any, **_: Any) -> None:
        """Log what is being handled, with its traceback."""
        error = sys.exc_info()[1]
        if error is not None:
            self._warnings.exception(msg, *args, error=error)

    def setup(self, cfg: Any) -> None:
        """Set up the log."""
        super().setup(cfg)
        self.error_log.setLevel(max(self.error_log.level, logging.INFO))  # at debug it tells requests' paths
        self.error_log.handlers.clear()
        self.error_log.propagate = True
        logs.set_up("web", load(os.environ), under_way)
