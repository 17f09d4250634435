"""Tables that anybody may join, and seats of friends and bots."""

import re

import requests
from playwright.sync_api import Page, Route, expect

from tests.page.browser import kept
from tests.page.conftest import Sit, Visit
from tests.page.prepared import Matched, Prepared
from tests.support.engine import Engine
from tests.support.waiting import until


def open_link(page: Page, code: str) -> None:
    """Use what a friend has sent."""
    page.get_by_label("Invitation link or code").fill(code)
    page.get_by_role("button", name="Open", exact=True).click()


def test_somebody_joins_a_table_of_the_lobby(engine: Engine, visit: Visit) -> None:
    """It is listed with who waits there; a click sits down; the clock that was chosen runs; it is kept as Migo."""
    ada, bo = (visit() for _ in range(2))
    ada.goto(f"{engine.url}/#migo")
    ada.get_by_label("Your name").fill("Ada")
    ada.get_by_text("Let anybody join").click()
    ada.get_by_text("Rules and options").click()
    ada.get_by_label("Time to think").select_option("short")
    ada.get_by_role("button", name="Make a table").click()
    expect(ada.locator(".waiting-room")).to_be_visible()
    bo.goto(engine.url)
    table = bo.locator(".lobby li", has_text="Ada")
    table.get_by_role("button", name="Join").click()
    for page in (ada, bo):
        expect(page.locator(".table")).to_be_visible()
        expect(page.get_by_role("timer").first).to_have_text(re.compile(r"^[45]:\d\d$"))
    bo.goto(engine.url)
    expect(bo.locator(".unfinished b")).to_have_text("Migo")
    expect(bo.locator(".unfinished")).to_contain_text("Ada")


def test_a_friend_types_a_join_code(engine: Engine, visit: Visit) -> None:
    """As it was read out, in small letters; once the seat is taken it leads nowhere.

    An invitation that is not whole is refused by the field; a whole one leads to the seat.
    """
    ada, bo = (visit() for _ in range(2))
    for page in (ada, bo):
        page.goto(engine.url)
    open_link(bo, "no code")
    expect(bo.locator(".lobby .alert")).to_contain_text("no whole invitation")
    open_link(bo, f"{'0' * 22}#1.mi_code")
    expect(bo.get_by_role("button", name="Sit down")).to_be_visible()
    ada.get_by_role("button", name="Make a table").click()
    code = ada.locator(".join-code b").inner_text()
    assert re.fullmatch("[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}", code)
    bo.goto(engine.url)
    open_link(bo, code.lower().replace("-", " "))
    bo.get_by_label("Your name").fill("Bo")
    bo.get_by_role("button", name="Sit down").click()
    expect(ada.locator(".side.their h2")).to_have_text("Bo")
    bo.goto(engine.url)
    open_link(bo, code)
    expect(bo.locator(".lobby .alert")).to_contain_text("not good, or not any more")


def test_a_table_is_closed(engine: Engine, page: Page) -> None:
    """Its maker closes a table, which then is neither in the lobby nor among the games to go on with."""
    page.goto(engine.url)
    page.get_by_text("Let anybody join").click()
    page.get_by_role("button", name="Make a table").click()
    expect(page.locator(".waiting-room")).to_be_visible()
    game = page.url.split("/")[-1]
    page.get_by_role("button", name="Close the table").click()
    expect(page.locator(".hero")).to_be_visible()
    expect(page.locator(".unfinished")).to_have_count(0)
    view = requests.get(f"{engine.url}/v1/games/{game}", timeout=20).json()
    assert (view["status"], view["aborted"]) == ("finished", True)


def test_a_guest_sees_that_the_table_was_closed(engine: Engine, visit: Visit) -> None:
    """Somebody has sat down and still waits for others."""
    seats = [{"kind": "human", "player": "ada"}, {"kind": "open"}, {"kind": "open"}]
    wanted = {"game": "migo", "seats": seats}
    game = requests.post(f"{engine.url}/v1/games", json=wanted, timeout=20).json()
    seat = kept(game=game["id"], kind="migo", seat=0, token=game["seats"][0]["token"])
    page = visit(seat)
    page.goto(f"{engine.url}/play/{game['id']}")
    expect(page.locator(".waiting-room")).to_be_visible()
    requests.post(f"{engine.url}/v1/games/{game['id']}/abort", timeout=20).raise_for_status()
    expect(page.locator(".trouble")).to_contain_text("closed before the game began")


