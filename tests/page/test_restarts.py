"""An engine that dies, comes back, and has lost something; games that it has put away."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.page.conftest import Sit, Visit
from tests.page.players import Hands, play
from tests.page.prepared import Prepared
from tests.support.engine import Engine
from tests.support.silence import SilentWay
from tests.support.waiting import until


@pytest.fixture(scope="module")
def mortal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine that is hurt; it archives games as soon as it may."""
    settings = {"MIGRATO_ARCHIVE_AFTER": "1", "MIGRATO_STREAM_HEARTBEAT": "1"}
    engine = Engine(tmp_path_factory.mktemp("mortal") / "data", **settings).start()
    yield engine
    engine.end()


@pytest.mark.nightly("the page loses a game that went to the archive meanwhile")
def test_a_game_that_went_to_the_archive(mortal: Engine, sit: Sit) -> None:
    """It is there as before: to its player at the table, and to whoever reads it; nobody can tell where it is kept."""
    prepared = Prepared(mortal.url, "migo", seed=3, visibility="public")
    prepared.post(0, prepared.legal(0)[0])
    prepared.post(1, {"type": "resign"})
    files = mortal.data_dir / "archive"
    until(lambda: any(path.is_file() for path in files.rglob("*")), otherwise=mortal.tail)
    page = sit(prepared)
    expect(page.locator(".ending h2")).to_contain_text("You win")
    page.get_by_role("link", name="Replay").click()
    expect(page.locator(".steps li")).to_have_count(4)
    page.get_by_role("button", name="Proof").click()
    expect(page.locator(".proof h2").first).to_be_visible()


@pytest.mark.nightly("the page waits for an answer on connections that died without a word")
def test_connections_that_die_without_a_word(mortal: Engine, sit: Sit) -> None:
    """All that the browser keeps: its stream, and those by which it would ask for another one."""
    with closing(SilentWay(mortal.url)) as way:
        prepared = Prepared(mortal.url, "migo", seed=2, options={"first_seat": 1})
        prepared.url = way.url  # for the page
        page = sit(prepared)
        cards = page.locator(".rank li:not(.gone)")
        expect(cards).to_have_count(18)
        way.fall_silent()
        prepared.post(1, prepared.legal(1)[0])
        expect(page.locator(".banner")).to_contain_text("The connection is lost")
        expect(cards).to_have_count(17)
        expect(page.locator(".banner")).to_have_count(0)
        page.locator(".rank button.lit").first.click()
        expect(cards).to_have_count(16)


@pytest.mark.nightly("the page does not go on after an engine that died, or lost moves")
def test_an_engine_that_dies_and_loses_games(mortal: Engine, tmp_path: Path, visit: Visit, sit: Sit) -> None:
    """Pages say that it is away, and go on by themselves with the games as they are.

    Then its store is older than what pages have seen, as after a disaster. The table shows the game as it was, and
    goes on from it. Games that are gone: the table and the start offer them no more; a spectator keeps what was read.
    """
    prepared = Prepared(mortal.url, "migo", seed=2)
    mortal.stop()
    shutil.copytree(mortal.data_dir, tmp_path / "older")
    mortal.start()
    table = sit(prepared)
    cards, banner = table.locator(".rank li:not(.gone)"), table.locator(".banner")
    expect(cards).to_have_count(18)
    for seat in (0, 1):
        prepared.post(seat, prepared.legal(seat)[0])
    expect(cards).to_have_count(16)
    lost = Prepared(mortal.url, seed=5, visibility="public").play(4)
    player = sit(lost)
    watcher = visit()
    watcher.goto(f"{mortal.url}/games/{lost.id}")
    expect(watcher.locator(".live-mark")).to_be_visible()
    page = visit()
    page.goto(mortal.url)
    page.get_by_role("button", name="Play", exact=True).click()
    guest = Hands(page)
    play(guest, steps=6)
    told = page.locator(".log ol li").count()

    mortal.kill_supervisor()
    for opened in (page, table):
        expect(opened.locator(".banner")).to_contain_text("The connection is lost")
    expect(watcher.get_by_role("alert")).to_contain_text("The connection is lost")
    mortal.start()
    for gone in (page.locator(".banner"), banner, watcher.get_by_role("alert")):
        expect(gone).to_have_count(0)
    play(guest, steps=4)
    assert page.locator(".log ol li").count() > told
    page.reload()
    expect(page.locator(".table")).to_be_visible()
    expect(cards).to_have_count(16)

    mortal.stop()
    shutil.rmtree(mortal.data_dir)
    shutil.copytree(tmp_path / "older", mortal.data_dir)
    mortal.start()
    expect(cards).to_have_count(18)
    expect(table.locator(".log ol")).not_to_contain_text("You took")
    table.locator(".rank button.lit").first.click()
    expect(cards).to_have_count(17)
    expect(table.locator(".log ol")).to_contain_text("You took")
    expect(player.locator("h1")).to_have_text("This seat is not yours any more")
    expect(player.locator("main")).to_contain_text("or the game was erased")
    player.get_by_role("link", name="To the start").click()
    expect(player.locator(".level").first).to_be_visible()
    expect(player.locator(".unfinished")).to_have_count(0)
    expect(watcher.get_by_role("alert")).to_contain_text("This game is not there any more")
    expect(watcher.locator(".table")).to_be_visible()
    watcher.reload()
    expect(watcher.locator("h1")).to_have_text("There is no such game")
