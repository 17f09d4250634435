"""What goes wrong around a game has its own words on the page, and never leaves it blank."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import requests
from playwright.sync_api import Browser, Dialog, Page, Route, expect

from tests.page.browser import Errors, seat_kept
from tests.page.conftest import Visit
from tests.page.players import Hands, play
from tests.page.prepared import Prepared
from tests.processes.engine import Engine

HOSTILE = "<img src=x onerror=alert(1)>"
STREAM = "**/events?ticket=*"
SILENCE = 15_500  # milliseconds until a page asks because nothing comes
QUESTION = 5_500  # until it asks again


def test_the_engine_is_killed_in_the_middle(tmp_path: Path, visit: Visit) -> None:
    """The page says that it is away, and goes on by itself with the game as it was."""
    engine = Engine(tmp_path / "data").start()
    try:
        page = visit().new_page()
        page.goto(engine.url)
        page.get_by_role("button", name="Play", exact=True).click()
        guest = Hands(page)
        play(guest, steps=6)
        told = page.locator(".log ol li").count()
        engine.kill_supervisor()
        expect(page.locator(".banner")).to_contain_text("The connection is lost", timeout=30_000)
        engine.start()
        expect(page.locator(".banner")).to_have_count(0, timeout=30_000)
        play(guest, steps=4)
        assert page.locator(".log ol li").count() > told
        page.reload()
        expect(page.locator(".table")).to_be_visible()
    finally:
        engine.end()


def test_a_train_in_a_tunnel(engine: Engine, visit: Visit) -> None:
    """Offline in mid-move: a banner; the move that was sent meanwhile arrives once."""
    context = visit()
    page = context.new_page()
    page.goto(engine.url + "/#migo")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".my-turn")).to_be_visible(timeout=15_000)
    context.set_offline(True)
    expect(page.locator(".banner")).to_contain_text("The connection is lost")
    page.locator(".rank button.lit").first.click()
    page.wait_for_timeout(700)
    context.set_offline(False)
    expect(page.locator(".log ol")).to_contain_text("You took", timeout=20_000)
    expect(page.locator(".banner")).to_have_count(0, timeout=20_000)
    expect(page.locator(".log ol li.mine-line", has_text="You took")).to_have_count(1)


def test_an_engine_that_is_away_when_a_game_is_wanted(engine: Engine, visit: Visit) -> None:
    """The start says so, and the game is created once the engine is back."""
    context = visit()
    page = context.new_page()
    page.goto(engine.url)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_enabled()
    context.set_offline(True)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".banner")).to_contain_text("does not answer")
    context.set_offline(False)
    expect(page.locator(".table")).to_be_visible(timeout=20_000)
    expect(page.locator(".banner")).to_have_count(0)


def test_two_tabs_that_move_at_once(engine: Engine, visit: Visit) -> None:
    """Both hold the seat and show the same; the slower one is told why its move was refused."""
    prepared = Prepared(engine.url, "migo", seed=2, options={"first_seat": 0})
    context = visit()
    seat_kept(context, **prepared.seat())
    quick, slow = context.new_page(), context.new_page()
    for tab in (quick, slow):
        tab.goto(f"{engine.url}/play/{prepared.id}")
        expect(tab.locator(".rank button.lit").first).to_be_visible()
    before = prepared.view()["version"]

    def overtaken(route: Route) -> None:
        quick.locator(".rank button.lit").first.click()
        expect(quick.locator(".prompt")).to_contain_text("thinking")
        route.continue_()

    slow.route("**/moves", overtaken)
    slow.locator(".rank button.lit").nth(1).click()
    expect(slow.locator(".complaint")).to_contain_text("perhaps you played in another tab")
    expect(slow.locator(".table .prompt")).to_contain_text("thinking")
    moved = [event for event in prepared.events(before) if event["type"] == "card_taken"]
    assert len(moved) == 1


@pytest.mark.parametrize("told", [0, 1])
def test_a_connection_that_dies_without_a_word(engine: Engine, visit: Visit, told: int) -> None:
    """No error tells of it, as after a sleep: the page asks what it missed, and connects anew.

    Of the first connection, `told` states come before that; also none.
    """
    prepared = Prepared(engine.url, "migo", seed=2, options={"first_seat": 1})
    context = visit()
    seat_kept(context, **prepared.seat())
    context.add_init_script(
        "window.streams = 0; window.EventSource = class extends EventSource {"
        " constructor(address) { super(address); this.number = ++window.streams; }"
        " addEventListener(type, told) { super.addEventListener(type, (event) => {"
        " if (type !== 'state' || this.number > 1 || (this.states = (this.states ?? 0) + 1) <= "
        f"{told}) told(event); }}); }} }};"
    )
    page = context.new_page()
    page.goto(f"{engine.url}/play/{prepared.id}")
    expect(page.locator(".rank li:not(.gone)")).to_have_count(18)
    prepared.post(1, prepared.legal(1)[0])
    expect(page.locator(".rank li:not(.gone)")).to_have_count(17)
    page.locator(".rank button.lit").first.click()
    expect(page.locator(".rank li:not(.gone)")).to_have_count(16)
    page.wait_for_function("window.streams === 2")


def test_a_proxy_that_keeps_a_stream_to_itself(engine: Engine, visit: Visit) -> None:
    """As one does that buffers answers: the page asks how the game stands, after two such connections every 5 s."""
    prepared = Prepared(engine.url, "migo", seed=2, options={"first_seat": 1})
    context = visit()
    seat_kept(context, **prepared.seat())
    page = context.new_page()
    held: list[str] = []
    page.route(STREAM, lambda route: held.append(route.request.url))
    page.clock.install()
    cards = page.locator(".rank li:not(.gone)")
    with page.expect_request(STREAM):
        page.goto(f"{engine.url}/play/{prepared.id}")
    prepared.post(1, prepared.legal(1)[0])
    with page.expect_request(STREAM):
        page.clock.fast_forward(SILENCE)
        expect(cards).to_have_count(17)
    page.locator(".rank button.lit").first.click()
    expect(cards).to_have_count(16)
    page.clock.fast_forward(SILENCE)
    for left in (15, 13):
        prepared.post(1, prepared.legal(1)[0])
        page.clock.fast_forward(QUESTION)
        expect(cards).to_have_count(left)
        expect(page.locator(".rank button.lit")).not_to_have_count(0)
        prepared.post(0, prepared.legal(0)[0])
    assert len(held) == 2


def test_more_tabs_than_a_browser_has_connections(engine: Engine, visit: Visit) -> None:
    """Six at most to one server, and each stream holds one: tabs that nobody looks at give theirs back, and follow."""
    prepared = Prepared(engine.url, "migo", seed=2, options={"first_seat": 1})
    context = visit()
    seat_kept(context, **prepared.seat())
    context.add_init_script(
        "Object.defineProperty(document, 'hidden', { get: () => window.isOutOfSight === true });"
        "window.look = (there) => { window.isOutOfSight = !there; "
        "document.dispatchEvent(new Event('visibilitychange')); }"
    )
    tabs: list[Page] = []
    for _ in range(7):
        for tab in tabs[-1:]:
            tab.evaluate("look(false)")
        tabs.append(context.new_page())
        tabs[-1].goto(f"{engine.url}/play/{prepared.id}")
        expect(tabs[-1].locator(".rank li:not(.gone)")).to_have_count(18)
    prepared.post(1, prepared.legal(1)[0])
    for tab in tabs:
        expect(tab.locator(".rank li:not(.gone)")).to_have_count(17)
        expect(tab).to_have_title(re.compile("Your turn"))
    tabs[-1].evaluate("look(false)")
    tabs[0].evaluate("look(true)")
    tabs[0].locator(".rank button.lit").first.click()
    for tab in tabs:
        expect(tab.locator(".rank li:not(.gone)")).to_have_count(16)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("/play/0000000000000000000000", "You do not sit at this table"),
        ("/join/0000000000000000000000", "This invitation is not complete"),
        ("/play/%21%21", "There is no such page"),
        ("/play/%3Cscript%3E", "There is no such page"),
    ],
)
def test_addresses_that_lead_nowhere(engine: Engine, visit: Visit, address: str, said: str) -> None:
    """A heading that says so, and a way to the start."""
    page = visit().new_page()
    page.goto(engine.url + address)
    expect(page.locator("h1")).to_have_text(said)
    page.get_by_role("link", name="To the start").click()
    expect(page.locator(".level").first).to_be_visible()


def test_an_invitation_that_is_used_up(engine: Engine, visit: Visit) -> None:
    """Its words, not the engine's."""
    prepared = Prepared(engine.url)
    page = visit().new_page()
    page.goto(f"{engine.url}/join/{prepared.id}#1.in_{'x' * 20}")
    page.get_by_role("button", name="Sit down").click()
    expect(page.get_by_role("alert")).to_contain_text("not good any more")


