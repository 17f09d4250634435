"""The tutorial: each of its steps can be done as it says, by clicks or by keys."""

from playwright.sync_api import Page, expect

from tests.page.conftest import Visit
from tests.page.lessons import recorded
from tests.support.engine import Engine
from tests.support.running import ROOT

STEPS = 8
BY_KEYS = (1, 3, 5, 7)  # a card to a new column and to one that is there, a column to another, and the hand
WEB = ROOT / "service/web"


def finished(page: Page) -> bool:
    """True if the step has been done."""
    return page.locator(".lesson-done").count() > 0


def do_by_clicks(page: Page) -> None:
    """Every possible act lights up, and nothing else."""
    able, lit = page.locator(".hand-card.able"), page.locator("button.lit")
    if page.locator(".movable").count() and not page.locator(".staged").count():
        page.locator(".movable").last.click()
    elif able.count():
        able.first.click()
    else:
        page.locator(".actions button").click()
        return
    lit.first.click()


def do_by_keys(page: Page) -> None:
    """The same without a mouse."""
    press = page.keyboard.press
    able = page.locator(".hand-card.able")
    if page.locator(".movable").count() and not page.locator(".staged").count():
        press("b")
    elif able.count():
        press(str(int(able.first.get_attribute("data-card") or 0) + 1))
    else:
        press("x")
        return
    press("Enter")


def test_somebody_new_goes_through_all_of_it(engine: Engine, visit: Visit) -> None:
    """From the start to the wish to play, by clicks and by keys in turn: every step ends as it says, and the last one
    wins the game.
    """
    page = visit(locale="de")
    page.goto(engine.url)
    page.locator(".learn-link").click()
    titles = []
    for number in range(1, STEPS + 1):
        expect(page.locator(".lesson-count")).to_contain_text(f" {number} ")
        expect(page.locator(".my-turn")).to_be_visible()
        titles.append(page.locator("h1").inner_text())
        by_keys = number in BY_KEYS
        for _ in range(3):
            if not finished(page):
                before = page.locator(".table").inner_html()
                (do_by_keys if by_keys else do_by_clicks)(page)
                expect(page.locator(".table")).not_to_have_js_property("innerHTML", before)
                page.wait_for_function("() => document.querySelector('.my-turn, .lesson-done')")
        expect(page.locator(".lesson-done")).to_be_visible()
        assert page.locator(".alert").count() == 0
        if number == STEPS:
            expect(page.locator(".ending h2")).to_contain_text("9 : 6")
        following = page.locator(".lesson .primary")
        expect(following).to_be_focused()
        if by_keys:
            page.keyboard.press("Enter")
        else:
            following.click()
    assert len(set(titles)) == STEPS
    expect(page.locator(".level").first).to_be_visible()


def test_a_step_stays_after_a_reload_and_can_be_repeated_and_skipped(engine: Engine, page: Page) -> None:
    """Its number stands in the address; back and forth as one likes; a card of another step is explained."""
    page.goto(f"{engine.url}/learn#3")
    expect(page.locator("h1")).to_have_text("A flock arrives")
    page.reload()
    expect(page.locator("h1")).to_have_text("A flock arrives")
    page.locator(".hand-card:not(.able)").first.click()
    expect(page.locator(".prompt")).to_contain_text("not in this step")
    page.keyboard.press("Escape")
    do_by_clicks(page)
    expect(page.locator(".prompt")).to_contain_text("discard")
    do_by_clicks(page)
    expect(page.locator("#live")).to_contain_text("Your flock arrived, with 3 points.")
    page.get_by_role("button", name="Once more").click()
    expect(page.locator(".lesson-do")).to_be_visible()
    page.get_by_role("link", name="Skip", exact=True).click()
    expect(page.locator("h1")).to_have_text("Birds of the night")
    page.go_back()
    expect(page.locator("h1")).to_have_text("A flock arrives")
    page.get_by_role("link", name="Back", exact=True).click()
    expect(page.locator("h1")).to_have_text("One below the other")


def test_the_lessons_are_as_the_engine_plays_them(engine: Engine) -> None:
    assert (WEB / "learn/lessons.js").read_text() == recorded(engine.url)
