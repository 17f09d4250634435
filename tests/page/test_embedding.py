"""A table in a frame of somebody else's page, on another origin: played, told of, and shown to no other page."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import requests
from playwright.sync_api import Frame, Page, expect

from tests.page.browser import OUT_OF_SIGHT, SETTLED, USUAL, Contexts
from tests.page.conftest import Visit
from tests.page.prepared import Prepared
from tests.page.screens import MIGO, MIGRATO
from tests.support.engine import Engine
from tests.support.markdown import blocks
from tests.support.node import NODE
from tests.support.running import ROOT, running
from tests.support.waiting import until

Json = dict[str, Any]
RECORD = "self.heard = []; addEventListener('message', ({ origin, data }) => heard.push({ origin, ...data }))"
# The frame, to a width and a height; where none is given, to the one that the table has told last.
RESIZE = """([width, height]) => {
    table.style.width = `${width}px`;
    table.style.height = `${height ?? heard.findLast(({ type }) => type === "migrato:size").height}px`;
}"""
CLIENT = ROOT / "clients/typescript/lib/embed.js"
TEXT = ROOT / "docs/how-to/embed-a-table.md"


def heard(page: Page, kind: str) -> list[Json]:
    """Messages of a kind that the page around the table got."""
    found: list[Json] = page.evaluate(f"heard.filter(({{ type }}) => type === 'migrato:{kind}')")
    return found


def wait_for(page: Page, condition: str) -> None:
    """Wait until a message came that fits."""
    page.wait_for_function(f"() => heard.some((said) => {condition})")


class App(ThreadingHTTPServer):
    """Somebody's app: a page that shows an address in a frame, the client's module, and an empty page."""

    def __init__(self, port: int) -> None:
        self.text = ""
        super().__init__(("127.0.0.1", port), _AppPages)

    def page(self, page: Page, origin: str, address: str, width: int = 800, height: int = 600) -> None:
        """Have a page show that frame."""
        frame = f'<iframe id="table" src="{address}" style="border: 0; width: {width}px; height: {height}px"></iframe>'
        self.text = f"<!doctype html><script>{RECORD}</script>{frame}"
        page.goto(origin)


class _AppPages(BaseHTTPRequestHandler):
    server: App

    def do_GET(self) -> None:
        is_module = self.path == "/embed.js"
        text = CLIENT.read_text() if is_module else self.server.text if self.path == "/" else ""
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript" if is_module else "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def club(app: str) -> Iterator[App]:
    """An app that runs."""
    with App(int(app.rpartition(":")[2])) as served:
        Thread(target=served.serve_forever, daemon=True).start()
        yield served
        served.shutdown()


def table_in(page: Page) -> Frame:
    """The frame of the table, which is drawn."""
    frame = page.frame(url=lambda url: "/embed/" in url)
    assert frame is not None
    expect(frame.locator(".table, .trouble").first).to_be_visible()
    return frame


@pytest.fixture
def twenty_lines(engine: Engine, app: str, tmp_path: Path) -> Iterator[str]:
    """The address of the app in the text, which runs as it stands there."""
    (program,) = blocks(TEXT, "js")
    assert len([line for line in program.splitlines() if line]) == 20
    (tmp_path / "app.mjs").write_text(program)
    settings = {"ENGINE": engine.url, "APP": app}
    log = tmp_path / "log"
    with running([str(NODE), str(tmp_path / "app.mjs")], settings, log, f"{app}/"):
        yield app


def test_an_app_of_twenty_lines(twenty_lines: str, visit: Visit, engine: Engine) -> None:
    """A move is played inside; the app is told of turns and the end. Nothing leads away, and nothing is kept."""
    page = visit(RECORD)
    page.goto(twenty_lines)
    table = table_in(page)
    expect(page.locator("#news")).to_have_text("Your turn")
    table.get_by_role("button", name="Exchange hand").click()
    page.wait_for_function(
        "() => ((turns) => turns.length > 1 && turns.at(-1).yours)(heard.filter(({ type }) => type === 'migrato:turn'))"
    )
    expect(page.locator("#news")).to_have_text("Your turn")
    before = heard(page, "turn")  # of the bot's turn it shows the whole, a part of it, or nothing
    first, *between, last = [message["yours"] for message in before]
    assert (first, any(between), last) == (True, False, True)
    assert {message["origin"] for message in before} == {engine.url}
    assert {(message["seat"], message["protocol"]) for message in before} == {(0, 1)}
    table.get_by_role("button", name="Resign").click()
    table.locator("dialog .danger-button").click()
    expect(table.locator(".ending h2")).to_be_visible()
    expect(page.locator("#news")).to_contain_text('"reason":"resigned"')
    (over,) = heard(page, "over")
    assert (over["seat"], over["aborted"], over["result"]["winner"]) == (0, False, 1)
    assert table.locator(".head, .foot, a").count() == 0
    kept = table.evaluate("[...Object.keys(localStorage), ...Object.keys(sessionStorage)]")
    assert kept == ["visit"] * 2  # of the tests' browser
    assert heard(page, "error") == []


def test_a_ticket_is_good_once(engine: Engine, app: str, club: App, page: Page) -> None:
    """A frame that is loaded again says what is wrong, to its reader and to the page; another address mends it."""
    game = Prepared(engine.url)
    club.page(page, app, game.embedded(1, app))
    table = table_in(page)
    expect(table.locator(".mine")).to_be_visible()
    table.evaluate("location.reload()")
    expect(table.locator(".trouble h1")).to_have_text("This table does not open")
    wait_for(page, "said.type === 'migrato:error'")
    (error,) = heard(page, "error")
    assert (error["code"], error["detail"]) == ("ticket", "This ticket was used: ask for another one.")
    assert table.locator("a, button").count() == 0
    page.evaluate("(address) => table.src = address", game.embedded(1, app))
    expect(table.locator(".mine")).to_be_visible()


def test_no_other_page_shows_it(engine: Engine, app: str, club: App, contexts: Contexts) -> None:
    """Neither one that another origin has, nor one that is not listed and names itself; what it gets is blank."""
    game = Prepared(engine.url)
    other = app.replace("localhost", "127.0.0.1")
    unlisted = game.embedded(0, app).replace(app, other)
    for address in (game.embedded(0, app), unlisted, f"{engine.url}/"):
        with contexts.lent(**USUAL) as (page, _):
            with page.expect_console_message(lambda said: "frame-ancestors" in said.text):
                club.page(page, other, address)
            assert page.evaluate("heard") == []
            assert [frame.locator(".table").count() for frame in page.frames] == [0, 0]
    ticket = unlisted.split("ticket=")[1]
    used = requests.post(
        f"{engine.url}/v1/games/{game.id}/embed-tickets/redeem",
        headers={"Authorization": f"Bearer {ticket}"},
        timeout=20,
    )
    assert used.status_code == 200  # the page that was refused has not used the ticket


def test_messages_of_both_sides(engine: Engine, app: str, club: App, page: Page) -> None:
    """By the client's function: language and theme from the page around, and from nobody else; and the same back."""
    game = Prepared(engine.url, visibility="public")
    club.page(page, app, f"{engine.url}/embed/{game.id}?parent={app}")
    table = table_in(page)
    expect(table.locator(".their, .side").first).to_contain_text("points")
    page.evaluate(
        """async (engine) => {
        const { onTable } = await import("/embed.js");
        self.said = [];
        self.told = onTable(table, engine, (message) => said.push(message));
        const other = document.createElement("iframe");
        other.src = "/other";
        document.body.append(other);
        await new Promise((done) => other.onload = done);
    }""",
        engine.url,
    )
    forger = page.frames[-1]
    table.evaluate("addEventListener('message', ({ data }) => self.last = data)")
    forger.evaluate(
        "parent.frames[0].postMessage({ protocol: 1, type: 'migrato:theme', theme: 'dark' }, '*')"
    )
    table.wait_for_function("() => self.last?.theme === 'dark'")
    assert table.evaluate("document.documentElement.dataset.theme") == "auto"
    page.evaluate("told.tell({ type: 'migrato:theme', theme: 'light' })")
    page.evaluate("told.tell({ type: 'migrato:language', language: 'de' })")
    expect(table.locator(".side").first).to_contain_text("Punkte")
    assert table.evaluate("document.documentElement.dataset.theme") == "light"
    forger.evaluate("parent.postMessage({ protocol: 1, type: 'migrato:over' }, '*')")
    wait_for(page, "said.type === 'migrato:over'")
    assert page.evaluate("said.length") == 0
    game.post(0, {"type": "resign"})
    page.wait_for_function("() => said.length")
    (over,) = page.evaluate("said.filter(({ type }) => type === 'migrato:over')")
    assert (over["game"], over["seat"], over["result"]["winner"]) == (game.id, None, 1)