def test_seats_that_are_gone(engine: Engine, visit: Visit) -> None:
    """A game that is not there, and a token that is void."""
    prepared = Prepared(engine.url)
    context = visit()
    seat_kept(
        context,
        game="0" * 22,
        kind="migrato",
        seat=0,
        token=prepared.tokens[0].replace(prepared.id, "0" * 22),
    )
    page = context.new_page()
    page.goto(f"{engine.url}/play/{'0' * 22}")
    expect(page.locator("h1")).to_contain_text("not yours any more")

    context = visit()
    seat_kept(context, **prepared.seat())
    requests.post(f"{engine.url}/v1/games/{prepared.id}/seats/0/token", timeout=10).raise_for_status()
    page = context.new_page()
    page.goto(f"{engine.url}/play/{prepared.id}")
    expect(page.locator("h1")).to_contain_text("not yours any more")


def test_the_time_runs_out_while_a_card_is_held(engine: Engine, visit: Visit) -> None:
    """The clock is shown, and then the end, with its reason."""
    prepared = Prepared(engine.url, seed=4, clock={"kind": "per-move", "seconds": 15})
    context = visit()
    seat_kept(context, **prepared.seat())
    page = context.new_page()
    page.goto(f"{engine.url}/play/{prepared.id}")
    expect(page.locator(".clock.running").get_by_role("timer")).to_have_text(re.compile("0:[01][0-9]"))
    card = page.locator(".hand-card").first.bounding_box()
    assert card is not None
    page.mouse.move(card["x"] + 20, card["y"] + 20)
    page.mouse.down()
    page.mouse.move(card["x"] + 60, card["y"] - 100, steps=4)
    expect(page.locator(".ending")).to_contain_text("The time was up.", timeout=60_000)
    page.mouse.up()
    expect(page.locator(".ghost")).to_have_count(0)


