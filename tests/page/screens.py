"""Takes a picture of every screen, and puts them all onto one sheet: `make screens`.

The sheet and the pictures are written to `build/screens/`. Names of screens as arguments limit it to these.
"""

import re
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import requests
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize

from domain.words.languages import LANGUAGES
from tests.browsers.chromium import browsing
from tests.page.browser import kept, settle
from tests.page.prepared import Matched, Prepared
from tests.support.engine import Engine
from tests.support.running import ROOT
from tests.support.waiting import until

OUT: Final = ROOT / "build/screens"
CLOCK: Final = {"kind": "bank", "seconds": 900, "increment": 10}
DESKTOP: Final[ViewportSize] = {"width": 1366, "height": 768}  # the least that shows a whole table
PHONE: Final[ViewportSize] = {"width": 360, "height": 640}
ON_A_PHONE: Final[dict[str, Any]] = {"viewport": PHONE, "has_touch": True, "is_mobile": True}  # a context
# Of which nothing may be out of sight, as selectors.
CONTROLS: Final = ".hand-card, .prompt, .actions button, .controls > button"
OWN: Final = f"{CONTROLS}, .own :is(.column, .nest, .pile, .score, .clock, .turn-mark)"
MIGRATO: Final = (
    f"{OWN}, .middle .deck, .discard-pile, .their :is(.column, .nest, .pile, .score, .clock, .hand-count)"
)
MIGO: Final = f"{CONTROLS}, .rank button, .yeti, .yeti .clock, .mountain .turn"
ENDED: Final = ".ending :is(h2, table, .row > *)"
PLAYER: Final = ".player-bar :is(.said, input, button)"
READ: Final = f"{PLAYER}, .shown :is(.column, .score, .nest, .pile, .yeti, .free, .deck)"
WATCHED: Final = ".points tr"
BEGIN: Final = ".panel > .primary"
DIALOG: Final = "dialog h2, dialog button, dialog select, .fan li:first-child"
VERDICT: Final = ".verdict h2"
LESSON: Final = ".lesson h1, .lesson-do, .lesson-done, .lesson .primary, .hand-card, .own .column"


class Screen(NamedTuple):
    """One screen: its address, the seat that the browser holds, what is done before the picture is taken, what must be
    in sight then, without scrolling, what is below the upper edge of the window, what part of it is on no screen
    before it, whether the page of the last screen can show it, and whether it looks so much like another one that it is
    looked at by night.
    """

    address: str
    seat: dict[str, Any] | None = None
    act: Callable[[Page], Any] = lambda page: None
    needs: str = "main h1, main .row > *"
    top: str = "body"
    new: str = "main"  # a selector; everything if there is none
    goes_on: bool = False
    by_night: bool = False


