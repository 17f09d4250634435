"""Demands on every screen: no finding of axe, nothing cut off on a phone, every language, few bytes."""

import gzip
import json
import re
from collections.abc import Iterator
from typing import Final, Literal

import pytest
import requests
from playwright.sync_api import Page, Response, Route, ViewportSize, expect

from domain.registry import GAMES
from domain.words.languages import LANGUAGE_NAMES, LANGUAGES
from service.http.page import assets
from tests.page.browser import move, out_of_sight, settle
from tests.page.conftest import Sit, Visit
from tests.page.prepared import Prepared
from tests.page.screens import DESKTOP, ON_A_PHONE, PHONE, Screen, acted, loaded, screens, scrolled
from tests.support.engine import Engine
from tests.support.node import node_modules
from tests.support.running import ROOT

WEB: Final = ROOT / "service/web"
BUDGET: Final = 150_000  # bytes that a first visit may take, compressed
# Bytes of all files that the reader of one language may load, each compressed, and of those that only a proof, a table
# in a frame, or a game that goes on beside its table loads.
ALL_BUT_THE_PROOF: Final = 135_000  # lessons are recorded, so that they need no engine
THE_PROOF: Final = 46_900
A_FRAME: Final = 4_500
KEPT: Final = 8_750
RULES: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# Of the page as a whole: a part of it says nothing of them.
OF_ALL: Final = ["document-title", "heading-order", "page-has-heading-one", "landmark-one-main", "bypass"]
# In a part of the page, where style sheets are not read again; in all of it where there is none, or it went away by
# itself, as complaints do.
AXE: Final = """
    async ([values, part, ofAll]) => {
        const run = (place, type, values) =>
            axe.run(place, { runOnly: { type, values }, resultTypes: ['violations'], preload: place === document });
        const isThere = part && document.querySelector(part);
        const { passes, violations } = await run(isThere ? part : document, 'tag', values);
        const others = isThere ? (await run(document, 'rule', ofAll)).violations : [];
        const told = ({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`;
        return [passes.length, [...violations, ...others].map(told)];
    }
"""
SEATS: Final = "if (location.protocol === 'http:') localStorage.setItem('migrato.seats', %s)"
SCHEMES: Final[list[Literal["light", "dark"]]] = ["light", "dark"]
DOCUMENTS: Final = ["/guide/reference/rules-migrato", "/guide?q=webhook", "/developers", "/problems"]
OTHERS: Final = ["/guide", "/guide/reference/rules-migo"]


def axe() -> str:
    """The program that finds what WCAG 2.2 AA forbids."""
    return (node_modules() / "axe-core/axe.min.js").read_text()


def show(page: Page, url: str, screen: Screen, viewport: ViewportSize) -> None:
    """Show a screen in a page that has shown others, as its links do: to load it again would cost as much again."""
    page.set_viewport_size(viewport)
    seats = json.dumps([{"names": [], "at": 1795000000000, **screen.seat}] if screen.seat else [])
    is_there = page.url == url + screen.address
    if is_there and screen.goes_on:
        page.keyboard.press("Escape")  # a dialog, or what was picked
        page.keyboard.press("Escape")
    elif is_there or "/embed/" in page.url + screen.address:
        with page.add_init_script(SEATS % json.dumps(seats)):
            page.goto(f"{url}/healthz")  # or the same page would go on
            page.goto(url + screen.address)
    else:
        move(page, screen.address, seats)
    loaded(page)
    acted(page, screen)


def misfits(page: Page, name: str, screen: Screen) -> Iterator[str]:
    """Elements that the window cuts off, or something covers."""
    width, most = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    if width > most:
        yield f"{name} is {width} pixels wide, of {most}"
    yield from (f"{name}, {most} wide: {one}" for one in out_of_sight(page, screen.needs))