def test_names_never_become_markup(engine: Engine, visit: Visit) -> None:
    """A name is text wherever it stands: on the table, in the log, at the end, and on the start page."""
    prepared = Prepared(engine.url, people=("ada", HOSTILE), setup=None).play(3)
    context = visit()
    seat_kept(context, **prepared.seat())
    page = context.new_page()
    asked: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", dismiss)
    page.goto(f"{engine.url}/play/{prepared.id}")
    expect(page.locator(".side.their h2")).to_have_text(HOSTILE)
    prepared.post(1, {"type": "resign"})
    expect(page.locator(".points")).to_contain_text(HOSTILE)
    expect(page.locator(".log ol")).to_contain_text(HOSTILE)
    assert page.locator("img").count() == 0
    assert asked == []


def test_a_store_that_the_browser_refuses_to_read(engine: Engine, visit: Visit) -> None:
    """What stands there may be anybody's: the page starts all the same."""
    context = visit()
    context.add_init_script(
        "if (location.protocol === 'http:') for (const name of ['seats', 'theme', 'language', 'level.migrato']) "
        "localStorage.setItem(`migrato.${name}`, '{]<b>')"
    )
    page = context.new_page()
    page.goto(engine.url)
    expect(page.locator(".level").first).to_be_visible()


def test_a_name_is_text_wherever_it_stands(engine: Engine, visit: Visit) -> None:
    """On the start page, in the lobby, beside a takeback, in a replay, its list of views and a fork."""
    table = {"game": "migo", "seats": [{"kind": "human", "player": HOSTILE}, {"kind": "open"}]}
    access = {"joining": "open", "visibility": "public"}
    requests.post(f"{engine.url}/v1/games", json=table | access, timeout=10).raise_for_status()
    prepared = Prepared(
        engine.url,
        "migo",
        people=("ada", HOSTILE),
        visibility="public",
        options={"first_seat": 1},
    )
    prepared.post(1, prepared.legal(1)[0])
    context = visit()
    seat_kept(context, **prepared.seat(), names=[HOSTILE])
    page = context.new_page()
    asked: list[str] = []
    page.on("dialog", lambda dialog: asked.append(dialog.message))
    page.goto(engine.url)
    expect(page.locator(".unfinished")).to_contain_text(HOSTILE)
    expect(page.locator(".lobby li", has_text=HOSTILE).first).to_be_visible()
    page.goto(f"{engine.url}/play/{prepared.id}")
    expect(page.locator(".log")).to_contain_text(HOSTILE)
    prepared.ask_back(1)
    expect(page.locator(".takeback")).to_contain_text(HOSTILE)
    prepared.post(1, {"type": "resign"})
    expect(page.locator(".ending")).to_be_visible()
    page.goto(f"{engine.url}/games/{prepared.id}")
    expect(page.locator("h1")).to_contain_text(HOSTILE)
    expect(page.locator(".steps")).to_contain_text(HOSTILE)
    page.keyboard.press("Home")
    page.get_by_role("button", name="Play on from here").click()
    expect(page.get_by_label("You play for")).to_contain_text(HOSTILE)
    assert page.locator("img").count() == 0
    assert asked == []


