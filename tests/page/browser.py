"""A Chromium that is driven by Playwright, and pages in it that are lent to one test after another."""

import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page

USUAL: Final[dict[str, Any]] = {"locale": "en", "reduced_motion": "reduce"}  # of a context
EMPTY: Final = """
    if (location.protocol === 'http:') for (const store of [localStorage, sessionStorage])
        if (store.getItem('visit') !== '%s') {
            store.clear();
            store.setItem('visit', '%s');
        }
"""
# What moves has come to its end, letters have their shapes, and two frames look the same.
SETTLED: Final = """
    async () => {
        const frame = () => new Promise((done) => requestAnimationFrame(done));
        const look = () => JSON.stringify(
            [...document.querySelectorAll('body *')].map((one) => Object.values(one.getBoundingClientRect().toJSON())));
        const moves = (one) => one.playState === 'running' && one.effect.getComputedTiming().endTime < Infinity;
        await document.fonts.ready;
        for (let before, now = look(); before !== now || document.getAnimations().some(moves); now = look()) {
            before = now;
            await frame();
            await frame();
        }
    }
"""
# Another address of the same page; returns once nothing of the screen before is there.
GO: Final = """
    async ([seats, path]) => {
        const shown = [...document.querySelector('#main').children];
        localStorage.setItem('migrato.seats', seats);
        history.pushState(null, '', path);
        scrollTo(0, 0);
        dispatchEvent(new Event('navigated'));
        while (shown.some((one) => one.isConnected)) await new Promise(requestAnimationFrame);
    }
"""
# What of these is not wholly within the window, or has something else over its middle.
OUT_OF_SIGHT: Final = """
    (needs) => [...document.querySelectorAll(needs)].flatMap((one) => {
        const { left, top, right, bottom, width, height } = one.getBoundingClientRect();
        if (!width || !height) return [];
        const isOut = left < 0 || top < 0 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5;
        const over = isOut ? null : document.elementFromPoint(left + width / 2, top + height / 2);
        if (!isOut && (one.contains(over) || over?.contains(one))) return [];
        const name = `${one.tagName} ${one.getAttribute("class")} ${one.innerText ?? ""}`.replace(/\\s+/g, " ");
        const why = isOut ? `from ${Math.round(top)} to ${Math.round(bottom)}` : `below ${over?.outerHTML}`;
        return [`${name.slice(0, 60)} ${why.slice(0, 90)}`];
    })
"""


class Errors(list[str]):
    """The errors in the console of pages, and their exceptions."""

    def watch(self, context: BrowserContext) -> None:
        """All pages of a context."""
        context.on("weberror", lambda error: self.append(str(error.error)))
        context.on("console", self._said)

    def _said(self, message: ConsoleMessage) -> None:
        # Chromium reports every answer of status 400 and above, which are what some tests are about.
        text = message.text
        if message.type == "error" and "Failed to load resource" not in text and "net::ERR_" not in text:
            self.append(text)


class Contexts:
    """Contexts that know nothing of one another, and forget: but files of the page that were loaded stay loaded.

    Each has a page that is never closed: a new one would take as much time again as a visit.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._idle: dict[str, list[tuple[Page, Errors]]] = defaultdict(list)
        self._visits = 0

    @contextmanager
    def lent(self, *scripts: str, **wanted: Any) -> Iterator[tuple[Page, Errors]]:
        """The page of one that runs these scripts at the start of each page."""
        idle = self._idle[json.dumps(wanted, sort_keys=True)]
        page, errors = idle.pop() if idle else self.new(**wanted)
        self._visits += 1
        first = EMPTY.replace("%s", str(self._visits))
        with ExitStack() as stack:
            for script in (first, *scripts):
                stack.enter_context(page.context.add_init_script(script))
            yield page, errors
            for other in page.context.pages[1:]:
                other.close()
            page.unroute_all()
            page.context.set_offline(False)
            page.goto("about:blank")
        errors.clear()
        idle.append((page, errors))

    def new(self, *, has_clock: bool = False, **wanted: Any) -> tuple[Page, Errors]:
        """The page of one that has loaded nothing; time in it can be set forward if it has a clock."""
        context, errors = self._browser.new_context(**wanted), Errors()
        errors.watch(context)
        if has_clock:
            context.clock.install()  # before a page is there: one that is already there is in 1970 for a moment
        return context.new_page(), errors


@contextmanager
def noted(page: Page, kind: str) -> Iterator[list[Any]]:
    """Requests or answers of a page and of others beside it, as long as they are noted."""
    found: list[Any] = []

    def note(one: Any) -> None:
        found.append(one)

    page.context.on(kind, note)  # type: ignore[call-overload]
    yield found
    page.context.remove_listener(kind, note)


def kept(**seat: Any) -> str:
    """A script that has a browser hold a seat, as if it had sat down there before."""
    seats = json.dumps([{"names": [], "at": 1795000000000, **seat}])
    return (
        "if (location.protocol === 'http:') localStorage.getItem('migrato.seats') ?? "
        f"localStorage.setItem('migrato.seats', {json.dumps(seats)})"
    )


def move(page: Page, path: str, seats: str) -> None:
    """Have a page show another address as its links do, with these seats kept: a visit would cost thrice as much."""
    page.evaluate(GO, [seats, path])


def settle(page: Page) -> None:
    """Wait until nothing on the page moves any more; also across an address that changes meanwhile."""
    while True:
        try:
            page.evaluate(SETTLED)
        except Error as error:
            if "context was destroyed" not in str(error):
                raise
        else:
            return


def out_of_sight(page: Page, needs: str) -> list[str]:
    """Elements that must be in sight and are not, of those that selectors find; at least one is there."""
    settle(page)
    assert page.locator(needs).count()
    found: list[str] = page.evaluate(OUT_OF_SIGHT, needs)
    return found
