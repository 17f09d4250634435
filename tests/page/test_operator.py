"""The operator's screen, and what the page of an engine with apps shows to whoever has no key."""

from collections.abc import Iterator
from typing import Final

import pytest
import requests
from playwright.sync_api import Page, expect

from tests.page.browser import noted, out_of_sight
from tests.page.conftest import Visit
from tests.processes.test_serving import apps
from tests.service.table import bearer
from tests.support.engine import FEW, Engine
from tests.support.waiting import until

EVERY: Final = 3000  # milliseconds between two readings
SCOPES: Final = {
    "boss": ["admin"],
    "club": ["games:read"],
    "leaving": ["admin", "games:read"],
    "counted": ["games:write"],
}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine that has apps."""
    engine = Engine(tmp_path_factory.mktemp("guarded") / "data", **FEW).start()
    yield engine
    engine.end()


@pytest.fixture(scope="module")
def keys(guarded: Engine) -> dict[str, str]:
    """A key for each app."""
    ops = apps(
        guarded.data_dir, "create", "ops", "--scope=admin", "--scope=games:read", "--scope=games:write"
    )["key"]
    made = {"ops": ops}
    for name, scopes in SCOPES.items():
        wanted = {"name": name, "scopes": scopes}
        answer = requests.post(f"{guarded.url}/v1/apps", json=wanted, headers=bearer(ops), timeout=20)
        made[name] = answer.json()["key"]
    return made


def enter(page: Page, key: str) -> None:
    """Give the screen a key, by the keyboard."""
    page.get_by_label("Admin key").fill(key)
    page.keyboard.press("Enter")


def test_an_operator_sees_all(guarded: Engine, keys: dict[str, str], visit: Visit) -> None:
    """Health, queues, metrics that go on, and apps; the key is kept for the tab, and stands in no address.

    Of an app: a picture of thirty days for each count, and the quotas.
    """
    ops, address = bearer(keys["ops"]), f"{guarded.url}/v1/apps/counted"
    quota = {"quotas": {"games": {"month": 1000}}}
    requests.patch(address, json=quota, headers=ops, timeout=20).raise_for_status()
    games = f"{guarded.url}/v1/games"
    requests.post(games, json={}, headers=bearer(keys["counted"]), timeout=20).raise_for_status()
    usage = f"{address}/usage"
    until(lambda: requests.get(usage, headers=ops, timeout=20).json()["total"]["games_created"] == 1)
    with noted(page := visit(has_clock=True), "request") as asked:
        page.goto(f"{guarded.url}/operator")
        expect(page.get_by_text("The metrics are shown to whoever has a key.")).to_be_visible()
        enter(page, keys["ops"])
        expect(page.locator(".checks")).to_contain_text("Dispatcher: runs")
        expect(page.locator(".checks .failed")).to_have_count(0)
        expect(page.locator(".figure")).to_have_count(12)
        page.clock.fast_forward(EVERY)
        expect(page.locator(".figure", has_text="Requests")).to_contain_text("a second")
        expect(page.get_by_role("img", name="Requests: between")).to_be_visible()
        expect(page.locator(".figure", has_text="Jobs of games").locator("b")).to_have_text("0")
        for name in ("ops", "boss", "club"):
            expect(page.locator("tbody th", has_text=name)).to_have_count(1)
        page.locator("main select").select_option("counted")
        expect(page.locator(".figure")).to_have_count(19)
        expect(page.get_by_role("img", name="Games: 1 in 30 days, at most 1 in one")).to_be_visible()
        expect(page.get_by_text("Games this month: 1 / 1,000")).to_be_visible()
        page.locator("main select").select_option("–")
        expect(page.locator(".figure")).to_have_count(12)
        assert page.evaluate("() => JSON.stringify({...localStorage})").find(keys["ops"]) == -1
        page.reload()
        expect(page.locator("tbody th", has_text="ops")).to_be_visible()
        other = page.context.new_page()
        other.goto(f"{guarded.url}/operator")
        expect(other.get_by_label("Admin key")).to_be_visible()
        page.get_by_role("button", name="Forget the key").click()
        expect(page.get_by_label("Admin key")).to_be_visible()
        page.reload()
        expect(page.get_by_label("Admin key")).to_be_visible()
    assert [request.url for request in asked if keys["ops"] in request.url] == []


def test_a_key_that_is_not_good(guarded: Engine, keys: dict[str, str], visit: Visit) -> None:
    """Its own words, as often as it is tried; it is not kept, and not sent again and again.

    Each part says which scope it needs. A key that becomes void while its metrics are shown is forgotten, and another
    one is asked for.
    """
    page = visit(has_clock=True)
    page.goto(f"{guarded.url}/operator")
    with noted(page, "request") as sent:
        for wrong in ("mk_" + "0" * 16 + "_" + "x" * 43, "<b>ключ</b>\u200b"):
            sent.clear()
            for tries in (1, 2):
                enter(page, wrong)
                expect(page.get_by_role("alert")).to_contain_text("This key is not good here")
                expect(page.locator(".checks .passed").first).to_be_visible()
                assert len([one for one in sent if "authorization" in one.headers]) == 2 * tries
            assert page.evaluate("() => sessionStorage.getItem('migrato.operator')") is None
            page.reload()
            expect(page.get_by_label("Admin key")).to_be_visible()
            expect(page.get_by_role("alert")).to_have_count(0)
    enter(page, keys["boss"])
    expect(page.get_by_text("it needs the scope games:read")).to_be_visible()
    expect(page.locator("tbody th", has_text="ops")).to_be_visible()
    page.get_by_role("button", name="Forget the key").click()
    enter(page, keys["club"])
    expect(page.get_by_text("it needs the scope admin")).to_be_visible()
    expect(page.locator(".figure")).to_have_count(12)
    page.get_by_role("button", name="Forget the key").click()
    enter(page, keys["leaving"])
    expect(page.locator(".figure")).to_have_count(12)
    leaving = f"{guarded.url}/v1/apps/leaving"
    requests.delete(leaving, headers=bearer(keys["ops"]), timeout=20).raise_for_status()
    page.clock.fast_forward(EVERY)
    expect(page.get_by_role("alert")).to_contain_text("misspelt, expired or revoked")
    expect(page.get_by_label("Admin key")).to_be_visible()
    expect(page.locator(".figure")).to_have_count(0)
    assert page.evaluate("() => sessionStorage.getItem('migrato.operator')") is None


def offered(page: Page, guarded: Engine) -> None:
    """Open the start once the web process that answers has heard of the apps."""

    def heard() -> bool:
        page.goto(guarded.url)
        return bool(page.evaluate("'forApps' in document.documentElement.dataset"))

    until(heard)


def test_players_of_apps_are_not_shown(guarded: Engine, keys: dict[str, str], page: Page) -> None:
    """The leaderboard is not shown either."""
    del keys
    offered(page, guarded)
    for address in ("/leaderboard", "/players/pl_" + "0" * 20):
        page.goto(guarded.url + address)
        expect(page.locator("h1")).to_have_text("Players are not shown")
        expect(page.locator("main")).to_contain_text("to its own apps alone")


def test_the_page_offers_what_works(guarded: Engine, keys: dict[str, str], page: Page) -> None:
    """Without a key nobody begins a game: the start says so where its buttons were; invitations and lessons work."""
    offered(page, guarded)
    with noted(page, "response") as answers:
        expect(page.locator(".guest")).to_contain_text("through its own apps")
        assert out_of_sight(page, ".guest p, .guest button, .guest a") == []
        expect(page.locator(".setup, .lobby, .level, .foot a[href='/leaderboard']")).to_have_count(0)
        page.get_by_role("link", name="Learn Migrato").last.click()
        page.locator(".hand-card.able").click()
        page.locator("button.target.lit").click()
        page.locator(".hand-card").first.click()
        page.get_by_role("button", name="Discard", exact=True).click()
        expect(page.locator(".lesson-done")).to_be_visible()
    assert [answer.url for answer in answers if answer.status >= 400] == []
    invited = {"seats": [{"kind": "human", "player": "ada"}, {"kind": "open"}], "joining": "invite"}
    app, games = bearer(keys["ops"]), f"{guarded.url}/v1/games"
    game = requests.post(games, json=invited, headers=app, timeout=20).json()["id"]
    path = f"{games}/{game}/seats/1/invites"
    invite = requests.post(path, json={"expires_in": 600}, headers=app, timeout=20).json()["invite"]
    offered(page, guarded)
    page.get_by_label("Invitation link or code").fill(f"/join/{game}#1.{invite}")
    page.get_by_role("button", name="Open").click()
    page.get_by_role("button", name="Sit down").click()
    expect(page.locator(".table")).to_be_visible()


def test_without_apps_nobody_needs_a_key(engine: Engine, visit: Visit) -> None:
    """An engine of one's own, which listens to its machine alone; a part that is down, and an engine that is away."""
    page = visit(has_clock=True)
    page.goto(f"{engine.url}/operator")
    expect(page.locator(".figure")).to_have_count(12)
    page.clock.fast_forward(EVERY)
    expect(page.locator(".figure", has_text="Requests")).to_contain_text("a second")
    down = {"code": "not-ready", "status": 503, "checks": {"store": "ok", "dispatcher": "down"}}
    page.route("**/readyz", lambda route: route.fulfill(status=503, json=down))
    page.clock.fast_forward(EVERY)
    expect(page.locator(".checks .failed")).to_have_text("✗ Dispatcher: down")
    reasons = [{"code": "store-evicts", "detail": "It evicts."}]
    degraded = {"status": "degraded", "checks": {"store": "ok"}, "reasons": reasons}
    page.route("**/readyz", lambda route: route.fulfill(json=degraded))
    page.clock.fast_forward(EVERY)
    expect(page.locator(".checks .failed")).to_contain_text("throws games away")
    page.context.set_offline(True)
    page.clock.fast_forward(EVERY)
    expect(page.get_by_role("alert")).to_contain_text("does not answer")
    page.context.set_offline(False)
    page.clock.fast_forward(EVERY)
    expect(page.get_by_role("alert")).to_have_count(0)
