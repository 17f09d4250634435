"""A player's first needs are in view, without scrolling, in every language."""

from collections.abc import Iterator
from itertools import product
from typing import Final

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.page.browser import kept, settle
from tests.page.conftest import Sit, Visit
from tests.page.prepared import Prepared
from tests.page.screens import DESKTOP, PHONE
from tests.processes.engine import Engine

LANGUAGES: Final = ("en", "fr", "de")


def looks(page: Page, *sizes: ViewportSize) -> Iterator[ViewportSize]:
    """The page as it is, in each language and size."""
    for size, language in product(sizes, LANGUAGES):
        page.set_viewport_size(size)
        page.locator("header select").select_option(language)
        expect(page.locator("html")).to_have_attribute("lang", language)
        settle(page)
        yield size


@pytest.mark.parametrize("address", ["/", "/#migo"])
def test_the_button_that_begins_a_game(engine: Engine, visit: Visit, address: str) -> None:
    """Below as many levels as there are, and below games that were left; on a phone it stays above the list."""
    page = visit(kept(game="0" * 22, kind="migrato", seat=0, token="")).new_page()
    page.goto(engine.url + address)
    expect(page.locator(".unfinished")).to_be_visible()
    expect(page.locator(".level").last).to_be_attached()
    button = page.locator(".panel > .primary")
    for _ in looks(page, DESKTOP, PHONE):
        is_in_view(page, button)
    page.evaluate("localStorage.setItem('migrato.seats', '[]')")
    page.reload()
    expect(page.locator(".level").last).to_be_attached()
    for _ in looks(page, PHONE):
        box, first = button.bounding_box(), page.locator(".level").first.bounding_box()
        assert box is not None
        assert first is not None
        assert box["y"] + box["height"] <= first["y"]


def test_the_hand_and_what_can_be_done_with_it(engine: Engine, sit: Sit) -> None:
    """With a clock, return flights, and everything on the table that takes room."""
    options = {"return_flight": True, "memory_aid": True}
    clock = {"kind": "bank", "seconds": 900, "increment": 10}
    page = sit(Prepared(engine.url, seed=11, options=options, clock=clock).play(46))
    exchange = page.locator(".actions button")
    for _ in looks(page, DESKTOP, PHONE):
        expect(exchange).to_have_count(1)
        is_in_view(page, exchange)
        page.locator(".hand-card.able").first.click()
        expect(page.locator(".hand-card.held")).to_have_count(1)
        for button in page.locator(".actions button, .hand-card").all():
            is_in_view(page, button)
        page.keyboard.press("Escape")
        expect(page.locator(".hand-card.held")).to_have_count(0)


def test_a_lesson_with_its_cards(engine: Engine, page: Page) -> None:
    """The text of a lesson, and the card to do it with."""
    page.goto(f"{engine.url}/learn")
    expect(page.locator(".hand-card.able")).to_have_count(1)
    for _ in looks(page, PHONE):
        is_in_view(page, page.locator(".lesson-do"))
        is_in_view(page, page.locator(".hand-card.able svg.card"))


def test_a_replay_shows_both_sides(engine: Engine, page: Page) -> None:
    """On a phone the bar of the player covers no column, while they are short."""
    told = Prepared(engine.url, seed=8, visibility="public").play(12)
    page.goto(f"{engine.url}/games/{told.id}")
    expect(page.locator(".player-bar")).to_be_visible()
    for _ in looks(page, PHONE):
        for side in page.locator(".shown .side").all():
            cards = side.locator(".column svg")
            assert cards.count() > 0
            for card in cards.all():
                is_in_view(page, card)


def is_in_view(page: Page, found: Locator) -> None:
    """All of it lies within the window, which nobody has scrolled, and nothing lies over it."""
    found.evaluate("element => Promise.all(element.getAnimations().map(({finished}) => finished))")
    box = found.bounding_box()
    size = page.viewport_size
    assert box is not None
    assert size is not None
    assert page.evaluate("scrollY") == 0
    assert box["x"] >= 0
    assert box["y"] >= 0
    assert box["x"] + box["width"] <= size["width"]
    assert box["y"] + box["height"] <= size["height"]
    middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    assert found.evaluate("(element, at) => element.contains(document.elementFromPoint(...at))", middle)
