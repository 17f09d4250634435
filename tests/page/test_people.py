"""Players and the leaderboard: ratings, games, pages, and names that would be markup."""

import re
import time
from typing import Any

import pytest
import requests
from playwright.sync_api import expect

from tests.page.conftest import Visit
from tests.page.prepared import Prepared
from tests.page.test_trouble import HOSTILE
from tests.processes.engine import Engine
from tests.waiting import until

PATIENCE = 60.0  # seconds until games are rated
PLAYERS = 24


def rated(engine: Engine, winner: str, loser: str, **wanted: Any) -> Prepared:
    """A game that counts: the second player gives up."""
    prepared = Prepared(engine.url, "migo", people=(winner, loser), **wanted)
    prepared.post(1, {"type": "resign"})
    return prepared


def leaders(engine: Engine, *names: str) -> list[dict[str, Any]]:
    """The leaderboard of Migo, once these are on it."""
    until = time.monotonic() + PATIENCE
    while True:
        found: list[dict[str, Any]] = requests.get(
            f"{engine.url}/v1/leaderboard", params={"game": "migo"}, timeout=10
        ).json()["entries"]
        if {entry["player"] for entry in found} >= set(names):
            return found
        assert time.monotonic() < until, found
        time.sleep(0.1)


def test_a_player(engine: Engine, visit: Visit) -> None:
    """Ratings and games with their results, by a link from the game; a name that would be markup is text."""
    shown = rated(engine, HOSTILE, "bo", visibility="public")
    hidden = rated(engine, HOSTILE, "bo")
    leaders(engine, HOSTILE, "bo")
    page = visit().new_page()
    page.goto(f"{engine.url}/games/{shown.id}")
    expect(page.locator("h1")).to_have_text(f"{HOSTILE} against bo")
    page.get_by_role("link", name=HOSTILE).click()
    page.wait_for_url(re.compile(r"/players/pl_\w+$"))
    expect(page.locator("h1")).to_have_text(HOSTILE)
    assert page.title() == HOSTILE
    ratings = page.locator(".figures tbody tr")
    expect(ratings).to_have_count(1)
    expect(ratings).to_contain_text("Migo")
    games = page.locator(".games li")
    expect(games).to_have_count(2)
    expect(games.filter(has_text="won")).to_have_count(2)
    expect(games.filter(has_text="private")).to_have_count(1)
    assert page.locator("img").count() == 0
    page.get_by_role("link", name="Replay").click()
    page.wait_for_url(f"**/games/{shown.id}")
    page.go_back()
    page.get_by_role("link", name="bo", exact=True).first.click()
    expect(page.locator("h1")).to_have_text("bo")
    expect(page.locator(".games li").filter(has_text="lost")).to_have_count(2)
    assert hidden.id not in page.content()


def test_the_leaderboard(engine: Engine, visit: Visit) -> None:
    """By pages, forwards and back by the keyboard; each name leads to its player."""
    names = [f"player {number}" for number in range(PLAYERS)]
    for winner, loser in zip(names[::2], names[1::2], strict=True):
        rated(engine, winner, loser)
    entries = leaders(engine, *names)
    page = visit().new_page()
    page.goto(engine.url)
    page.get_by_role("link", name="Leaderboard").click()
    expect(page.locator("h1")).to_have_text("Leaderboard")
    expect(page.get_by_text("Nobody has a rated game here yet.")).to_be_visible()
    page.get_by_label("Game").select_option(label="Migo")
    rows = page.locator(".figures tbody tr")
    expect(rows).to_have_count(20)
    expect(rows.first).to_contain_text(entries[0]["player"])
    expect(page.get_by_role("button", name="Page before")).to_be_disabled()
    page.get_by_role("button", name="Next page").focus()
    page.keyboard.press("Enter")
    expect(rows.first.locator("td").first).to_have_text("21")
    page.get_by_role("button", name="Page before").focus()
    page.keyboard.press("Enter")
    expect(rows.first.locator("td").first).to_have_text("1")
    rows.first.get_by_role("link").click()
    expect(page.locator("h1")).to_have_text(entries[0]["player"])


def test_a_player_with_many_games(engine: Engine, visit: Visit) -> None:
    """More of them on request, each once."""
    for _ in range(22):
        game = Prepared(engine.url, "migo", people=("busy", "bo"))
    player = game.view()["seats"][0]["player_id"]
    page = visit().new_page()
    page.goto(f"{engine.url}/players/{player}")
    games = page.locator(".games li")
    expect(games).to_have_count(20)
    page.get_by_role("button", name="Show more games").click()
    expect(games).to_have_count(22)
    expect(page.get_by_role("button", name="Show more games")).to_have_count(0)
    expect(page.get_by_text("No rated game yet.")).to_be_visible()


@pytest.mark.parametrize("player", ["pl_" + "0" * 20, "somebody"])
def test_a_player_who_is_not_there(engine: Engine, visit: Visit, player: str) -> None:
    """By a heading, and a way to the start."""
    page = visit().new_page()
    page.goto(f"{engine.url}/players/{player}")
    expect(page.locator("h1")).to_have_text("There is no such player")
    page.get_by_role("link", name="To the start").click()
    expect(page.locator(".level").first).to_be_visible()


def test_a_player_who_was_erased(engine: Engine, visit: Visit) -> None:
    """The game stays, and its link leads to the same words."""
    game = Prepared(engine.url, "migo", people=("zoe", "bo"), visibility="public")
    player = game.view()["seats"][0]["player_id"]
    requests.delete(f"{engine.url}/v1/players/{player}", timeout=10).raise_for_status()
    page = visit().new_page()
    page.goto(f"{engine.url}/players/{player}")
    expect(page.locator("h1")).to_have_text("There is no such player")
    expect(page.locator("main")).to_contain_text("was erased")

    def named() -> str:
        page.goto(f"{engine.url}/games/{game.id}")
        return page.locator(".yeti h2").first.inner_text()

    until(lambda: named() == "an erased player", PATIENCE)  # every web process has forgotten
    expect(page.locator("h1")).to_have_text("an erased player against bo")
    expect(page.locator("h1 a")).to_have_count(1)  # of who can still be looked at