def screens(url: str) -> Iterator[tuple[str, Screen]]:
    """All screens by name."""
    begun = Prepared(url, seed=4)
    yield "home", Screen("/", begun.seat(), at_home, BEGIN, new="")
    yield "home-migo", Screen("/#migo", None, at_home, BEGIN)
    yield (
        "join",
        Screen("/join/0000000000000000000000#1.code", None, needs="main h1, .join :is(input, button)"),
    )
    yield "missing", Screen("/play/-", by_night=True)
    yield "learn", Screen("/learn", None, at_table, LESSON)
    yield "learn-done", Screen("/learn#3", None, lesson_done, LESSON, new=".lesson")
    end = ".lesson h1, .lesson-done, .lesson .primary, .ending h2"
    yield "learn-end", Screen("/learn#8", None, lesson_done, end, new=".lesson, .ending")
    yield "no-seat", Screen("/play/0000000000000000000000")
    yield "table-first", Screen(f"/play/{begun.id}", begun.seat(), at_table, MIGRATO, by_night=True)
    middle = Prepared(url, seed=11, options={"return_flight": True, "memory_aid": True}).play(46)
    yield "table", Screen(f"/play/{middle.id}", middle.seat(), at_table, MIGRATO)
    address, seat = f"/play/{middle.id}", middle.seat()
    yield "table-picked", Screen(address, seat, pick, MIGRATO, new=".own, .mine", goes_on=True)
    yield "table-staged", Screen(address, seat, stage, MIGRATO, new=".own, .mine", goes_on=True)
    yield "table-pile", Screen(address, seat, pile, DIALOG, new="dialog", goes_on=True)
    needs = "dialog h2, dialog header button"
    yield "table-keys", Screen(address, seat, keys, needs, new="dialog", goes_on=True)
    yield "table-resign", Screen(address, seat, resign, DIALOG, new="dialog", goes_on=True)
    needs = f"{MIGRATO}, .banner"
    yield "table-away", Screen(address, seat, lose_connection, needs, new=".banner", goes_on=True)
    yield "table-refused", Screen(address, seat, refuse, f"{OWN}, .complaint", new=".complaint")
    yield "table-hint", Screen(address, seat, hint, f"{OWN}, .advice :is(p, li, button)", new=".advice")
    told = Prepared(
        url, seed=8, visibility="public", options={"turn_limit": 40, "return_flight": True}
    ).play()
    yield "table-ended", Screen(f"/play/{told.id}", told.seat(), at_table, ENDED)
    ropes = Prepared(url, "migo", seed=2).play(5)
    yield "migo-ropes", Screen(f"/play/{ropes.id}", ropes.seat(), at_table, MIGO)
    pyramid = Prepared(url, "migo", seed=3, people=("ada", "bo", "cy", "dora")).play(31)
    yield "migo-pyramid", Screen(f"/play/{pyramid.id}", pyramid.seat(), at_table, MIGO)
    peaks = Prepared(url, "migo", seed=1).play(40)  # two rounds do not decide it
    yield "migo-pyramids", Screen(f"/play/{peaks.id}", peaks.seat(), at_table, MIGO, by_night=True)
    over = Prepared(url, "migo", seed=6).play()
    yield "migo-ended", Screen(f"/play/{over.id}", over.seat(), at_table, ENDED, new=".ending")
    yield "waiting", Screen("/", None, make_table, "main h1, .invite input, .invite button")
    yield "replay", Screen(f"/games/{told.id}#40", None, replayed, READ)
    yield "replay-ended", Screen(f"/games/{told.id}#9999", None, replayed, READ, new=".shown, .player-bar")
    yield "embedded", Screen(f"/embed/{told.id}", None, watched, WATCHED, new="")
    yield "embedded-gone", Screen(f"/embed/{told.id}?ticket=me_x", needs="main h1, main p", by_night=True)
    judged = (mistaken, ".analysis h2", ".analysis", ".analysis")
    yield "analysis", Screen(f"/games/{told.id}#9999", None, *judged)
    club = Matched(url, "migo", ("cy", "dora"))
    club.post(1, {"type": "resign"})
    until(lambda: requests.get(f"{url}/v1/leaderboard?game=migo", timeout=20).json()["entries"])
    yield "operator", Screen("/operator", None, at_metrics, "main h1")
    yield "player", Screen(f"/players/{begun.view()['seats'][0]['player_id']}", None, at_games, "main h1")
    yield "player-gone", Screen("/players/nobody", by_night=True)
    yield (
        "leaderboard",
        Screen("/leaderboard#migo", None, at_places, "main h1, .numbers tbody tr:first-child th"),
    )
    yield "fork", Screen(f"/games/{told.id}#40", None, fork, DIALOG, new="dialog")
    yield "proof", Screen(f"/games/{told.id}#proof", None, proved, VERDICT)
    yield "proof-forged", Screen(f"/games/{told.id}#proof", None, forged, VERDICT)
    people, options = ("ada", "bo", "cy", "dora"), {"turn_limit": 40}
    crowd = Prepared(url, "migo", seed=5, people=people, visibility="public", options=options).play()
    yield "analysis-migo", Screen(f"/games/{crowd.id}#9999", None, *judged)
    yield "replay-four", Screen(f"/games/{crowd.id}#30", None, replayed, READ)
    yield "replay-migo", Screen(f"/games/{over.id}#40", over.seat(), replayed, READ, by_night=True)
    yield "live", Screen(f"/games/{middle.id}", middle.seat(), replayed, READ, by_night=True)
    yield "proof-running", Screen(f"/games/{middle.id}#proof", middle.seat(), proved, VERDICT, by_night=True)
    yield "proof-file", Screen("/proof", needs="main h1, .drop")
    yield "home-options", Screen("/", None, with_options, BEGIN, new="details")
    timed = Prepared(url, "migo", seed=2, options={"first_seat": 1}, clock=CLOCK)
    timed.post(1, timed.legal(1)[0])
    timed.ask_back(1)
    needs = f"{MIGO}, .takeback, .takeback button"
    yield "migo-takeback", Screen(f"/play/{timed.id}", timed.seat(), asked, needs, new=".takeback, .yeti")
    yield "no-game", Screen("/games/0000000000000000000000", by_night=True)
    yield (
        "no-seat-any-more",
        Screen(f"/play/{timed.id}", timed.seat() | {"token": f"{timed.tokens[0]}0"}, by_night=True),
    )


