"""The tutorial's app, put together from its text and played by two, with the engine killed in the middle."""

import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
import requests
from playwright.sync_api import Browser, Page
from playwright.sync_api import TimeoutError as TooLate

from drills.ports import free_port
from tests.support.engine import Engine
from tests.support.markdown import ROOT, blocks
from tests.support.node import NODE, node_modules
from tests.support.running import BIN, clean_environment, running
from tests.support.silence import SilentWay
from tests.support.waiting import LIMIT, until

TEXT = ROOT / "docs/tutorials/two-player-browser-app.md"
PROGRAM = Path(__file__).parent / "programs/play.mjs"
TURNS = ["Their turn", "Your turn"]  # of both pages
STATUS = "document.getElementById('status')?.textContent ?? ''"  # a page that is just loading has none
CONNECTION = "document.getElementById('connection').textContent"
TABLE = "['status', 'hand', 'moves'].map((id) => document.getElementById(id).textContent).join()"
AGAIN = 4.0  # seconds; an EventSource connects again within three
LOOK = 0.4  # seconds for which one page is looked at before the other
CLICK = "const buttons = document.querySelectorAll('button'); buttons[0]?.click(); buttons.length"


@dataclass(frozen=True)
class App:
    """The app of the tutorial, as it runs."""

    url: str
    key: dict[str, str]
    folder: Path
    log: Path
    way: SilentWay

    def told(self, game: str) -> list[tuple[str, int]]:
        """Events that the engine has sent it about that game so far: types, and versions of the game."""
        lines = re.findall(rf"^(\w+\.\w+) {game} (\d+)$", self.log.read_text(), re.MULTILINE)
        return [(kind, int(version)) for kind, version in lines]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine with the permission that the tutorial names; tests that kill it start it again."""
    assert "$ MIGRATO_REMOTE_ALLOW=127.0.0.1 make run\n" in blocks(TEXT, "console")
    settings = {"MIGRATO_REMOTE_ALLOW": "127.0.0.1", "MIGRATO_STREAM_HEARTBEAT": "1"}
    engine = Engine(tmp_path_factory.mktemp("engine") / "data", **settings).start()
    yield engine
    engine.end()


@pytest.fixture(scope="module")
def app(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """The tutorial's app, before that engine; connections on the way to it may die."""
    way = SilentWay(engine.url)
    place = tmp_path_factory.mktemp("app")
    folder, port, log = place / "app", free_port(), place / "app.log"
    (folder / "public").mkdir(parents=True)
    (server,), (page,), (table_js, page_js) = (blocks(TEXT, kind) for kind in ("py", "html", "js"))
    (folder / "server.py").write_text(server)
    for name, text in (("index.html", page), ("table.js", table_js), ("page.js", page_js)):
        (folder / "public" / name).write_text(text)
    (folder / "public/package.json").write_text(
        '{"type": "module"}'
    )  # as a browser takes it without being told
    made = [
        str(BIN / "migrato"),
        "apps",
        "create",
        "two-player",
        "--json",
        "--data-dir",
        str(engine.data_dir),
    ]
    key = json.loads(subprocess.check_output(made, cwd=ROOT, env=clean_environment({})))["key"]
    command = ["sh", "-c", f'cd "{folder}" && exec "{sys.executable}" server.py']
    environment = {
        "URL": way.url,
        "PORT": str(port),
        "APP_KEY": key,
        "PYTHONPATH": str(ROOT / "clients/python"),
    }
    url = f"http://localhost:{port}"
    with running(command, environment, log, f"{url}/"):
        yield App(url, {"Authorization": f"Bearer {key}"}, folder, log, way)
    way.close()


def opened(browser: Browser, url: str) -> tuple[Page, str]:
    """A page of somebody's own, and its text once its script has run."""
    page = browser.new_page()
    page.goto(url)
    return page, ready(page)


def ready(page: Page) -> str:
    """Text of the page, once its script has run."""
    shows(page, f"({STATUS}) && !({STATUS}).includes('One moment')")
    return str(page.evaluate(STATUS))


def shows(page: Page, condition: str, seconds: float = LIMIT) -> None:
    """Return once it is true on the page, which looks for itself."""
    page.wait_for_function(f"() => {condition}", timeout=1000 * seconds)


def play(pages: list[Page], moves: int) -> None:
    """Click the first button of whoever is to move, so often."""
    for _ in range(moves):
        move(to_move(pages))


def to_move(pages: list[Page]) -> Page:
    """The page whose turn it is, once it is anybody's."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        for page in pages:
            with suppress(TooLate):
                shows(page, f"({STATUS}) === 'Your turn'", LOOK)
                return page
    raise AssertionError([page.evaluate(TABLE) for page in pages])


def move(page: Page) -> None:
    """Click the first button; again where the page showed an older state than the engine's, as after a restart."""
    before, end = page.evaluate(TABLE), time.monotonic() + LIMIT
    while time.monotonic() < end:
        page.evaluate(f"{{ {CLICK} }}")
        with suppress(TooLate):
            return shows(page, f"{TABLE} !== {json.dumps(before)}", AGAIN)
    raise AssertionError(before)


