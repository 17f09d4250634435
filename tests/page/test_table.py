"""What people ask of a table besides moves: takebacks, clocks, and settings of their own."""

import re

from playwright.sync_api import Page, expect

from tests.page.browser import seat_kept
from tests.page.conftest import Visit
from tests.page.prepared import Prepared
from tests.processes.engine import Engine

PATIENCE = 40_000  # milliseconds


def seated(engine: Engine, visit: Visit, game: Prepared, seat: int = 0) -> Page:
    """The page of a player."""
    context = visit()
    seat_kept(context, **game.seat(seat))
    page = context.new_page()
    page.goto(f"{engine.url}/play/{game.id}")
    expect(page.locator(".table")).to_be_visible()
    return page


def test_a_move_is_taken_back_once_the_other_agrees(engine: Engine, visit: Visit) -> None:
    """Asked by one, refused at first, asked again and agreed to by the other: also after a reload."""
    game = Prepared(engine.url, "migo", seed=2, options={"first_seat": 0})
    ada, bo = seated(engine, visit, game, 0), seated(engine, visit, game, 1)
    bo.get_by_role("button", name="Take back").click()
    expect(bo.locator(".complaint")).to_contain_text("no move of yours", timeout=PATIENCE)
    cards = ada.locator(".rank li:not(.gone)")
    before = cards.count()
    game.post(0, game.legal(0)[0])
    expect(cards).to_have_count(before - 1, timeout=PATIENCE)

    ada.get_by_role("button", name="Take back").click()
    expect(bo.locator(".takeback")).to_contain_text("ada: may the last move be taken back?", timeout=PATIENCE)
    bo.get_by_role("button", name="Refuse").click()
    expect(ada.locator(".log ol")).to_contain_text("bo did not agree: the move stands.", timeout=PATIENCE)
    expect(bo.locator(".takeback")).to_have_count(0, timeout=PATIENCE)

    ada.get_by_role("button", name="Take back").click()
    expect(ada.locator(".takeback")).to_contain_text("Still to answer: bo.", timeout=PATIENCE)
    bo.reload()
    bo.get_by_role("button", name="Agree").click(timeout=PATIENCE)
    for page in (ada, bo):
        expect(page.locator("#live")).to_contain_text("The move was taken back.", timeout=PATIENCE)
        expect(page.locator(".rank li:not(.gone)")).to_have_count(before, timeout=PATIENCE)
        expect(page.locator(".takeback")).to_have_count(0, timeout=PATIENCE)


def test_every_player_sees_all_clocks(engine: Engine, visit: Visit) -> None:
    """That of whoever is to move runs; the other one stands still. Short time is told by a sign and in words."""
    clock = {"kind": "bank", "seconds": 900, "increment": 10}
    game = Prepared(engine.url, seed=4, clock=clock, options={"first_seat": 0})
    page = seated(engine, visit, game, 1)
    expect(page.get_by_role("timer")).to_have_count(2)
    expect(page.locator(".their .clock.running")).to_have_text(re.compile(r"1\d:\d\d"))
    expect(page.locator(".own .clock:not(.running)")).to_have_text("15:00")
    expect(page.locator(".clock svg")).to_have_count(0)


def test_time_that_is_short(engine: Engine, visit: Visit) -> None:
    """It has a sign beside it, and a screen reader is told, once."""
    clock = {"kind": "per-move", "seconds": 19, "when_up": "bot"}
    game = Prepared(engine.url, seed=4, clock=clock, options={"first_seat": 0})
    page = seated(engine, visit, game)
    told = re.compile(r"You have \d+ seconds left\.")
    expect(page.locator("#live")).to_contain_text(
        told, timeout=3 * PATIENCE
    )  # in this turn or in a later one
    expect(page.locator(".clock.short svg")).to_be_attached(timeout=PATIENCE)


def test_a_player_who_wants_it_is_asked_before_a_move(engine: Engine, visit: Visit) -> None:
    """Only then: the move waits for a word; without it the card stays in the hand."""
    game = Prepared(engine.url, seed=4, options={"first_seat": 0})
    page = seated(engine, visit, game)
    page.keyboard.press("?")
    page.get_by_label("Ask me before each move is sent").check()
    page.keyboard.press("Escape")
    version = game.view()["version"]
    page.get_by_role("button", name="Exchange hand").click()
    page.locator("dialog").get_by_role("button", name="Back").click()
    expect(page.locator("dialog")).to_have_count(0)
    assert game.view()["version"] == version
    page.get_by_role("button", name="Exchange hand").click()
    page.get_by_role("button", name="Send it").click()
    expect(page.locator(".log ol")).to_contain_text("You exchanged your hand", timeout=PATIENCE)


def test_sounds_are_made_by_the_browser_and_only_if_wanted(engine: Engine, visit: Visit) -> None:
    """Nothing sounds before the box is checked; then each turn does."""
    game = Prepared(engine.url, seed=4, options={"first_seat": 1})
    context = visit()
    context.add_init_script(
        "window.tones = 0; const begin = OscillatorNode.prototype.start;"
        "OscillatorNode.prototype.start = function (...at) { window.tones++; return begin.apply(this, at); };"
    )
    seat_kept(context, **game.seat(0))
    page = context.new_page()
    page.goto(f"{engine.url}/play/{game.id}")
    expect(page.locator(".table")).to_be_visible()
    game.post(1, {"type": "exchange"})
    expect(page.locator(".log ol")).to_contain_text("bo exchanged the hand", timeout=PATIENCE)
    assert page.evaluate("window.tones") == 0
    page.keyboard.press("?")
    page.get_by_label("Sounds").check()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Exchange hand").click()
    expect(page.locator(".log ol")).to_contain_text("You exchanged your hand", timeout=PATIENCE)
    game.post(1, {"type": "exchange"})
    expect(page.locator(".my-turn")).to_be_visible(timeout=PATIENCE)
    page.evaluate("async () => { while (!window.tones) await new Promise(requestAnimationFrame); }")