def pile(page: Page) -> None:
    """All cards of the discard pile."""
    at_table(page)
    page.click(".discard-pile")


def keys(page: Page) -> None:
    """The keys of the table, and settings."""
    at_table(page)
    page.keyboard.press("?")
    page.wait_for_selector("dialog[open]")


def with_options(page: Page) -> None:
    """Further choices for a game."""
    page.locator("details summary").first.evaluate("one => one.click()")


def refuse(page: Page) -> None:
    """A place where a card may not go, and the rule that says so."""
    for card in page.locator(".hand-card").all():
        card.click()
        closed = page.locator(".own .target:not(.lit)")
        if closed.count():
            closed.first.dispatch_event("click")
            page.wait_for_selector(".complaint")
            return


def resign(page: Page) -> None:
    """The question for confirmation."""
    page.locator(".controls button", has=page.locator("use[href='#flag']")).click()
    page.wait_for_selector("dialog[open]")


def lose_connection(page: Page) -> None:
    """Cut the connection of the page, as in a tunnel."""
    at_table(page)
    page.evaluate("dispatchEvent(new Event('offline'))")
    page.wait_for_selector(".banner")


def asked(page: Page) -> None:
    """The question for a takeback; a clock runs."""
    page.wait_for_selector(".takeback")


def at_home(page: Page) -> None:
    """The bots to choose from are there."""
    page.wait_for_selector(".level")


def watched(page: Page) -> None:
    """A table in a frame, which somebody watches."""
    page.wait_for_selector(".table.shown")


def at_table(page: Page) -> None:
    """The cards are dealt."""
    page.wait_for_selector(".table")


def lesson_done(page: Page) -> None:
    """The step of the lesson has been done."""
    at_table(page)
    page.locator(".hand-card.able").first.click()
    page.locator("button.lit").first.click()
    page.wait_for_selector(".ending, .hand-card.able:not([data-face=T3d])")
    if not page.locator(".ending").count():
        page.locator(".hand-card.able").first.click()
        page.locator(".actions .primary").click()
    page.wait_for_selector(".lesson-done")


def pick(page: Page) -> None:
    """A card that has somewhere to go."""
    page.locator(".hand-card.able").first.click()


def stage(page: Page) -> None:
    """A card on its way, with the discard still to be chosen."""
    for card in page.locator(".hand-card.able").all():
        card.click()
        if page.locator(".target.lit").count():
            page.locator(".target.lit").first.click()
            page.wait_for_selector(".placed.staged")
            return
        page.keyboard.press("Escape")


def hint(page: Page) -> None:
    """The engine's own move."""
    page.keyboard.press("h")
    page.wait_for_selector(".advice")


def replayed(page: Page) -> None:
    """The steps are there."""
    page.wait_for_selector(".player-bar")
    page.wait_for_selector(".steps li")


def mistaken(page: Page) -> None:
    """The moves are judged, and one of them is explained."""
    page.wait_for_selector(".swings", timeout=60_000)
    page.locator(".swings :is(.inaccuracy, .mistake, .blunder) button").first.click()


def at_games(page: Page) -> None:
    """The player's games are there."""
    page.wait_for_selector(".games li")


def at_metrics(page: Page) -> None:
    """Something has been measured."""
    page.locator(".figure b", has_text=re.compile(r"\d")).nth(6).wait_for()


def at_places(page: Page) -> None:
    """Somebody has been rated."""
    page.wait_for_selector(".numbers tbody tr")


def fork(page: Page) -> None:
    """The choice of names and opponents."""
    replayed(page)
    page.locator(".reading-tools > button").click()
    page.wait_for_selector("dialog")