def test_in_two_pages(app: App, engine: Engine, browser: Browser) -> None:
    """A game by invitation, from the first move until one gives up, and a rematch; a page that is reloaded keeps its
    seat.

    In between all connections die without a word, and then the engine is killed.
    """
    ada, text = opened(browser, f"{app.url}/")
    invitation = text.removeprefix("Invite somebody: ")
    assert invitation.startswith(f"{app.url}/#")
    bo, _ = opened(browser, invitation)
    begun(ada, bo)
    hands = [page.evaluate("document.getElementById('hand').textContent") for page in (ada, bo)]
    assert len({card for hand in hands for card in hand.split()}) > 3
    shows(ada, "(left => 0 < left && left <= 300)(parseInt(document.getElementById('clock').textContent))")
    first = ada if ada.evaluate(STATUS) == "Your turn" else bo
    first.evaluate("{ window.late = document.querySelector('button'); }")
    play([ada, bo], 1)
    first.evaluate("late.click()")  # a move that was chosen for an older state
    shows(first, "document.getElementById('refused').textContent.includes('version')")
    app.way.fall_silent()
    play([ada, bo], 2)
    for page in (ada, bo):
        shows(page, f"{CONNECTION} === ''")
    engine.kill_supervisor()
    engine.start()
    play([ada, bo], 3)
    bo.reload()
    shows(bo, f"{TURNS}.includes({STATUS})")
    play([ada, bo], 3)
    seat = json.loads(bo.evaluate("sessionStorage.getItem('seat')"))
    requests.post(
        f"{engine.url}/v1/games/{seat['game']}/moves",
        headers={"Authorization": f"Bearer {seat['token']}"},
        json={"type": "resign"},
        timeout=LIMIT,
    ).raise_for_status()
    for page in (ada, bo):
        shows(page, f"({STATUS}).startsWith('Over')")
    assert ada.evaluate(STATUS) == bo.evaluate(STATUS)

    for page in (ada, bo):
        shows(page, "document.querySelector('button')?.textContent === 'Again'")
        page.evaluate(f"{{ {CLICK} }}")
    begun(ada, bo)


def begun(*pages: Page) -> None:
    """Return once it is the turn of one of two pages."""
    for page in pages:
        shows(page, f"{TURNS}.includes({STATUS})")
    until(lambda: sorted(page.evaluate(STATUS) for page in pages) == TURNS)


def test_a_stream_that_ends_too_soon(app: App, engine: Engine, browser: Browser) -> None:
    """Pages say so if their seat is taken, or a bot's now, or if the game was aborted."""
    ada, text = opened(browser, f"{app.url}/")
    invitation = text.removeprefix("Invite somebody: ")
    game = f"{engine.url}/v1/games/{invitation.partition('#')[2].partition('/')[0]}"
    forged = "This invite does not open this seat, or it has ended."
    assert opened(browser, f"{invitation}x")[1] == forged
    bo, _ = opened(browser, invitation)
    assert opened(browser, invitation)[1] == "Seat 1 is not open."  # for a third person

    requests.post(
        f"{game}/seats/1/bot", json={"bot": "greedy"}, headers=app.key, timeout=10
    ).raise_for_status()
    shows(bo, f"!({STATUS}).includes('turn')")
    assert bo.evaluate(CLICK) == 0
    requests.post(f"{game}/abort", headers=app.key, timeout=10).raise_for_status()
    shows(ada, f"({STATUS}) === 'Over: aborted'")


def test_without_a_browser(app: App, engine: Engine, tmp_path: Path) -> None:
    """The connection to the engine alone, with an EventSource from npm: both see the end, and each its own hand.

    The app is told of everything in order, and both players are rated.
    """

    def rated() -> dict[str, int]:
        ask = {"params": {"time_class": "rapid"}, "headers": app.key, "timeout": 10}
        entries = requests.get(f"{engine.url}/v1/leaderboard", **ask).json()["entries"]  # type: ignore[arg-type]
        return {entry["player"]: entry["games"] for entry in entries}

    before = rated()
    ada = requests.post(f"{app.url}/new", json={}, timeout=30).json()
    bo = requests.post(f"{app.url}/join", json={"invitation": ada["invitation"]}, timeout=30).json()
    (app.folder / "node_modules").symlink_to(node_modules())
    program = shutil.copy(PROGRAM, app.folder)
    outputs = [tmp_path / f"seat-{seat['seat']}" for seat in (ada, bo)]
    players = []
    for seat, output in zip((ada, bo), outputs, strict=True):
        with output.open("wb") as seen:
            players.append(subprocess.Popen([NODE, program, json.dumps(seat)], stdout=seen))
    try:
        until(lambda: outputs[0].read_text().count("\n") > 4)
        app.way.fall_silent()
        until(lambda: '{"connection":"back"}' in outputs[0].read_text())
        engine.kill_supervisor()
        engine.start()
        for player in players:
            assert player.wait(LIMIT) == 0
    finally:
        for player in players:
            player.kill()
    lines = [[json.loads(line) for line in output.read_text().splitlines()] for output in outputs]
    states = [[line for line in each if "version" in line] for each in lines]
    assert states[0][-1]["version"] == states[1][-1]["version"]
    hands = [next(state["hand"] for state in each if state["hand"]) for each in states]
    assert sorted(map(len, hands)) >= [2, 2]
    assert hands[0] != hands[1]

    until(
        lambda: [kind for kind, _ in app.told(ada["game"])][-1:] == ["game.rated"],
        otherwise=app.log.read_text,
    )
    kinds, versions = zip(*app.told(ada["game"]), strict=True)
    assert kinds[:4] == ("game.created", "seat.taken", "game.started", "turn.changed")
    assert kinds[-3:] == ("game.finished", "game.scored", "game.rated")
    assert list(versions) == sorted(versions)

    until(lambda: all(rated().get(name, 0) > before.get(name, 0) for name in ("ada", "bo")))
    assert rated().keys() == {"ada", "bo"}
