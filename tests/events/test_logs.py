"""The form of a line of the log."""

import json
import logging
import subprocess
import sys
from typing import Any

from events.runtime.logs import JsonLines, TextLines
from tests.support.running import ROOT
from tests.support.waiting import LIMIT

UNDER_WAY = {"request_id": "mine", "method": "GET", "game_id": None}


def record(message: str, *args: object, **about: Any) -> logging.LogRecord:
    """A warning, as `logging` makes it."""
    made = logging.getLogger("migrato.test").makeRecord(
        "migrato.test", logging.WARNING, "", 0, message, args, about.pop("exc_info", None), extra=about
    )
    made.created = 1795373844.5
    return made


def test_the_members_of_a_line() -> None:
    """The time in UTC; the request under way, unless the line itself says otherwise; nothing that is not known.

    A traceback is a member, with its line ends escaped.
    """
    line = JsonLines("web", lambda: UNDER_WAY).format(record("%d of %s", 1, "2", game_id="g1"))
    told = json.loads(line)
    assert told.pop("pid") > 0
    assert told == {
        "time": "2026-11-22T18:57:24.500Z",
        "level": "warning",
        "logger": "migrato.test",
        "process": "web",
        "message": "1 of 2",
        "request_id": "mine",
        "method": "GET",
        "game_id": "g1",
    }
    try:
        int("no")
    except ValueError:
        line = JsonLines("web", dict).format(record("failed", exc_info=sys.exc_info()))
    assert json.loads(line)["exception"].endswith("base 10: 'no'")
    assert "\n" not in line


def test_all_that_is_told_is_one_line_of_ascii() -> None:
    """So no line can be forged, and every reader of lines agrees on where they end."""
    for message in ("two\nlines", "\ud800 no text", '"}\x00{"', "\u2028"):
        line = JsonLines("web", dict).format(record("%s", message))
        assert line.isascii()
        assert "\n" not in line
        assert json.loads(line)["message"] == message


def test_the_form_for_people() -> None:
    """The line's subject stands at its end."""
    line = TextLines(lambda: UNDER_WAY).format(record("no answer", status=503))
    assert line.endswith(" WARNING no answer  request_id=mine  method=GET  status=503")


PROGRAM = """
import threading
import warnings
from events.runtime import logs
from events.runtime.settings import Settings
logs.set_up("bots", Settings(log_format="json"))
warnings.warn("old")
def f(): raise RuntimeError("no")
thread = threading.Thread(target=f)
thread.start()
thread.join()
f()
"""


def test_an_exception_that_nobody_catches_is_a_line_too() -> None:
    """The one that ends the process, and one in a thread; a warning of Python's as well."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True, check=False, timeout=LIMIT
    )
    warned, *ended = map(json.loads, done.stderr.splitlines())
    assert (warned["logger"], warned["level"]) == ("py.warnings", "warning")
    assert [(line["level"], line["process"]) for line in ended] == [("critical", "bots")] * 2
    assert all("RuntimeError: no" in line["exception"] for line in ended)
