"""Trouble around a game has its own words on the page, and never leaves it blank."""

import re
from functools import partial
from typing import Any

import pytest
import requests
from playwright.sync_api import Dialog, Page, Route, expect

from tests.page.browser import USUAL, Contexts, kept
from tests.page.conftest import Sit, Visit
from tests.page.prepared import Prepared
from tests.support.engine import Engine

HOSTILE = "<img src=x onerror=alert(1)>"
SILENT = (
    "window.streams = 0; window.EventSource = "
    "class extends EventTarget { constructor() { super(); window.streams++; } close() {} };"
)
HOLD = """
    (streams) => Promise.all(streams.map((stream) => new Promise((done) => new EventSource(stream).onopen = done)))
"""
EVENTS = re.compile(r"/events\?after=")
SILENCE = 15_500  # milliseconds until a page asks because nothing comes
QUESTION = 5_500  # until it asks again


def test_a_train_in_a_tunnel(engine: Engine, page: Page) -> None:
    """The start says that the engine is away, and the game is created once it is back.

    Offline in mid-move: a banner; the move that was sent meanwhile arrives once.
    """
    context, banner = page.context, page.locator(".banner")
    page.goto(engine.url + "/#migo")
    begin = page.get_by_role("button", name="Play", exact=True)
    expect(begin).to_be_enabled()
    context.set_offline(True)
    begin.click()
    expect(banner).to_contain_text("does not answer")
    context.set_offline(False)
    expect(page.locator(".my-turn")).to_be_visible()
    expect(banner).to_have_count(0)
    context.set_offline(True)
    expect(banner).to_contain_text("The connection is lost")
    with page.expect_event("requestfailed", lambda request: request.method == "POST"):
        page.locator(".rank button.lit").first.click()
    context.set_offline(False)
    expect(page.locator(".log ol")).to_contain_text("You took")
    expect(banner).to_have_count(0)
    expect(page.locator(".log ol li.mine-line", has_text="You took")).to_have_count(1)


def test_two_tabs_that_move_at_once(engine: Engine, sit: Sit) -> None:
    """Both hold the seat and show the same; the slower one is told why its move was refused."""
    prepared = Prepared(engine.url, "migo", seed=2, options={"first_seat": 0})
    quick = sit(prepared)
    slow = quick.context.new_page()
    slow.goto(quick.url)
    for tab in (quick, slow):
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
    """No error tells of it, as after a sleep: the page connects anew, and asks what it missed.

    Of the first connection, `told` states come before that; also none.
    """
    prepared = Prepared(engine.url, "migo", seed=2, options={"first_seat": 1})
    deaf = (
        "window.streams = 0; window.EventSource = class extends EventSource {"
        " constructor(address) { super(address); this.number = ++window.streams; }"
        " addEventListener(type, told) { super.addEventListener(type, (event) => {"
        " const isSilent = this.number === 1 && (type === 'heartbeat' || type === 'state');"
        f" if (!isSilent || (type === 'state' && (this.states = (this.states ?? 0) + 1) <= {told}))"
        " told(event); }); } };"
    )
    page = visit(kept(**prepared.seat()), deaf, has_clock=True)
    page.goto(f"{engine.url}/play/{prepared.id}")
    page.wait_for_function("() => window.streams > 0")
    if told == 0:
        page.clock.fast_forward(SILENCE)
    expect(page.locator(".rank li:not(.gone)")).to_have_count(18)
    prepared.post(1, prepared.legal(1)[0])
    if told == 1:
        page.clock.fast_forward(SILENCE)
    expect(page.locator(".rank li:not(.gone)")).to_have_count(17)
    page.locator(".rank button.lit").first.click()
    expect(page.locator(".rank li:not(.gone)")).to_have_count(16)
    page.wait_for_function("() => window.streams > 1")  # or more: each has a moment, on a busy machine too