def test_two_who_look_for_a_partner_find_each_other(engine: Engine, visit: Visit) -> None:
    """Two who look find each other, and nobody finds a player who has stopped looking."""
    ada, bo = visit(), visit()
    for page, name in ((ada, "Ada"), (bo, "Bo")):
        page.goto(engine.url)
        page.get_by_label("Your name").fill(name)
    soon = re.compile(r"\?wait=5")
    ada.route(soon, lambda route: route.continue_(url=route.request.url.replace("=5", "=1")))
    ada.get_by_role("button", name="Find a partner").click()
    with ada.expect_response(lambda answer: answer.request.method == "DELETE"):
        ada.get_by_role("button", name="Stop looking").click()
    ada.unroute(soon)
    for page in (ada, bo):
        page.get_by_role("button", name="Find a partner").click()
    for page, other in ((ada, "Bo"), (bo, "Ada")):
        expect(page.locator(".side.their h2")).to_have_text(other)
    assert ada.url == bo.url


def test_a_search_that_has_ended(engine: Engine, page: Page) -> None:
    """Its ticket is not there any more: the page says that, and somebody can look again."""
    page.goto(engine.url)
    gone = {"code": "not-found", "title": "Not found", "status": 404}
    tickets: set[str] = set()

    def lose(route: Route) -> None:
        tickets.add(route.request.url.partition("?")[0])
        route.fulfill(status=404, json=gone)

    page.route("**/v1/quick-match/*", lose)
    page.get_by_role("button", name="Find a partner").click()
    expect(page.get_by_role("alert")).to_have_text("The search has ended. Look once more.")
    expect(page.get_by_role("button", name="Find a partner")).to_be_enabled()
    for ticket in tickets:  # or somebody else would find this one
        requests.delete(ticket, timeout=20).raise_for_status()


def test_an_invitation_that_is_not_good_any_more(engine: Engine, page: Page) -> None:
    """Used up, by its link; expired, by its link and by its code: each says so."""
    page.goto(f"{engine.url}/join/{Prepared(engine.url).id}#1.in_{'x' * 20}")
    page.get_by_role("button", name="Sit down").click()
    expect(page.get_by_role("alert")).to_contain_text("not good any more")
    body = {"game": "migo", "seats": [{"kind": "human"}, {"kind": "open"}], "joining": "invite"}
    game = requests.post(f"{engine.url}/v1/games", json=body, timeout=20).json()
    token = {"Authorization": f"Bearer {game['seats'][0]['token']}"}
    path = f"{engine.url}/v1/games/{game['id']}/seats/1/invites"
    made = requests.post(path, json={"expires_in": 1, "short": True}, headers=token, timeout=20).json()

    def is_gone() -> bool:
        code = {"code": made["join_code"]}
        return requests.post(f"{engine.url}/v1/invites/lookup", json=code, timeout=20).status_code == 404

    until(is_gone)
    page.goto(f"{engine.url}/join/{game['id']}#1.{made['invite']}")
    page.get_by_role("button", name="Sit down").click()
    expect(page.get_by_role("alert")).to_have_text("This invitation is not good, or not any more.")
    page.goto(engine.url)
    open_link(page, made["join_code"])
    expect(page.locator(".lobby .alert")).to_have_text("This code is not good, or not any more.")


def test_ratings_stand_beside_names(engine: Engine, sit: Sit) -> None:
    """Of players who have played rated games like this one, in which no help is offered, and the page says so."""
    people = ("rita", "sam")
    past = Matched(engine.url, "migo", people)
    past.post(past.view()["to_act"], {"type": "resign"})
    rita = next(seat["player_id"] for seat in past.view()["seats"] if seat["player"] == "rita")
    shown: list[str] = []

    def rated() -> bool:
        ratings = requests.get(f"{engine.url}/v1/players/{rita}", timeout=20).json()["ratings"]
        shown.extend(f"rating {found['rating']['elo']}" for found in ratings)
        return bool(shown)

    until(rated)
    game = Matched(engine.url, "migo", people)
    page = sit(game, game.seats[0])
    expect(page.locator(".yeti.own .rating")).to_have_text(shown[0])
    expect(page.locator(".yeti .rating")).to_have_count(2)
    expect(page.get_by_text("Rated: without hints")).to_be_visible()
    for help_ in ("Hint", "Take back"):
        expect(page.get_by_role("button", name=help_)).to_have_count(0)
    game.post(game.view()["to_act"], {"type": "resign"})
    change = page.locator(".ending .rating-change")
    expect(change).to_have_text(re.compile(r"Rating [0-9]+ \([+-][0-9]+\)"))
    (mine,) = [one for one in game.view(game.seats[0])["ratings"] if one["seat"] == game.seats[0]]
    expect(change).to_have_text(
        f"Rating {mine['after']['elo']} ({mine['after']['elo'] - mine['before']['elo']:+})"
    )
