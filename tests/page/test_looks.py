"""What is asked of every screen: no finding of axe, nothing cut off on a phone, three languages, few bytes."""

import gzip
import json
import re
import subprocess
from pathlib import Path
from typing import Final, Literal

import pytest
import requests
from playwright.sync_api import Page, Response, Route, ViewportSize, expect

from domain.registry import GAMES
from service.http.page import assets
from tests.node import NODE, node_modules
from tests.page.browser import seat_kept
from tests.page.conftest import Visit
from tests.page.prepared import Prepared
from tests.page.screens import DESKTOP, PHONE, screens
from tests.processes.engine import Engine
from tests.project.running import ROOT

WEB: Final = ROOT / "service/web"
BUDGET: Final = 150_000  # bytes that a first visit may take, compressed
SLOW: Final = 4  # as a slow phone's processor is to this one


RULES: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
DOCUMENTS: Final = [
    "/guide",
    "/guide/reference/rules-migrato",
    "/guide/reference/rules-migo",
    "/developers",
    "/problems",
]


Look = tuple[ViewportSize, Literal["light", "dark"]]
SCHEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")
LOOKS: Final[list[Look]] = [(viewport, scheme) for viewport in (DESKTOP, PHONE) for scheme in SCHEMES]


@pytest.mark.parametrize(
    ("locale", "looks"), [("en", LOOKS), ("fr", LOOKS[1:2]), ("de", LOOKS[2:3])], ids=["en", "fr", "de"]
)
def test_axe_finds_nothing(engine: Engine, visit: Visit, locale: str, looks: list[Look]) -> None:
    """On any screen, as WCAG 2.2 AA has it: in either light, on a desktop and a phone, in each language."""
    found: list[str] = []
    for name, screen in screens(engine.url):
        context = visit(viewport=DESKTOP, locale=locale)
        if screen.seat:
            seat_kept(context, **screen.seat)
        page = context.new_page()
        page.goto(engine.url + screen.address)
        expect(page.locator("main h1")).to_be_attached()
        page.wait_for_timeout(300)
        screen.act(page)
        found += findings(page, name, looks)
        context.close()
    assert found == []


def test_axe_finds_nothing_in_what_the_page_links_to(engine: Engine, visit: Visit) -> None:
    """The rules, the guide, and the pages for developers."""
    page = visit(viewport=DESKTOP).new_page()
    found: list[str] = []
    for address in DOCUMENTS:
        page.goto(engine.url + address)
        found += findings(page, address, LOOKS)
    assert found == []


def findings(page: Page, name: str, looks: list[Look]) -> list[str]:
    """What axe finds on a page as it is now; how many rules hold is printed."""
    page.evaluate((node_modules() / "axe-core/axe.min.js").read_text())
    found = []
    for viewport, scheme in looks:
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        result = page.evaluate("(values) => axe.run({runOnly: {type: 'tag', values}})", RULES)
        look = f"{name} {scheme} {viewport['width']}"
        print(f"axe: {look}: {len(result['passes'])} rules hold")
        found += [f"{look} {rule['id']}: {rule['nodes'][0]['html'][:160]}" for rule in result["violations"]]
    return found


def test_nothing_is_cut_off_on_a_phone(engine: Engine, visit: Visit) -> None:
    """No screen is wider than 360 pixels, in the language with the longest words."""
    wider = {}
    for name, screen in screens(engine.url):
        context = visit(viewport=PHONE, has_touch=True, is_mobile=True, locale="de")
        if screen.seat:
            seat_kept(context, **screen.seat)
        page = context.new_page()
        page.goto(engine.url + screen.address)
        expect(page.locator("main h1")).to_be_attached()
        page.wait_for_timeout(300)
        if name != "table-hint":
            screen.act(page)
        width = page.evaluate("() => document.documentElement.scrollWidth")
        if width > PHONE["width"]:
            wider[name] = width
        context.close()
    assert wider == {}


@pytest.mark.parametrize(
    ("locale", "button", "again"),
    [("en", "Play", "Deutsch"), ("fr-CH", "Jouer", "English"), ("de-AT", "Spielen", "Français")],
)
def test_three_languages(engine: Engine, visit: Visit, locale: str, button: str, again: str) -> None:
    """The browser's at first, then the chosen one, also after a reload."""
    page = visit(locale=locale).new_page()
    page.goto(engine.url)
    expect(page.locator(".primary.large")).to_have_text(button)
    assert page.locator("html").get_attribute("lang") == locale[:2]
    page.locator("header select").select_option(label=again)
    chosen = {"Deutsch": "Spielen", "English": "Play", "Français": "Jouer"}[again]
    expect(page.locator(".primary.large")).to_have_text(chosen)
    page.reload()
    expect(page.locator(".primary.large")).to_have_text(chosen)


def test_words_have_the_same_values_in_every_language() -> None:
    """Nothing in braces is lost or invented by a translation, and none of its sentences was left in English."""
    program = "import(process.argv[1]).then((module) => console.log(JSON.stringify(module.default)))"
    words = {
        code: json.loads(subprocess.check_output([NODE, "-e", program, str(WEB / f"words/{code}.js")]))
        for code in ("en", "fr", "de")
    }
    for code in ("fr", "de"):
        assert words[code].keys() == words["en"].keys()
        for key, text in words["en"].items():
            assert values(words[code][key]) == values(text), (code, key)
        same = [
            key for key, text in words["en"].items() if words[code][key] == text and len(text.split()) > 2
        ]
        assert same == []


