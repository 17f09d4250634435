"""Requests to a table besides moves: takebacks, clocks, and settings of their own."""

import re

import pytest
from playwright.sync_api import expect

from tests.page.browser import kept
from tests.page.conftest import Sit, Visit
from tests.page.prepared import Prepared
from tests.service.table import deck
from tests.support.engine import Engine

TONES = (
    "window.tones = 0; const begin = OscillatorNode.prototype.start;"
    "OscillatorNode.prototype.start = function (...at) { window.tones++; return begin.apply(this, at); };"
)


def test_a_move_is_taken_back_once_the_other_agrees(engine: Engine, sit: Sit) -> None:
    """Asked by one, refused at first, asked again and agreed to by the other: also after a reload."""
    game = Prepared(engine.url, "migo", seed=2, options={"first_seat": 0})
    ada, bo = sit(game, 0), sit(game, 1)
    expect(ada.locator(".my-turn")).to_be_visible()
    bo.get_by_role("button", name="Take back").click()
    expect(bo.locator(".complaint")).to_contain_text("no move of yours")
    cards = ada.locator(".rank li:not(.gone)")
    before = cards.count()
    game.post(0, game.legal(0)[0])
    expect(cards).to_have_count(before - 1)
    for place in (".rank", ".gear"):
        expect(bo.locator(f"{place} .last-move")).to_have_count(1)

    ada.get_by_role("button", name="Take back").click()
    expect(bo.locator(".takeback")).to_contain_text("ada: may the last move be taken back?")
    bo.get_by_role("button", name="Refuse").click()
    expect(ada.locator(".log ol")).to_contain_text("bo did not agree: the move stands.")
    expect(bo.locator(".takeback")).to_have_count(0)

    ada.get_by_role("button", name="Take back").click()
    expect(ada.locator(".takeback")).to_contain_text("Still to answer: bo.")
    bo.reload()
    bo.get_by_role("button", name="Agree").click()
    for page in (ada, bo):
        expect(page.locator("#live")).to_contain_text("The move was taken back.")
        expect(page.locator(".rank li:not(.gone)")).to_have_count(before)
        expect(page.locator(".takeback, .last-move")).to_have_count(0)


@pytest.mark.nightly("a page that does not follow who comes and goes, or offers the win to the wrong player")
def test_the_win_is_claimed_from_a_player_who_is_away(engine: Engine, sit: Sit) -> None:
    """The page says that nobody is there, and offers the button once the time is over: to the one who waits alone."""
    game = Prepared(engine.url, "migo", seed=2, options={"first_seat": 0, "claim_after": 10})
    bo = sit(game, 1)
    left = bo.get_by_role("group", name="Claim the win")
    expect(left).to_contain_text("ada has left. If nobody comes back, you can claim the win.")
    ada = sit(game, 0)
    expect(left).to_have_count(0)
    expect(ada.get_by_role("group", name="Claim the win")).to_have_count(0)
    ada.close()
    bo.get_by_role("button", name="Claim the win").click(timeout=60_000)
    expect(bo.locator("main")).to_contain_text("The win was claimed, for somebody had left the game.")
    assert game.view(1)["result"]["places"] == [2, 1]


def test_the_last_move_is_marked(engine: Engine, sit: Sit) -> None:
    """On the board, whoever made it, also after a reload, and when a seat gets a token.

    Before it a card that can go nowhere says why, by its name, and once it is chosen: here a danger.
    """
    game = Prepared(engine.url, setup={"deck": deck(["G5d", "K3d", "B2d", "S3n", "HUN", "T5d"])})
    page, marked = sit(game), ".column.last-move"
    card = page.get_by_role("button", name="Hunter: there is no card that it could take.")
    card.click()
    expect(page.locator(".prompt")).to_have_text("Hunter: there is no card that it could take.")
    game.post(0, {"type": "play", "card": "G5d", "slot": None, "discard": "B2d"})
    expect(page.locator(f".own {marked}")).to_have_attribute("data-place", "own:1")
    with page.expect_response(lambda answer: "/events?after=" in answer.url):
        game.reissue(1)
    expect(page.locator(f".own {marked}")).to_have_attribute("data-place", "own:1")
    game.post(1, {"type": "play", "card": "K3d", "slot": None, "discard": "S3n"})
    expect(page.locator(marked)).to_have_attribute("data-place", "their:1")
    page.reload()
    expect(page.locator(marked)).to_have_attribute("data-place", "their:1")


def test_every_player_sees_all_clocks(engine: Engine, visit: Visit) -> None:
    """The clock of the seat to move runs; the other one stands still.

    Short time has a sign beside it, and a screen reader is told.
    """
    clock = {"kind": "bank", "seconds": 900, "increment": 10}
    game = Prepared(engine.url, seed=4, clock=clock)
    page = visit(kept(**game.seat()), has_clock=True)
    page.goto(f"{engine.url}/play/{game.id}")
    running = page.locator(".own .clock.running")
    expect(running).to_have_text(re.compile(r"1\d:\d\d"))
    expect(page.locator(".their .clock:not(.running)")).to_have_text("15:00")
    expect(page.get_by_role("timer")).to_have_count(2)
    expect(page.locator(".clock svg")).to_have_count(0)
    minutes, seconds = map(int, running.inner_text().split(":"))
    # Or a stream that was silent for so long would be asked for again, and tell the time.
    page.context.set_offline(True)
    page.clock.fast_forward((60 * minutes + seconds - 15) * 1000)
    expect(page.locator("#live")).to_contain_text(re.compile(r"You have \d+ seconds left\."))
    expect(page.locator(".clock.short svg")).to_be_attached()


def test_settings_of_a_player(engine: Engine, sit: Sit) -> None:
    """Nothing sounds before the box is checked; then each turn does, by the browser's own means.

    If the player wants to be asked, a move waits for a word; without it the card stays in the hand.
    """
    game = Prepared(engine.url, seed=4, options={"first_seat": 1})
    page = sit(game, 0, "", TONES)
    game.post(1, {"type": "exchange"})
    expect(page.locator(".log ol")).to_contain_text("bo exchanged the hand")
    exchange = page.get_by_role("button", name="Exchange hand")
    expect(exchange).to_be_visible()  # the table listens to keys
    assert page.evaluate("window.tones") == 0
    page.keyboard.press("?")
    page.get_by_label("Sounds").check()
    page.get_by_label("Ask me before each move is sent").check()
    page.keyboard.press("Escape")
    version = game.view()["version"]
    exchange.click()
    page.locator("dialog").get_by_role("button", name="Back").click()
    expect(page.locator("dialog")).to_have_count(0)
    assert game.view()["version"] == version
    exchange.click()
    page.get_by_role("button", name="Send it").click()
    expect(page.locator(".log ol")).to_contain_text("You exchanged your hand")
    game.post(1, {"type": "exchange"})
    expect(page.locator(".my-turn")).to_be_visible()
    page.evaluate("async () => { while (!window.tones) await new Promise(requestAnimationFrame); }")
