"""The `migrato` command, run in this process: a start of Python for each would take longer than what it does."""

import os
import sys
from pathlib import Path

from click.testing import CliRunner, Result

from service.cli import main
from tests.support.running import ended


def migrato(*arguments: str | Path, typed: str | bytes | None = None, **environ: str) -> Result:
    """Run it under these settings alone; an exception that is none of its own fails the test."""
    around: dict[str, str | None] = {name: None for name in os.environ if name.startswith("MIGRATO_")}
    done = CliRunner().invoke(main, [*map(str, arguments)], input=typed, env={**around, **environ})
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


def refused_to_serve(*options: str | Path) -> str:
    """The words of `migrato serve` that does not start, in a process of its own; exit code 2, no traceback."""
    done = ended([sys.executable, "-m", "service.cli", "serve", *options])
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    return done.stderr
