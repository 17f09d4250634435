"""A headless Chromium, where this machine has one."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

# The first one has no window to draw, and takes two thirds of the processor time.
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "chrome",
    "/tmp/chromium",
)
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage")
MISSING = "there is no Chromium on this machine: put one on the PATH, or name it in CHROMIUM"


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


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser that Playwright drives, whose pages are all shown by one process; to start another takes long."""
    program = executable()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=[*FLAGS, "--renderer-process-limit=1"]
        )
        try:
            yield browser
        finally:
            browser.close()


if __name__ == "__main__":
    if found() is None:
        sys.exit(f"THE TESTS OF THE PAGE WILL BE SKIPPED: {MISSING}")