def proved(page: Page) -> None:
    """It has been checked."""
    page.wait_for_selector(".verdict")


def forged(page: Page) -> None:
    """A file in which somebody has changed a word."""
    proved(page)
    game = page.url.split("/")[-1].split("#")[0]
    lines = requests.get(f"{page.url.split('/games')[0]}/v1/games/{game}/export", timeout=20).content.split(
        b"\n"
    )
    lines[20] = lines[20].replace(b'"schema":1', b'"schema":2')
    page.set_input_files(
        "input[type=file]", {"name": "forged.ndjson", "mimeType": "", "buffer": b"\n".join(lines)}
    )
    page.wait_for_selector(".verdict.failed")


def make_table(page: Page) -> None:
    """A table for a friend."""
    page.locator(".panels .panel:nth-child(2) button").first.click()
    page.wait_for_selector(".invite")


def pictures(browser: Browser, url: str, wanted: list[str]) -> Iterator[tuple[str, Path]]:
    """Each screen, in light and dark, on a desktop and a phone; in the other languages once each."""
    for name, screen in screens(url):
        if wanted and name not in wanted:
            continue
        for size, viewport in (("desktop", DESKTOP), ("phone", PHONE)):
            for scheme in ("light", "dark"):
                languages = ["en"] if size == "desktop" or scheme == "dark" else LANGUAGES
                for language in languages:
                    context = browser.new_context(
                        viewport=viewport,
                        color_scheme=scheme,
                        locale=language,
                        reduced_motion="reduce",
                        has_touch=size == "phone",
                    )
                    title = f"{name} {size} {scheme} {language}"
                    yield title, taken(context, url, screen, OUT / f"{title.replace(' ', '-')}.png")
                    context.close()


def opened(page: Page, url: str, screen: Screen) -> None:
    """Show a screen, as it is once nothing moves any more."""
    page.goto(url + screen.address)
    loaded(page)
    acted(page, screen)


def acted(page: Page, screen: Screen) -> None:
    """Do what a screen is about, where its page is there."""
    screen.act(page)
    settle(page)
    scrolled(page, screen)


def scrolled(page: Page, screen: Screen) -> None:
    """Scroll to where a screen is looked at."""
    page.locator(screen.top).evaluate("one => one.scrollIntoView()")


def loaded(page: Page) -> None:
    """Wait until a screen has its heading, and waits for nothing itself."""
    page.wait_for_selector("main h1", state="attached")
    page.wait_for_function("() => !document.querySelector('main .waiting[role=status]')")


def taken(context: BrowserContext, url: str, screen: Screen, path: Path) -> Path:
    """The picture of a screen."""
    if screen.seat:
        context.add_init_script(kept(**screen.seat))
    page = context.new_page()
    opened(page, url, screen)
    page.screenshot(path=path)
    return path


def sheet(browser: Browser, shots: list[tuple[str, Path]], name: str, width: int) -> Path:
    """A sheet with all pictures beside one another."""
    figures = "".join(
        f"<figure><img src='{path.as_uri()}'><figcaption>{title}</figcaption></figure>"
        for title, path in shots
    )
    style = (
        "body{margin:12px;background:#777;font:12px sans-serif;color:#fff;display:flex;flex-wrap:wrap;gap:12px;"
        f"align-items:start}}figure{{margin:0}}img{{width:{width}px;display:block}}"
    )
    text = OUT / f"{name}.html"
    text.write_text(f"<!doctype html><meta charset=utf-8><style>{style}</style>{figures}")
    page = browser.new_page(viewport={"width": 1660, "height": 900})
    page.goto(text.as_uri())
    page.screenshot(path=OUT / f"{name}.png", full_page=True)
    page.close()
    return OUT / f"{name}.png"


def main(*wanted: str) -> None:
    """Make the pictures and the sheet."""
    OUT.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        engine = Engine(Path(place) / "data").start()
        try:
            with browsing() as browser:
                shots = list(pictures(browser, engine.url, list(wanted)))
                for size, width in (("desktop", 535), ("phone", 220)):
                    print(sheet(browser, [shot for shot in shots if f" {size} " in shot[0]], size, width))
        finally:
            engine.end()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the engine ends, as by Ctrl-C
    main(*sys.argv[1:])
