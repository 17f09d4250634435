"""The operator's screen, and what the page of an engine with apps shows to whoever has no key."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.page.conftest import Visit
from tests.processes.engine import Engine
from tests.processes.test_apps import apps

SCOPES = {"ops": ("admin", "games:read"), "boss": ("admin",), "club": ("games:read",)}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine that has apps."""
    engine = Engine(tmp_path_factory.mktemp("guarded") / "data").start()
    yield engine
    engine.end()


@pytest.fixture(scope="module")
def keys(guarded: Engine) -> dict[str, str]:
    """A key for each app."""
    return {
        name: apps(guarded.data_dir, "create", name, *(f"--scope={scope}" for scope in scopes))["key"]
        for name, scopes in SCOPES.items()
    }


def enter(page: Page, key: str) -> None:
    """Give the screen a key, by the keyboard."""
    page.get_by_label("Admin key").fill(key)
    page.keyboard.press("Enter")


def test_what_an_operator_sees(guarded: Engine, keys: dict[str, str], visit: Visit) -> None:
    """Health, queues, figures that go on, and apps; the key is kept for the tab, and stands in no address."""
    context = visit()
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{guarded.url}/operator")
    expect(page.get_by_text("The figures are shown to whoever has a key.")).to_be_visible()
    enter(page, keys["ops"])
    expect(page.locator(".checks")).to_contain_text("Dispatcher: runs")
    expect(page.locator(".checks .failed")).to_have_count(0)
    expect(page.locator(".figure")).to_have_count(12)
    requests_shown = page.locator(".figure", has_text="Requests")
    expect(requests_shown).to_contain_text("a second")
    expect(page.get_by_role("img", name="Requests: between")).to_be_visible()
    expect(page.locator(".figure", has_text="Jobs of games").locator("b")).to_have_text("0")
    for name in keys:
        expect(page.locator("tbody th", has_text=name)).to_have_count(1)
    assert page.evaluate("() => JSON.stringify({...localStorage})").find(keys["ops"]) == -1
    page.reload()
    expect(page.locator("tbody th", has_text="ops")).to_be_visible()
    other = context.new_page()
    other.goto(f"{guarded.url}/operator")
    expect(other.get_by_label("Admin key")).to_be_visible()
    page.get_by_role("button", name="Forget the key").click()
    expect(page.get_by_label("Admin key")).to_be_visible()
    page.reload()
    expect(page.get_by_label("Admin key")).to_be_visible()
    assert not any(keys["ops"] in address for address in asked)


@pytest.mark.parametrize("wrong", ["mk_" + "0" * 16 + "_" + "x" * 43, "<b>ключ</b>\u200b"])
def test_a_wrong_key(guarded: Engine, keys: dict[str, str], visit: Visit, wrong: str) -> None:
    """Its own words, as often as it is tried; it is not kept, and not sent again and again."""
    del keys
    page = visit().new_page()
    sent: list[str] = []
    page.on(
        "request",
        lambda request: sent.append(request.url) if "authorization" in request.headers else None,
    )
    page.goto(f"{guarded.url}/operator")
    for tries in (1, 2):
        enter(page, wrong)
        expect(page.get_by_role("alert")).to_contain_text("This key is not good here")
        expect(page.locator(".checks .passed").first).to_be_visible()
        assert len(sent) == 2 * tries
    assert page.evaluate("() => sessionStorage.getItem('migrato.operator')") is None
    page.reload()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_a_key_that_is_good_no_more(guarded: Engine, keys: dict[str, str], visit: Visit) -> None:
    """Void while its figures are shown: the screen says so, forgets the key and asks for another one."""
    del keys
    key = apps(guarded.data_dir, "create", "leaving", "--scope=admin", "--scope=games:read")["key"]
    page = visit().new_page()
    page.goto(f"{guarded.url}/operator")
    enter(page, key)
    expect(page.locator(".figure")).to_have_count(12)
    apps(guarded.data_dir, "revoke", "leaving")
    expect(page.get_by_role("alert")).to_contain_text("misspelt, expired or revoked")
    expect(page.get_by_label("Admin key")).to_be_visible()
    expect(page.locator(".figure")).to_have_count(0)
    assert page.evaluate("() => sessionStorage.getItem('migrato.operator')") is None


def test_what_a_key_is_not_good_for(guarded: Engine, keys: dict[str, str], visit: Visit) -> None:
    """Each part says which scope it needs."""
    page = visit().new_page()
    page.goto(f"{guarded.url}/operator")
    enter(page, keys["boss"])
    expect(page.get_by_text("it needs the scope games:read")).to_be_visible()
    expect(page.locator("tbody th", has_text="ops")).to_be_visible()
    page.get_by_role("button", name="Forget the key").click()
    enter(page, keys["club"])
    expect(page.get_by_text("it needs the scope admin")).to_be_visible()
    expect(page.locator(".figure")).to_have_count(12)


def test_without_apps_nobody_needs_a_key(engine: Engine, visit: Visit) -> None:
    """An engine of one's own, which listens to its machine alone."""
    page = visit().new_page()
    page.goto(f"{engine.url}/operator")
    expect(page.locator(".figure")).to_have_count(12)
    expect(page.locator(".figure", has_text="Requests")).to_contain_text("a second")


def test_a_part_that_is_down(engine: Engine, visit: Visit) -> None:
    """The engine's own answer says which; an engine that is away is said to be."""
    page = visit().new_page()
    down = {"code": "not-ready", "status": 503, "checks": {"store": "ok", "dispatcher": "down"}}
    page.route("**/readyz", lambda route: route.fulfill(status=503, json=down))
    page.goto(f"{engine.url}/operator")
    expect(page.locator(".checks .failed")).to_have_text("✗ Dispatcher: down")
    page.context.set_offline(True)
    expect(page.get_by_role("alert")).to_contain_text("does not answer")
    page.context.set_offline(False)
    expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.parametrize("address", ["/leaderboard", "/players/pl_" + "0" * 20])
def test_players_of_apps_are_not_shown(
    guarded: Engine, keys: dict[str, str], visit: Visit, address: str
) -> None:
    """Nor the leaderboard."""
    del keys
    page = visit().new_page()
    page.goto(guarded.url + address)
    expect(page.locator("h1")).to_have_text("Players are not shown")
    expect(page.locator("main")).to_contain_text("to its own apps alone")
