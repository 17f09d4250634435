"""Players and the leaderboard: ratings, games, pages, and names that would be markup."""

import re
from typing import Any, Final

import requests
from playwright.sync_api import Page, expect

from domain.registry import GAMES
from tests.page.prepared import Matched, Prepared
from tests.page.test_trouble import HOSTILE
from tests.support.engine import Engine
from tests.support.waiting import until

PLAYERS: Final = 24


def rated(engine: Engine, winner: str, loser: str, **wanted: Any) -> Matched:
    """A game that counts: the second player gives up."""
    matched = Matched(engine.url, "migo", (winner, loser), **wanted)
    matched.post(matched.seats[1], {"type": "resign"})
    return matched


def wait_for(engine: Engine, *names: str) -> None:
    """Return once these are on the leaderboard of Migo."""

    def leaders() -> set[str]:
        answer = requests.get(f"{engine.url}/v1/leaderboard?game=migo&limit=100", timeout=10).json()
        return {entry["player"] for entry in answer["entries"]}

    until(lambda: leaders() >= set(names), otherwise=lambda: str(leaders()))


def test_a_player(engine: Engine, page: Page) -> None:
    """Ratings and games with their results, by a link from the game; a name that would be markup is text."""
    shown = rated(engine, HOSTILE, "beau", visibility="public")
    hidden = rated(engine, HOSTILE, "beau")
    wait_for(engine, HOSTILE, "beau")
    page.goto(f"{engine.url}/games/{shown.id}")
    expect(page.locator("h1")).to_have_text(
        re.compile(f"{re.escape(HOSTILE)} against beau|beau against {re.escape(HOSTILE)}")
    )
    page.get_by_role("link", name=HOSTILE).click()
    page.wait_for_url(re.compile(r"/players/pl_\w+$"))
    expect(page.locator("h1")).to_have_text(HOSTILE)
    assert page.title() == HOSTILE
    ratings = page.locator(".numbers tbody tr")
    expect(ratings).to_have_count(1)
    expect(ratings).to_contain_text("Migo")
    games = page.locator(".games li").filter(has_text="beau")
    expect(games).to_have_count(2)
    expect(games.filter(has_text="won")).to_have_count(2)
    expect(games.filter(has_text="private")).to_have_count(1)
    assert page.locator("img").count() == 0
    games.get_by_role("link", name="Replay").click()
    page.wait_for_url(f"**/games/{shown.id}")
    page.go_back()
    page.get_by_role("link", name="beau", exact=True).first.click()
    expect(page.locator("h1")).to_have_text("beau")
    expect(page.locator(".games li").filter(has_text="lost")).to_have_count(2)
    assert hidden.id not in page.content()


def test_the_leaderboard(engine: Engine, page: Page) -> None:
    """The leaderboard has pages, turned by the keyboard both ways; each name leads to its player."""
    names = [f"player {number}" for number in range(PLAYERS)]
    for winner, loser in zip(names[::2], names[1::2], strict=True):
        rated(engine, winner, loser)
    wait_for(engine, *names)
    page.goto(engine.url)
    boards = "**/v1/leaderboard?game=migrato*"
    page.route(boards, lambda route: route.continue_(url=f"{route.request.url}&time_class=correspondence"))
    page.get_by_role("link", name="Leaderboard").click()
    expect(page.locator("h1")).to_have_text("Leaderboard")
    expect(page.get_by_text("Nobody has a rated game here yet.")).to_be_visible()
    page.get_by_label("Game").select_option(label="Migo")
    first = requests.get(f"{engine.url}/v1/leaderboard?game=migo", timeout=10).json()["entries"][0]
    rows = page.locator(".numbers tbody tr")
    expect(rows).to_have_count(20)
    expect(rows.first).to_contain_text(first["player"])
    mine, migo = first["rating"]["elo"], GAMES["migo"]
    bot = min(elo for level in migo.levels if (elo := migo.strengths[level].elo) > mine)
    expect(rows.first).to_contain_text(re.compile(rf"{mine}\s*{bot - mine} below [A-Z]"))
    expect(page.get_by_role("button", name="Page before")).to_be_disabled()
    page.get_by_role("button", name="Next page").focus()
    page.keyboard.press("Enter")
    expect(rows.first.locator("td").first).to_have_text("21")
    page.get_by_role("button", name="Page before").focus()
    page.keyboard.press("Enter")
    expect(rows.first.locator("td").first).to_have_text("1")
    name = rows.first.get_by_role("link").inner_text()
    rows.first.get_by_role("link").click()
    expect(page.locator("h1")).to_have_text(name)


def test_a_player_with_many_games(engine: Engine, page: Page) -> None:
    """The page of a player with many games shows more of them on request, each once."""
    for _ in range(22):
        game = Prepared(engine.url, "migo", people=("busy", "bo"))
    player = game.view()["seats"][0]["player_id"]
    page.goto(f"{engine.url}/players/{player}")
    games = page.locator(".games li")
    expect(games).to_have_count(20)
    page.get_by_role("button", name="Show more games").click()
    expect(games).to_have_count(22)
    expect(page.get_by_role("button", name="Show more games")).to_have_count(0)
    expect(page.get_by_text("No rated game yet.")).to_be_visible()


def test_a_player_who_is_not_there(engine: Engine, page: Page) -> None:
    """By a heading, and a way to the start; of one who was erased a game stays, whose link leads to the same words."""
    for player in ("pl_" + "0" * 20, "somebody"):
        page.goto(f"{engine.url}/players/{player}")
        expect(page.locator("h1")).to_have_text("There is no such player")
        page.get_by_role("link", name="To the start").click()
        expect(page.locator(".level").first).to_be_visible()
    game = Prepared(engine.url, "migo", people=("zoe", "bo"), visibility="public")
    player = game.view()["seats"][0]["player_id"]
    requests.delete(f"{engine.url}/v1/players/{player}", timeout=10).raise_for_status()
    page.goto(f"{engine.url}/players/{player}")
    expect(page.locator("h1")).to_have_text("There is no such player")
    expect(page.locator("main")).to_contain_text("was erased")

    def named() -> str:
        page.goto(f"{engine.url}/games/{game.id}")
        return page.locator(".yeti h2").first.inner_text()

    until(lambda: named() == "an erased player")  # every web process has forgotten
    expect(page.locator("h1")).to_have_text("an erased player against bo")
    expect(page.locator("h1 a")).to_have_count(1)  # of bo, who can still be looked at