def findings(page: Page, name: str, scheme: Literal["light", "dark"], part: str = "") -> list[str]:
    """Findings of axe on a page, or on a part of it, as it is now, but for its light."""
    page.emulate_media(color_scheme=scheme)
    settle(page)
    passed, found = page.evaluate(AXE, [RULES, part, OF_ALL])
    assert passed > (0 if part else 5)
    return [f"{name} {scheme} {page.evaluate('innerWidth')} {one}" for one in found]


def test_every_screen(engine: Engine, visit: Visit) -> None:
    """All that must be in sight is, without scrolling: in German, which has the longest words, on a phone, and every
    second screen on a desktop, too. Nothing is too wide. Axe finds nothing in what is new on the screen, in light and
    dark by turns.
    """
    page = visit(axe(), locale="de", **ON_A_PHONE)
    page.goto(engine.url)
    found: list[str] = []
    by_day = ((name, screen) for name, screen in screens(engine.url) if not screen.by_night)
    for number, (name, screen) in enumerate(by_day):
        show(page, engine.url, screen, PHONE)
        found += misfits(page, name, screen)
        if number % 2:
            page.set_viewport_size(DESKTOP)
            scrolled(page, screen)
            found += misfits(page, name, screen)
        found += findings(page, name, SCHEMES[number // 2 % 2], screen.new)
    assert found == []


@pytest.mark.nightly(
    "a screen that is too wide, or a finding of axe, in one language, light and size, not in another"
)
@pytest.mark.parametrize("locale", LANGUAGES)
def test_every_look_of_every_screen(engine: Engine, visit: Visit, locale: str) -> None:
    """Every screen is looked at in either light, on a desktop and a phone, in each language."""
    page = visit(axe(), locale=locale, viewport=DESKTOP)
    page.goto(engine.url)
    found: list[str] = []
    for name, screen in screens(engine.url):
        show(page, engine.url, screen, DESKTOP)
        for viewport in (DESKTOP, PHONE):
            page.set_viewport_size(viewport)
            scrolled(page, screen)  # axe has scrolled, and the smaller window keeps in sight what it saw
            found += misfits(page, name, screen)
            for scheme in SCHEMES:
                found += findings(page, name, scheme)
    for address in (*DOCUMENTS, *OTHERS) if locale == "en" else ():
        page.goto(engine.url + address)
        for scheme in SCHEMES:
            found += findings(page, address, scheme)
    assert found == []


def test_links_of_the_page(engine: Engine, visit: Visit) -> None:
    """Axe finds nothing in the rules, the guide, and the pages for developers: light on a desktop, dark on a phone."""
    page = visit(axe(), viewport=DESKTOP)
    found: list[str] = []
    for number, address in enumerate(DOCUMENTS):
        page.goto(engine.url + address)
        page.set_viewport_size(PHONE if number % 2 else DESKTOP)
        found += findings(page, address, SCHEMES[number % 2])
    assert found == []


def test_languages(engine: Engine, visit: Visit) -> None:
    """The browser's at first, then the chosen one, also after a reload."""
    page = visit(locale="it-CH")
    page.goto(engine.url)
    button, root = page.locator(".primary.large"), page.locator("html")
    shown = [button.inner_text()]
    assert root.get_attribute("lang") == "it"
    for code in (code for code in LANGUAGES if code != "it"):
        page.locator("header select").select_option(label=LANGUAGE_NAMES[code])
        expect(button).not_to_have_text(shown[-1])
        assert root.get_attribute("lang") == code
        shown.append(button.inner_text())
    page.reload()
    assert button.inner_text() == shown[-1]
    assert len({*shown}) == len(LANGUAGES)


def test_a_first_visit(engine: Engine, visit: Visit) -> None:
    """The start and a table take few bytes. There is no chain of requests: the document names what the start needs.

    How soon the start works says `make figures`, on a quiet machine.
    """
    page = visit(fresh=True)
    loaded: dict[str, int] = {}

    def note(answer: Response) -> None:
        loaded[answer.url.removeprefix(engine.url)] = int(answer.headers.get("content-length", 0))

    page.on("response", note)
    page.goto(engine.url)
    expect(page.locator(".primary.large")).to_be_enabled()
    named = set(re.findall(r'(?:href|src)="(/assets/[^"]+)"', requests.get(engine.url, timeout=10).text))
    files = {path for path in loaded if path.startswith("/assets/")}
    assert files - named == set()
    assert len(files) > 20
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".table")).to_be_visible()
    assert 20_000 < sum(loaded.values()) < BUDGET, loaded


