"""Those who watch a stream of states as pages do, and what they have seen of it."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page

from tests.support.node import NODE, node_modules

Json = dict[str, Any]
CLOSED = 2  # the readyState of an EventSource that has given up
PROGRAM = Path(__file__).parent / "programs/watch.mjs"
IN_A_PAGE = """
globalThis.seen = [];
globalThis.source = new EventSource(%s);
source.addEventListener("state", (event) => seen.push({ state: Number(event.lastEventId) }));
source.addEventListener("error", () => seen.push({ error: source.readyState }));
source.addEventListener("end", () => { source.close(); seen.push({ end: true }); });
"""


class Watcher(Protocol):
    """A watcher of a game."""

    def seen(self) -> list[Json]:
        """Everything so far: states by their versions, errors by the readyState after them, the end."""


def has_seen(watcher: Watcher, version: int, after: int = 0) -> bool:
    """True if a state of that version has come, after so many other things."""
    return {"state": version} in watcher.seen()[after:]


class InNode:
    """A package of npm, in a process of Node."""

    def __init__(self, output: Path) -> None:
        self._output = output

    @classmethod
    @contextmanager
    def watching(cls, package: str, url: str, place: Path) -> Iterator["InNode"]:
        """Watch a stream; in a folder in which the program finds its package."""
        folder = place / package
        folder.mkdir()
        (folder / "node_modules").symlink_to(node_modules())
        program, output = shutil.copy(PROGRAM, folder), folder / "seen"
        with output.open("wb") as seen, (folder / "log").open("wb") as log:
            process = subprocess.Popen([NODE, program, package, url], stdout=seen, stderr=log)
        try:
            yield cls(output)
        finally:
            process.kill()
            process.wait()

    def seen(self) -> list[Json]:
        """Its whole lines."""
        return [json.loads(line) for line in self._output.read_text().split("\n")[:-1]]


class InChromium:
    """The EventSource of a real browser."""

    def __init__(self, page: Page) -> None:
        self._page = page

    @classmethod
    @contextmanager
    def watching(cls, url: str, browser: Browser) -> Iterator["InChromium"]:
        """Watch a stream, on a page of the engine's own."""
        parts = urlsplit(url)
        with browser.new_page() as page:
            page.goto(f"{parts.scheme}://{parts.netloc}/")
            page.evaluate(IN_A_PAGE % json.dumps(url))
            yield cls(page)

    def seen(self) -> list[Json]:
        """States that the page has kept."""
        found: list[Json] = self._page.evaluate("seen")
        return found
