"""A headless Chromium, where this machine has one."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.node import NODE
from tests.support.running import as_a_child, clean_environment
from tests.support.waiting import until

# The first one has no window to draw, and takes two thirds of the processor time.
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "chrome",
    "/tmp/chromium",
)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--remote-debugging-port=0",
)
MISSING = "there is no Chromium on this machine: put one on the PATH, or name it in CHROMIUM"
PAGES = Path(__file__).parent / "programs/pages.mjs"


def found() -> str | None:
    """The program, if this machine has one; CHROMIUM may name it."""
    return next(filter(None, map(shutil.which, (os.environ.get("CHROMIUM", ""), *NAMES))), None)


def executable() -> str:
    """The program. The test is skipped where there is none, but fails in continuous integration."""
    program = found()
    if program is None:
        assert not os.environ.get("CI"), MISSING
        pytest.skip(MISSING)
    return program


class Browser:
    """Its pages, through the DevTools protocol."""

    def __init__(self, driver: "subprocess.Popen[str]") -> None:
        self._driver = driver

    def open(self, url: str) -> "Page":
        """A new page."""
        return Page(self, self.ask(open=url))

    def ask(self, **what: Any) -> Any:
        """Ask the driver for something; its value."""
        assert self._driver.stdin is not None
        assert self._driver.stdout is not None
        print(json.dumps(what), file=self._driver.stdin, flush=True)
        answer = json.loads(self._driver.stdout.readline())
        assert "error" not in answer, answer
        return answer["value"]


class Page:
    """One page."""

    def __init__(self, browser: Browser, number: int) -> None:
        self._browser = browser
        self._number = number

    def evaluate(self, expression: str) -> Any:
        """The value of an expression there; a promise is waited for."""
        return self._browser.ask(page=self._number, evaluate=expression)


@contextmanager
def chromium(place: Path) -> Iterator[Browser]:
    """A Chromium with a profile of its own in a directory."""
    program, port_file = executable(), place / "profile/DevToolsActivePort"
    port_file.unlink(missing_ok=True)  # of an earlier one here: nobody listens at that port any more
    command = [program, *FLAGS, f"--user-data-dir={place / 'profile'}", "about:blank"]
    with (place / "chromium.log").open("wb") as log:
        browser = subprocess.Popen(
            command,
            stdout=log,
            stderr=log,
            env=clean_environment({}),
            start_new_session=True,  # Debian's program is a shell script that starts it
            preexec_fn=as_a_child(),  # noqa: PLW1509 (system calls)
        )
    try:
        until(
            lambda: (
                (port_file.exists() and port_file.read_text().count("\n") > 0) or browser.poll() is not None
            ),
            30,
        )
        assert browser.poll() is None, (place / "chromium.log").read_text()
        port = port_file.read_text().split()[0]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen([NODE, PAGES, port], text=True, **pipes) as driver:  # type: ignore[call-overload]
            try:
                yield Browser(driver)
            finally:
                driver.kill()
    finally:
        os.killpg(browser.pid, signal.SIGKILL)
        browser.wait()


if __name__ == "__main__":
    if found() is None:
        sys.exit(f"THE TESTS OF THE PAGE WILL BE SKIPPED: {MISSING}")
