"""Logs: a line for each thing that is told, on stderr, in one form from every process: JSON or text.

The standard library's `logging` does it, because gunicorn and RQ log by it, too: their lines get this form by one
handler. Nothing secret may be in a line: no token, seed, hand or name of a player, at any level.
"""

import json
import logging
import os
import sys
import threading
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final

from events.runtime.settings import Settings

Context = Callable[[], Mapping[str, Any]]

FIELDS: Final = ("request_id", "method", "route", "status", "duration_ms", "stream", "game_id")
CHATTY: Final = ("rq.worker", "rq.queue", "rq.job", "rq.registry", "rq.scripts")  # at info

ROLE: ContextVar[str] = ContextVar("ROLE")  # the role of the line, in a process of several roles

log = logging.getLogger("migrato.process")


def set_up(process: str, settings: Settings, context: Context = dict) -> None:
    """Have all that this process logs on stderr, from the configured level on.

    `process`: its role. `context`: the fields of the request or job under way, by the names of FIELDS.
    """
    level = settings.log_level.upper()
    handler = logging.StreamHandler(sys.stderr)
    json_lines = settings.log_format == "json"
    handler.setFormatter(JsonLines(process, context) if json_lines else TextLines(context))
    logging.basicConfig(handlers=[handler], level=level, force=True)
    logging.captureWarnings(capture=True)
    for name in CHATTY:
        logging.getLogger(name).setLevel(level if level == "DEBUG" else "WARNING")
    if json_lines:  # else Python's own form is for people already
        sys.excepthook = _on_end
        threading.excepthook = lambda told: _on_end(told.exc_type, told.exc_value, told.exc_traceback)


def _on_end(kind: type[BaseException], error: BaseException | None, where: TracebackType | None) -> None:
    if error is None or issubclass(kind, KeyboardInterrupt):
        return
    log.critical("not caught: %s", kind.__name__, exc_info=(kind, error, where))


def json_line(time: float, level: str, logger: str, process: str, message: str, **fields: object) -> str:
    """A line of the log as JSON; `time` in seconds since 1970."""
    head = {"time": timestamp(time), "level": level, "logger": logger, "process": process}
    return json.dumps(head | {"message": message} | fields, default=str, separators=(",", ":"))


def timestamp(seconds: float) -> str:
    """A time since 1970 as the log writes it: in UTC, to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class JsonLines(logging.Formatter):
    """A JSON object for each record."""

    def __init__(self, process: str, context: Context) -> None:
        super().__init__()
        self._process = process
        self._context = context

    def format(self, record: logging.LogRecord) -> str:
        """The record on one line; line ends in a long text, such as a traceback, are escaped."""
        fields = {"pid": record.process} | _fields(record, self._context)
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        level = record.levelname.lower()
        process = ROLE.get(self._process)
        return json_line(record.created, level, record.name, process, record.getMessage(), **fields)


class TextLines(logging.Formatter):
    """A line for people: the time, the level, the role if there are several, the message, and its subject."""

    def __init__(self, context: Context) -> None:
        super().__init__("%(asctime)s %(levelname)s %(role)s%(message)s%(about)s", "%H:%M:%S")
        self._context = context

    def format(self, record: logging.LogRecord) -> str:
        """The record on one line, with a traceback on further ones."""
        record.about = about(_fields(record, self._context))
        role = ROLE.get(None)
        record.role = "" if role is None else f"{role}: "
        return super().format(record)


def about(fields: Mapping[str, object]) -> str:
    """Fields as a line of text ends with them."""
    return "".join([f"  {name}={value}" for name, value in fields.items()])


def _fields(record: logging.LogRecord, context: Context) -> dict[str, Any]:
    """Subject of the record: its own fields, and those of the request or job under way."""
    known = {**context(), **vars(record)}
    return {name: known[name] for name in FIELDS if known.get(name) is not None}


def write_line(line: bytes) -> None:
    """Write a whole line at once; a log whose reader went away is no reason to stop."""
    try:
        os.write(2, line)
    except OSError:
        return