def test_files_are_kept_by_browsers(engine: Engine) -> None:
    """For ever, since their address changes with them; compressed; those of another version are gone."""
    text = requests.get(engine.url, timeout=10).text
    (address,) = set(re.findall(r'href="(/assets/\w+/shell/app\.js)"', text))
    answer = requests.get(engine.url + address, timeout=10)
    assert "immutable" in answer.headers["Cache-Control"]
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.text == (WEB / "shell/app.js").read_text()
    former = re.sub(r"/assets/\w+/", "/assets/0123456789abcdef/", address)
    assert requests.get(engine.url + former, timeout=10).status_code == 404


def test_no_other_file_is_served(engine: Engine) -> None:
    """Only the files that the page is made of are served."""
    folder = re.findall(r"/assets/\w+/", requests.get(engine.url, timeout=10).text)[0]
    for name in ("../docs.html", "vendor/preact.d.ts", "page.html", "tsconfig.json", "%2e%2e/app.py"):
        assert requests.get(f"{engine.url}{folder}{name}", timeout=10).status_code == 404, name


def test_a_move_is_shown_by_its_answer(engine: Engine, sit: Sit) -> None:
    """Whatever else the page asks for then: what happened is told once that has come."""
    game = Prepared(engine.url, seed=4, options={"first_seat": 0})
    page = sit(game)
    expect(page.locator(".log li")).to_have_count(1)
    held: list[Route] = []
    is_held = True

    def hold(route: Route) -> None:
        if is_held:
            held.append(route)
        else:
            route.continue_()

    page.route(re.compile(r"/(events\?after|legal-moves|takeback)"), hold)
    page.get_by_role("button", name="Exchange hand").click()
    expect(page.locator(".prompt")).to_contain_text("thinking")
    after = game.view()["state"]["players"][0]["hand"]
    shown = page.locator(".hand-card").evaluate_all("cards => cards.map(card => card.dataset.face)")
    assert shown == after
    expect(page.locator(".log li")).to_have_count(1)
    is_held = False
    for route in held:
        route.continue_()
    expect(page.locator(".log ol")).to_contain_text("You exchanged your hand")
    assert held


def test_every_file_has_a_use() -> None:
    """No drawing, style sheet or module lies there that nothing names."""
    files = {path for path in WEB.glob("*/**/*") if path.suffix in (".js", ".css", ".svg")}
    text = "\n".join(
        path.read_text()
        for path in [*files, *WEB.glob("*.html"), WEB / "routes.json", ROOT / "service/http/page/routes.py"]
    )
    linked = {f"style/{name}.css" for name in assets.STYLES} | {f"{game}/table.css" for game in GAMES}
    names = {path: path.relative_to(WEB).as_posix() for path in sorted(files)}
    assert [name for path, name in names.items() if path.name not in text and name not in linked] == []
    assert linked == set(assets.styles())
    words = {path for path in files if "words" in path.parts}
    for language in LANGUAGES:
        read = files - words | {path for path in words if path.parent.name == language}
        proof = {path for path in read if "proof" in (*path.parts, path.stem)}
        framed = {path for path in read if path.parent.name == "embed" or path.name == "frame.css"}
        kept = {path for path in read if "kept" in (path.parent.name, path.stem)}
        table = read - proof - framed - kept
        parts = ((table, ALL_BUT_THE_PROOF), (proof, THE_PROOF), (framed, A_FRAME), (kept, KEPT))
        for part, most in parts:
            assert sum(len(gzip.compress(path.read_bytes())) for path in part) < most, language