def test_a_proxy_that_keeps_a_stream_to_itself(engine: Engine, visit: Visit) -> None:
    """As one does that buffers answers: the page asks how the game stands, after two such connections every 5 s."""
    prepared = Prepared(engine.url, "migo", seed=2, options={"first_seat": 1})
    page = visit(kept(**prepared.seat()), SILENT, has_clock=True)
    cards = page.locator(".rank li:not(.gone)")
    page.goto(f"{engine.url}/play/{prepared.id}")
    page.wait_for_function("() => window.streams === 1")
    prepared.post(1, prepared.legal(1)[0])
    page.clock.fast_forward(SILENCE)
    expect(cards).to_have_count(17)
    page.wait_for_function("() => window.streams === 2")
    page.locator(".rank button.lit").first.click()
    expect(cards).to_have_count(16)
    page.clock.fast_forward(SILENCE)
    for left in (15, 13):
        prepared.post(1, prepared.legal(1)[0])
        page.clock.fast_forward(QUESTION)
        expect(cards).to_have_count(left)
        expect(page.locator(".rank button.lit")).not_to_have_count(0)
        prepared.post(0, prepared.legal(0)[0])
    assert page.evaluate("window.streams") == 2


def test_more_tabs_than_a_browser_has_connections(engine: Engine, visit: Visit) -> None:
    """Six at most to one server, and each stream holds one: tabs that nobody looks at give theirs back, and follow.

    Streams of one page hold four of them.
    """
    prepared = Prepared(engine.url, "migo", seed=2, options={"first_seat": 1})
    holding = visit(
        kept(**prepared.seat()),
        "Object.defineProperty(document, 'hidden', { get: () => window.isOutOfSight === true });"
        "window.look = (there) => { window.isOutOfSight = !there; "
        "document.dispatchEvent(new Event('visibilitychange')); }",
        has_clock=True,
    )
    context = holding.context
    holding.goto(f"{engine.url}/healthz")
    holding.evaluate(HOLD, [prepared.ticket() for _ in range(4)])
    tabs: list[Page] = []
    for _ in range(3):
        for tab in tabs[-1:]:
            tab.evaluate("look(false)")
            context.clock.fast_forward(QUESTION)
        tabs.append(context.new_page())
        tabs[-1].goto(f"{engine.url}/play/{prepared.id}")
        expect(tabs[-1].locator(".rank li:not(.gone)")).to_have_count(18)
    prepared.post(1, prepared.legal(1)[0])
    context.clock.fast_forward(QUESTION)
    for tab in tabs:
        expect(tab.locator(".rank li:not(.gone)")).to_have_count(17)
        expect(tab).to_have_title(re.compile("Your turn"))
    tabs[-1].evaluate("look(false)")
    tabs[0].evaluate("look(true)")
    tabs[0].locator(".rank button.lit").first.click()
    context.clock.fast_forward(QUESTION)
    for tab in tabs:
        expect(tab.locator(".rank li:not(.gone)")).to_have_count(16)


def test_addresses_that_lead_nowhere(engine: Engine, page: Page) -> None:
    """A heading that says so, and a way to the start."""
    for address, said in (
        ("/play/0000000000000000000000", "You do not sit at this table"),
        ("/join/0000000000000000000000", "This invitation is not complete"),
        ("/play/%3Cscript%3E", "There is no such page"),
    ):
        page.goto(engine.url + address)
        expect(page.locator("h1")).to_have_text(said)
        page.get_by_role("link", name="To the start").click()
        expect(page.locator(".level").first).to_be_visible()


def test_seats_that_are_gone(engine: Engine, visit: Visit) -> None:
    """The page says so if the game does not exist, or if the seat's token is void."""
    prepared, none = Prepared(engine.url), "0" * 22
    nowhere = prepared.seat() | {"game": none, "token": prepared.tokens[0].replace(prepared.id, none)}
    prepared.lose()
    for seat in (nowhere, prepared.seat()):
        page = visit(kept(**seat))
        page.goto(f"{engine.url}/play/{seat['game']}")
        expect(page.locator("h1")).to_contain_text("not yours any more")