def test_a_game_that_is_erased_while_it_is_played(tmp_path: Path, visit: Visit) -> None:
    """Its seat and the game are gone with it: the table says so, and the start offers it no more."""
    engine = Engine(tmp_path / "data").start()
    try:
        prepared = Prepared(engine.url, seed=4)
        context = visit()
        seat_kept(context, **prepared.seat())
        page = context.new_page()
        page.goto(f"{engine.url}/play/{prepared.id}")
        expect(page.locator(".table")).to_be_visible()
        engine.stop()
        shutil.rmtree(engine.data_dir)
        engine.start()
        expect(page.locator("h1")).to_have_text("This seat is not yours any more")
        expect(page.locator("main")).to_contain_text("or the game was erased")
        page.get_by_role("link", name="To the start").click()
        expect(page.locator(".level").first).to_be_visible()
        expect(page.locator(".unfinished")).to_have_count(0)
    finally:
        engine.end()


def test_moves_that_the_engine_has_lost(tmp_path: Path, visit: Visit) -> None:
    """Its store is older than what the page has seen, as after a disaster: the page shows that, and goes on from it."""
    engine = Engine(tmp_path / "data").start()
    try:
        prepared = Prepared(engine.url, "migo", seed=2, options={"first_seat": 0})
        context = visit()
        seat_kept(context, **prepared.seat())
        page = context.new_page()
        page.goto(f"{engine.url}/play/{prepared.id}")
        cards = page.locator(".rank li:not(.gone)")
        expect(cards).to_have_count(18)
        engine.stop()
        shutil.copytree(engine.data_dir, tmp_path / "older")
        engine.start()
        for seat in (0, 1):
            prepared.post(seat, prepared.legal(seat)[0])
        expect(cards).to_have_count(16)
        engine.stop()
        shutil.rmtree(engine.data_dir)
        shutil.copytree(tmp_path / "older", engine.data_dir)
        engine.start()
        expect(cards).to_have_count(18)
        expect(page.locator(".log ol")).not_to_contain_text("You took")
        page.locator(".rank button.lit").first.click()
        expect(cards).to_have_count(17)
        expect(page.locator(".log ol")).to_contain_text("You took")
    finally:
        engine.end()


def test_a_mistake_of_the_page_is_told_at_the_table(engine: Engine, browser: Browser) -> None:
    """By its own words, and in the console: it is no refusal, and the table stays."""
    prepared = Prepared(engine.url, seed=4)
    context, errors = browser.new_context(locale="en"), Errors()
    errors.watch(context)
    seat_kept(context, **prepared.seat())
    page = context.new_page()
    page.route(re.compile(r"/events\?after="), lambda route: route.fulfill(json={"events": 1, "version": 9}))
    page.goto(f"{engine.url}/play/{prepared.id}")
    expect(page.locator(".complaint")).to_contain_text("The page made a mistake")
    expect(page.locator(".table")).to_be_visible()
    context.close()
    assert len(errors) == 1
    assert "flatMap" in errors[0]


def test_any_mistake_of_the_page_is_told(engine: Engine, browser: Browser) -> None:
    """Also one that no part of it expects: over the screen, which stays, with a way to load it again."""
    for mistake in ("setTimeout(() => undefined.oops)", "void Promise.reject(new Error('oops'))"):
        context, errors = browser.new_context(locale="en"), Errors()
        errors.watch(context)
        page = context.new_page()
        page.goto(engine.url)
        expect(page.locator(".level").first).to_be_visible()
        page.evaluate(mistake)
        expect(page.locator(".mistake")).to_contain_text("The page made a mistake")
        expect(page.locator(".level").first).to_be_visible()
        page.get_by_role("button", name="Load the page again").click()
        expect(page.locator(".mistake")).to_have_count(0)
        context.close()
        assert ["oops" in error for error in errors] == [True]


