"""A Chromium that is driven by Playwright, and what every screen is asked in it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browsers.chromium import executable

FLAGS: Final = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser; the test is skipped where there is none."""
    program = executable()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


class Errors(list[str]):
    """What a page complained of in its console, or threw."""

    def watch(self, context: BrowserContext) -> None:
        """All pages of a context."""
        context.on("page", self._listen)

    def _listen(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.append(str(error)))
        page.on("console", lambda message: self._said(message.type, message.text))

    def _said(self, kind: str, text: str) -> None:
        # Chromium reports every answer of status 400 and above, which are what some tests are about.
        if kind == "error" and "Failed to load resource" not in text and "net::ERR_" not in text:
            self.append(text)


def seat_kept(context: BrowserContext, **seat: Any) -> None:
    """Have a browser hold a seat, as if it had sat down there before."""
    kept = json.dumps([{"names": [], "at": 1795000000000, **seat}])
    script = (
        "if (location.protocol === 'http:') localStorage.getItem('migrato.seats') ?? "
        f"localStorage.setItem('migrato.seats', {json.dumps(kept)})"
    )
    context.add_init_script(script)