def test_the_time_runs_out_while_a_card_is_held(engine: Engine, sit: Sit) -> None:
    """The clock is shown, and then the end, with its reason."""
    for seconds in (5, 30):  # more for a machine that is too busy to take the card before
        page = sit(Prepared(engine.url, seed=4, clock={"kind": "per-move", "seconds": seconds}))
        timers = page.locator(".clock.running").get_by_role("timer").all_inner_texts()
        if page.locator(".my-turn").count():
            page.locator(".hand-card").first.hover()
            page.mouse.down()
            page.mouse.move(60, 60, steps=4)
        if page.locator(".ghost").count():
            break
    assert [re.fullmatch("0:[0-3][0-9]", timer) is not None for timer in timers] == [True]
    expect(page.locator(".ending")).to_contain_text("The time was up.")
    page.mouse.up()
    expect(page.locator(".ghost")).to_have_count(0)


def test_a_store_that_the_browser_refuses_to_read(engine: Engine, visit: Visit) -> None:
    """The stored text may be anybody's: the page starts all the same."""
    page = visit(
        "if (location.protocol === 'http:') for (const name of ['seats', 'theme', 'language', 'level.migrato']) "
        "localStorage.setItem(`migrato.${name}`, '{]<b>')"
    )
    page.goto(engine.url)
    expect(page.locator(".level").first).to_be_visible()


def told_to(asked: list[str], dialog: Dialog) -> None:
    """Note what a dialog asks."""
    asked.append(dialog.message)
    dialog.dismiss()


def test_a_name_is_text_wherever_it_stands(engine: Engine, visit: Visit) -> None:
    """In the lobby and at the start, at a table, in its log, beside a takeback, at the end, in a replay and a fork."""
    table = {"game": "migo", "seats": [{"kind": "human", "player": HOSTILE}, {"kind": "open"}]}
    access = {"joining": "open", "visibility": "public"}
    requests.post(f"{engine.url}/v1/games", json=table | access, timeout=10).raise_for_status()
    people, first = ("ada", HOSTILE), {"first_seat": 1}
    prepared = Prepared(engine.url, "migo", people=people, visibility="public", options=first)
    prepared.post(1, prepared.legal(1)[0])
    page = visit(kept(**prepared.seat(), names=[HOSTILE]))
    asked: list[str] = []
    page.once("dialog", partial(told_to, asked))
    page.goto(engine.url)
    expect(page.locator(".unfinished").first).to_contain_text(HOSTILE)
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


def test_a_name_at_a_table_of_migrato(engine: Engine, sit: Sit) -> None:
    """It is text; from right to left it is fenced in, so that it does not turn round the score."""
    name = f"{HOSTILE}\u05d3"
    prepared = Prepared(engine.url, people=("ada", name)).play(3)
    page = sit(prepared)
    expect(page.locator(".side.their h2")).to_have_text(f"\u2068{name}\u2069")
    prepared.post(0, {"type": "resign"})
    expect(page.locator(".ending")).to_contain_text(f"\u2068{name}\u2069 wins")
    expect(page.locator(".points")).to_contain_text(name)
    expect(page.locator(".log ol")).to_contain_text(name)
    assert page.locator("img").count() == 0


def test_a_mistake_of_the_page_is_told_at_the_table(engine: Engine, contexts: Contexts) -> None:
    """By its own words, and in the console: it is no refusal, and the table stays."""
    prepared = Prepared(engine.url, seed=4, options={"first_seat": 1})
    with contexts.lent(kept(**prepared.seat()), **USUAL) as (page, errors):
        page.goto(f"{engine.url}/play/{prepared.id}")
        expect(page.locator(".log li")).to_have_count(1)
        page.route(EVENTS, lambda route: route.fulfill(json={"events": 1, "version": 9}))
        prepared.post(1, {"type": "exchange"})
        expect(page.locator(".complaint")).to_contain_text("The page made a mistake")
        expect(page.locator(".table")).to_be_visible()
        assert ["flatMap" in error for error in errors] == [True]