def test_a_refusal_is_no_mistake(engine: Engine, visit: Visit) -> None:
    """What happened cannot be read for now: the table follows all the same, and tells it with the next state."""
    prepared = Prepared(engine.url, "migo", seed=2, options={"first_seat": 1})
    context = visit()
    seat_kept(context, **prepared.seat())
    page = context.new_page()
    page.goto(f"{engine.url}/play/{prepared.id}")
    expect(page.locator(".log li")).not_to_have_count(0)
    problem = {"code": "not-found", "title": "Not found", "status": 404}
    page.route(re.compile(r"/events\?after="), lambda route: route.fulfill(status=404, json=problem))
    prepared.post(1, prepared.legal(1)[0])
    expect(page.locator(".rank li:not(.gone)")).to_have_count(17)
    expect(page.locator(".complaint, .mistake")).to_have_count(0)
    page.unroute_all()
    page.locator(".rank button.lit").first.click()
    expect(page.locator(".log ol")).to_contain_text("bo took")
    expect(page.locator(".log ol")).to_contain_text("You took")


def test_a_seat_that_is_lost_in_mid_game(engine: Engine, visit: Visit) -> None:
    """Its token is void since a moment ago: the next move says so, and the table stays."""
    prepared = Prepared(engine.url, seed=4, options={"first_seat": 0})
    context = visit()
    seat_kept(context, **prepared.seat())
    page = context.new_page()
    page.goto(f"{engine.url}/play/{prepared.id}")
    expect(page.locator(".my-turn")).to_be_visible()
    requests.post(f"{engine.url}/v1/games/{prepared.id}/seats/0/token", timeout=10).raise_for_status()
    page.get_by_role("button", name="Exchange hand").click()
    expect(page.locator("main")).to_contain_text("not yours any more")


def test_a_browser_that_keeps_nothing(engine: Engine, visit: Visit) -> None:
    """As some do that take no cookies: a game can be played all the same, as long as the page is open."""
    context = visit()
    context.add_init_script(
        "for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, "
        "{ get() { throw new DOMException('no', 'SecurityError'); } })"
    )
    page = context.new_page()
    page.goto(engine.url)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".table.my-turn")).to_be_visible()
    page.locator("header select").select_option(label="Deutsch")
    expect(page.get_by_role("button", name="Aufgeben")).to_be_visible()
    page.reload()
    expect(page.locator("h1")).to_have_text("You do not sit at this table")


@pytest.mark.parametrize(
    "answer",
    [
        {"status": 404, "body": "<h1>Not Found</h1>", "content_type": "text/html"},
        {"status": 404, "json": {"code": "not-found", "status": 404}},
        {"status": 403, "body": "[]", "content_type": "application/problem+json"},
    ],
    ids=["a page", "JSON of another", "a problem of another"],
)
def test_a_wrong_proxy_does_not_take_a_seat_away(
    engine: Engine, visit: Visit, answer: dict[str, Any]
) -> None:
    """Only the engine can say that there is no such game; the page waits for it."""
    prepared = Prepared(engine.url, seed=5).play(4)
    context = visit()
    seat_kept(context, **prepared.seat(0))
    page = context.new_page()
    page.route("**/v1/games/**", lambda route: route.fulfill(**answer))
    with page.expect_response("**/tickets"):
        page.goto(f"{engine.url}/play/{prepared.id}")
    expect(page.locator(".waiting")).to_contain_text("The connection is lost")
    page.unroute("**/v1/games/**")
    expect(page.locator(".table")).to_be_visible()
    assert prepared.tokens[0] in page.evaluate("localStorage.getItem('migrato.seats')")


def test_a_browser_without_room(engine: Engine, visit: Visit) -> None:
    """It reads what it kept, and keeps nothing more: a game can be played all the same."""
    context = visit()
    context.add_init_script(
        "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); };"
    )
    page = context.new_page()
    page.goto(engine.url)
    page.get_by_label("Language").select_option("fr")
    expect(page.locator("html")).to_have_attribute("lang", "fr")
    page.get_by_role("button", name="Jouer", exact=True).click()
    expect(page.locator(".table")).to_be_visible()
    play(Hands(page), steps=4)


def test_a_name_from_right_to_left_is_fenced_in(engine: Engine, visit: Visit) -> None:
    """In the sentence of the end, so that it does not turn round the score."""
    prepared = Prepared(engine.url, seed=5, people=("ada", "\u05d3\u05e0\u05d4")).play(4)
    prepared.post(0, {"type": "resign"})
    context = visit()
    seat_kept(context, **prepared.seat(0))
    page = context.new_page()
    page.goto(f"{engine.url}/play/{prepared.id}")
    expect(page.locator(".ending")).to_contain_text("\u2068\u05d3\u05e0\u05d4\u2069 wins")