def test_a_private_game_needs_a_ticket(engine: Engine, app: str, club: App, page: Page) -> None:
    """A private game without a ticket is shown as a game that does not exist."""
    for game in (Prepared(engine.url).id, "0" * 22):
        club.page(page, app, f"{engine.url}/embed/{game}?parent={app}")
        expect(table_in(page).locator(".trouble h1")).to_have_text("There is no such game")
        wait_for(page, "said.type === 'migrato:error' && said.code === 'gone'")


def test_a_lost_seat(engine: Engine, app: str, club: App, page: Page) -> None:
    """A frame whose seat gets another token shows nothing more."""
    game = Prepared(engine.url)
    club.page(page, app, game.embedded(0, app))
    expect(table_in(page).locator(".mine")).to_be_visible()
    requests.post(f"{engine.url}/v1/games/{game.id}/seats/0/token", timeout=20).raise_for_status()
    expect(table_in(page).locator(".trouble h1")).to_have_text("This seat is not yours any more")
    wait_for(page, "said.type === 'migrato:error' && said.code === 'seat'")


def test_a_table_fits_its_frame(engine: Engine, app: str, club: App, visit: Visit) -> None:
    """All of it is in sight where the frame is as high as the table says; in a higher one its cards are larger."""
    games = (
        (
            Prepared(engine.url, seed=11, options={"return_flight": True, "memory_aid": True}).play(46),
            MIGRATO,
        ),
        (Prepared(engine.url, "migo", seed=3, people=("ada", "bo", "cy", "dora")).play(31), MIGO),
    )
    page = visit()
    for game, needs in games:
        club.page(page, app, game.embedded(0, app), 360, 640)
        table = table_in(page)
        expect(table.locator(".table")).to_be_visible()
        wait_for(page, "said.type === 'migrato:size'")
        for width, height in ((360, 640), (360, None), (800, 600), (800, None)):
            fit(page, table, needs, width, height)


def fit(page: Page, table: Frame, needs: str, width: int, height: int | None) -> None:
    """Return once nothing of the table is out of sight in a frame of that size."""
    seen: list[Any] = []

    def is_whole() -> bool:
        page.evaluate(RESIZE, [width, height])
        table.evaluate(SETTLED)
        least = table.evaluate("document.documentElement.scrollHeight - innerHeight")
        seen[:] = [least, *table.evaluate(OUT_OF_SIGHT, needs)]
        return seen == [0]

    until(is_whole, 60, lambda: f"{width} {height} {seen}")