def test_any_mistake_of_the_page_is_told(engine: Engine, contexts: Contexts) -> None:
    """Also one that no part of it expects: over the screen, which stays, with a way to load it again."""
    with contexts.lent(**USUAL) as (page, errors):
        page.goto(engine.url)
        for mistake in ("setTimeout(() => undefined.oops)", "void Promise.reject(new Error('oops'))"):
            expect(page.locator(".level").first).to_be_visible()
            page.evaluate(mistake)
            expect(page.locator(".mistake")).to_contain_text("The page made a mistake")
            expect(page.locator(".level").first).to_be_visible()
            page.get_by_role("button", name="Load the page again").click()
            expect(page.locator(".mistake")).to_have_count(0)
        assert ["oops" in error for error in errors] == [True, True]


def test_a_refusal_is_no_mistake(engine: Engine, sit: Sit) -> None:
    """Events cannot be read for now: the table follows all the same, and tells it with the next state."""
    prepared = Prepared(engine.url, "migo", seed=2, options={"first_seat": 1})
    page = sit(prepared)
    expect(page.locator(".log li")).not_to_have_count(0)
    problem = {"code": "not-found", "title": "Not found", "status": 404}
    page.route(EVENTS, lambda route: route.fulfill(status=404, json=problem))
    prepared.post(1, prepared.legal(1)[0])
    expect(page.locator(".rank li:not(.gone)")).to_have_count(17)
    expect(page.locator(".complaint, .mistake")).to_have_count(0)
    page.unroute_all()
    page.locator(".rank button.lit").first.click()
    expect(page.locator(".log ol")).to_contain_text("bo took")
    expect(page.locator(".log ol")).to_contain_text("You took")


def test_a_seat_that_is_lost_in_mid_game(engine: Engine, sit: Sit) -> None:
    """Its token is void since a moment ago: the next move says so, and the table stays."""
    prepared = Prepared(engine.url, seed=4, options={"first_seat": 0})
    page = sit(prepared)
    expect(page.locator(".my-turn")).to_be_visible()
    prepared.lose()
    page.get_by_role("button", name="Exchange hand").click()
    expect(page.locator("main")).to_contain_text("not yours any more")


def test_a_browser_that_keeps_nothing(engine: Engine, visit: Visit) -> None:
    """As some do that take no cookies: a game can be played all the same, as long as the page is open."""
    page = visit(
        "for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name, "
        "{ get() { throw new DOMException('no', 'SecurityError'); } })"
    )
    page.goto(engine.url)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".table.my-turn")).to_be_visible()
    page.locator("header select").select_option(label="Deutsch")
    expect(page.get_by_role("button", name="Aufgeben")).to_be_visible()
    page.reload()
    expect(page.locator("h1")).to_have_text("You do not sit at this table")


def test_a_wrong_proxy_does_not_take_a_seat_away(engine: Engine, visit: Visit) -> None:
    """Only the engine can say that there is no such game; the page waits for it.

    Neither can a page say so, nor the JSON of another, nor the problem of another.
    """
    answers: list[dict[str, Any]] = [
        {"status": 404, "body": "<h1>Not Found</h1>", "content_type": "text/html"},
        {"status": 404, "json": {"code": "not-found", "status": 404}},
        {"status": 403, "body": "[]", "content_type": "application/problem+json"},
    ]
    prepared = Prepared(engine.url, seed=5).play(4)
    page = visit(kept(**prepared.seat(0)))
    for answer in answers:
        page.goto(engine.url)
        page.route("**/v1/games/**", partial(Route.fulfill, **answer))
        with page.expect_response("**/tickets"):
            page.locator(".unfinished a").click()
        expect(page.locator(".waiting")).to_contain_text("The connection is lost")
        page.unroute("**/v1/games/**")
        expect(page.locator(".table")).to_be_visible()
        assert prepared.tokens[0] in page.evaluate("localStorage.getItem('migrato.seats')")