SPOKEN = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\\n]|\\.)*)`')
TRANSLATE = """
const [{translator}, texts] = [await import(process.argv[1]), JSON.parse(process.argv[2])];
const [fr, de] = [await translator("fr"), await translator("de")];
console.log(JSON.stringify(texts.map((text) => [fr(text), de(text)])));
"""


def test_what_the_checks_say_has_words_in_every_language() -> None:
    """Each sentence that stands in the proof's modules, and those that are put together of parts."""
    modules = [path for path in (WEB / "proof").glob("**/*.js") if path.name not in ("page.js", "steps.js")]
    code = "\n".join(path.read_text() for path in modules)
    code = re.sub(r"\$\{[^{}`]*\}", "X", re.sub(r"^\s*(//|/?\*).*$", "", code, flags=re.MULTILINE))
    said = {quoted or template for quoted, template in SPOKEN.findall(code)}
    texts = sorted(text.replace("\\`", "`") for text in said if re.search(r"\w \w+ \w", text))
    assert len(texts) > 50
    starts = [text if text[0].isupper() or "X" in text else f"X {text}" for text in texts]
    left = [
        text
        for text, start, plain, started in zip(texts, starts, said_in(texts), said_in(starts), strict=True)
        if text in plain and start in started
    ]
    assert left == []
    joined = [
        "The header is not in canonical form. Lines must be the very bytes of the export.",
        "deck of the last line is malformed.",
    ]
    for translations in said_in(joined):
        for text in translations:
            assert not set(text.split()) & {"The", "header", "line"}


def said_in(texts: list[str]) -> list[list[str]]:
    """What the checks say, in French and German."""
    command = [str(NODE), "--input-type=module", "-e", TRANSLATE]
    command += [str(WEB / "proof/translation.js"), json.dumps(texts)]
    found: list[list[str]] = json.loads(subprocess.check_output(command))
    return found


def values(text: str) -> set[str]:
    """The names in braces."""
    return set(re.findall(r"\{(\w+)", text))


def test_types() -> None:
    """The TypeScript compiler reads the page's JavaScript with its JSDoc, as strict as it can be."""
    command = [str(NODE), str(node_modules() / "typescript/bin/tsc"), "--project", str(WEB)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout


def test_bytes_of_a_first_visit(engine: Engine, visit: Visit) -> None:
    """The start and a table, with everything that they load."""
    page = visit().new_page()
    loaded: dict[str, int] = {}

    def note(answer: Response) -> None:
        loaded[answer.url] = int(answer.headers.get("content-length", 0))

    page.on("response", note)
    page.goto(engine.url)
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


@pytest.mark.parametrize(
    "name", ["../docs.html", "vendor/preact.d.ts", "page.html", "tsconfig.json", "%2e%2e/app.py"]
)
def test_no_other_file_is_served(engine: Engine, name: str) -> None:
    """Only what the page is made of."""
    text = requests.get(engine.url, timeout=10).text
    folder = re.findall(r"/assets/\w+/", text)[0]
    assert requests.get(f"{engine.url}{folder}{name}", timeout=10).status_code == 404


def test_the_start_works_on_a_slow_machine(engine: Engine, visit: Visit) -> None:
    """With a processor four times as slow, and no chain of requests: the document names each file that it needs.

    How soon it works says `make figures`, on a quiet machine.
    """
    page = visit().new_page()
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOW})
    loaded: set[str] = set()
    page.on("request", lambda request: loaded.add(request.url.removeprefix(engine.url)))
    page.goto(engine.url, wait_until="commit")
    expect(page.locator(".primary.large")).to_be_enabled()
    named = set(re.findall(r'(?:href|src)="(/assets/[^"]+)"', requests.get(engine.url, timeout=10).text))
    files = {path for path in loaded if path.startswith("/assets/")}
    assert files - named == set()
    assert len(files) > 20


def test_a_move_is_shown_by_its_answer(engine: Engine, visit: Visit) -> None:
    """Whatever else the page asks for then: what happened is told once that has come."""
    game = Prepared(engine.url, seed=4, options={"first_seat": 0})
    context = visit()
    seat_kept(context, **game.seat())
    page = context.new_page()
    page.goto(f"{engine.url}/play/{game.id}")
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
        path.read_text() for path in [*files, *WEB.glob("*.html"), ROOT / "service/http/page/routes.py"]
    )
    linked = {f"style/{name}.css" for name in assets.STYLES} | {f"{game}/table.css" for game in GAMES}
    names = {path: path.relative_to(WEB).as_posix() for path in sorted(files)}
    assert [name for path, name in names.items() if path.name not in text and name not in linked] == []
    assert linked == set(assets.styles())
    assert len(gzip.compress(b"".join(Path(path).read_bytes() for path in sorted(files)))) < BUDGET
