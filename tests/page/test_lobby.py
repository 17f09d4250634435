"""Tables that anybody may join, and seats of friends and bots."""

import re
from typing import Any

import requests
from playwright.sync_api import expect

from tests.page.browser import seat_kept
from tests.page.conftest import Visit
from tests.page.prepared import Prepared
from tests.processes.engine import Engine
from tests.waiting import until

PATIENCE = 40_000  # milliseconds


def test_somebody_joins_a_table_of_the_lobby(engine: Engine, visit: Visit) -> None:
    """It is listed with who waits there; a click sits down; the clock that was chosen runs."""
    ada = visit().new_page()
    ada.goto(engine.url)
    ada.get_by_label("Your name").fill("Ada")
    ada.get_by_text("Let anybody join").click()
    ada.get_by_text("Rules and options").click()
    ada.get_by_label("Time to think").select_option("short")
    ada.get_by_role("button", name="Make a table").click()
    expect(ada.locator(".waiting-room")).to_be_visible()
    bo = visit().new_page()
    bo.goto(engine.url)
    table = bo.locator(".lobby li", has_text="Ada")
    expect(table).to_be_visible(timeout=30_000)
    table.get_by_role("button", name="Join").click()
    for page in (ada, bo):
        expect(page.locator(".table")).to_be_visible(timeout=30_000)
        expect(page.get_by_role("timer").first).to_have_text(re.compile(r"^[45]:\d\d$"))


def test_a_table_that_was_joined_is_kept_as_what_it_is(engine: Engine, visit: Visit) -> None:
    """The start offers to go on with it, by the name of its game."""
    wanted = {"game": "migo", "seats": [{"kind": "human", "player": "Mona"}, {"kind": "open"}]}
    access = {"joining": "open", "visibility": "public"}
    requests.post(f"{engine.url}/v1/games", json=wanted | access, timeout=20).raise_for_status()
    page = visit().new_page()
    page.goto(engine.url)
    page.locator(".lobby li", has_text="Mona").get_by_role("button", name="Join").click()
    expect(page.locator(".table")).to_be_visible()
    page.goto(engine.url)
    expect(page.locator(".unfinished b")).to_have_text("Migo")
    expect(page.locator(".unfinished")).to_contain_text("Mona")


def test_an_invitation_that_is_not_whole(engine: Engine, visit: Visit) -> None:
    """The field says so; a whole one leads to the seat."""
    page = visit().new_page()
    page.goto(engine.url)
    page.get_by_label("Invitation link or code").fill("no code")
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.locator(".lobby .alert")).to_contain_text("no whole invitation")
    page.get_by_label("Invitation link or code").fill(f"{'0' * 22}#1.mi_code")
    page.get_by_role("button", name="Open", exact=True).click()
    expect(page.get_by_role("button", name="Sit down")).to_be_visible()


def test_a_friend_types_a_join_code(engine: Engine, visit: Visit) -> None:
    """As it was read out, in small letters; once the seat is taken it leads nowhere."""
    ada = visit().new_page()
    ada.goto(engine.url)
    ada.get_by_role("button", name="Make a table").click()
    code = ada.locator(".join-code b").inner_text()
    assert re.fullmatch("[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}", code)
    bo = visit().new_page()
    bo.goto(engine.url)
    bo.get_by_label("Invitation link or code").fill(code.lower().replace("-", " "))
    bo.get_by_role("button", name="Open", exact=True).click()
    bo.get_by_label("Your name").fill("Bo")
    bo.get_by_role("button", name="Sit down").click()
    expect(ada.locator(".side.their h2")).to_have_text("Bo", timeout=PATIENCE)
    cy = visit().new_page()
    cy.goto(engine.url)
    cy.get_by_label("Invitation link or code").fill(code)
    cy.get_by_role("button", name="Open", exact=True).click()
    expect(cy.locator(".lobby .alert")).to_contain_text("not good, or not any more", timeout=PATIENCE)


def test_a_table_is_closed(engine: Engine, visit: Visit) -> None:
    """By whoever has made it: it is neither in the lobby nor among the games to go on with."""
    ada = visit().new_page()
    ada.goto(engine.url)
    ada.get_by_text("Let anybody join").click()
    ada.get_by_role("button", name="Make a table").click()
    expect(ada.locator(".waiting-room")).to_be_visible(timeout=PATIENCE)
    game = ada.url.split("/")[-1]
    ada.get_by_role("button", name="Close the table").click()
    expect(ada.locator(".hero")).to_be_visible(timeout=PATIENCE)
    expect(ada.locator(".unfinished")).to_have_count(0)
    view = requests.get(f"{engine.url}/v1/games/{game}", timeout=20).json()
    assert (view["status"], view["aborted"]) == ("finished", True)


def test_a_guest_sees_that_the_table_was_closed(engine: Engine, visit: Visit) -> None:
    """Who has sat down and still waits for others."""
    seats = [{"kind": "human", "player": "ada"}, {"kind": "open"}, {"kind": "open"}]
    wanted = {"game": "migo", "seats": seats}
    game = requests.post(f"{engine.url}/v1/games", json=wanted, timeout=20).json()
    context = visit()
    seat_kept(context, game=game["id"], kind="migo", seat=0, token=game["seats"][0]["token"])
    page = context.new_page()
    page.goto(f"{engine.url}/play/{game['id']}")
    expect(page.locator(".waiting-room")).to_be_visible(timeout=PATIENCE)
    requests.post(f"{engine.url}/v1/games/{game['id']}/abort", timeout=20).raise_for_status()
    expect(page.locator(".trouble")).to_contain_text("closed before the game began", timeout=PATIENCE)


def test_two_who_look_for_a_partner_find_each_other(engine: Engine, visit: Visit) -> None:
    """Who stops looking is found by nobody."""
    ada, bo, cy = (visit().new_page() for _ in range(3))
    for page, name in ((ada, "Ada"), (bo, "Bo"), (cy, "")):
        page.goto(engine.url)
        page.get_by_label("Your name").fill(name)
    cy.get_by_role("button", name="Find a partner").click()
    cy.get_by_role("button", name="Stop looking").click()
    expect(cy.get_by_role("button", name="Find a partner")).to_be_visible(timeout=PATIENCE)
    for page in (ada, bo):
        page.get_by_role("button", name="Find a partner").click()
    for page, other in ((ada, "Bo"), (bo, "Ada")):
        expect(page.locator(".side.their h2")).to_have_text(other, timeout=PATIENCE)
    assert ada.url == bo.url


def test_ratings_stand_beside_names(engine: Engine, visit: Visit) -> None:
    """Of players who have played rated games like this one."""
    people = ("rita", "sam")
    past = Prepared(engine.url, "migo", people=people)
    past.post(past.view()["to_act"], {"type": "resign"})
    names = {seat["player"]: seat["player_id"] for seat in past.view()["seats"]}

    def rated() -> list[Any]:
        found: list[Any] = requests.get(f"{engine.url}/v1/players/{names['rita']}", timeout=20).json()[
            "ratings"
        ]
        return found

    until(lambda: bool(rated()), 60, lambda: "rita has no rating")
    game = Prepared(engine.url, "migo", people=people)
    context = visit()
    seat_kept(context, **game.seat(0))
    page = context.new_page()
    page.goto(f"{engine.url}/play/{game.id}")
    shown = f"rating {rated()[0]['rating']['ordinal']:.1f}"
    expect(page.locator(".yeti.own .rating")).to_have_text(shown, timeout=PATIENCE)
    expect(page.locator(".yeti .rating")).to_have_count(2, timeout=PATIENCE)
