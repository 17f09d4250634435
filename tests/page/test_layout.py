"""What a player needs first is in view, without scrolling."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.page.browser import seat_kept
from tests.page.conftest import Visit
from tests.page.prepared import Prepared
from tests.processes.engine import Engine

DESKTOP, PHONE = {"width": 1280, "height": 860}, {"width": 360, "height": 740}
SIZES = pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
LOCALES = pytest.mark.parametrize("locale", ["en", "fr", "de"])


@SIZES
@LOCALES
@pytest.mark.parametrize("address", ["/", "/#migo"])
def test_the_button_that_begins_a_game(
    engine: Engine, visit: Visit, address: str, locale: str, viewport: dict[str, int]
) -> None:
    """Below as many levels as there are, and below games that were left."""
    context = visit(viewport=viewport, locale=locale)
    seat_kept(context, game="0" * 22, kind="migrato", seat=0, token="")
    page = context.new_page()
    page.goto(engine.url + address)
    expect(page.locator(".unfinished")).to_be_visible()
    expect(page.locator(".level").last).to_be_attached()
    is_in_view(page, page.locator(".panel > .primary"))


@SIZES
@LOCALES
def test_the_hand_and_what_can_be_done_with_it(
    engine: Engine, visit: Visit, locale: str, viewport: dict[str, int]
) -> None:
    """With a clock, return flights, and everything on the table that takes room."""
    options = {"return_flight": True, "memory_aid": True}
    clock = {"kind": "bank", "seconds": 900, "increment": 10}
    prepared = Prepared(engine.url, seed=11, options=options, clock=clock).play(46)
    context = visit(viewport=viewport, locale=locale)
    seat_kept(context, **prepared.seat())
    page = context.new_page()
    page.goto(f"{engine.url}/play/{prepared.id}")
    expect(page.locator(".actions button")).to_have_count(1)  # to exchange the hand
    is_in_view(page, page.locator(".actions button"))
    page.locator(".hand-card.able").first.click()
    expect(page.locator(".hand-card.held")).to_have_count(1)
    for button in page.locator(".actions button, .hand-card").all():
        is_in_view(page, button)


@LOCALES
def test_a_lesson_with_its_cards(engine: Engine, visit: Visit, locale: str) -> None:
    """What a lesson tells to do, and the card to do it with."""
    page = visit(viewport=PHONE, locale=locale).new_page()
    page.goto(f"{engine.url}/learn")
    expect(page.locator(".hand-card.able")).to_have_count(1)
    is_in_view(page, page.locator(".lesson-do"))
    is_in_view(page, page.locator(".hand-card.able svg.card"))


@LOCALES
def test_nothing_covers_a_level(engine: Engine, visit: Visit, locale: str) -> None:
    """On a phone the button that begins a game stays above the list."""
    page = visit(viewport=PHONE, locale=locale).new_page()
    page.goto(engine.url)
    expect(page.locator(".level").last).to_be_attached()
    button, first = (
        page.locator(".panel > .primary").bounding_box(),
        page.locator(".level").first.bounding_box(),
    )
    assert button is not None
    assert first is not None
    assert button["y"] + button["height"] <= first["y"]


@LOCALES
def test_a_replay_shows_both_sides(engine: Engine, visit: Visit, locale: str) -> None:
    """On a phone the bar of the player covers no column, while they are short."""
    told = Prepared(engine.url, seed=8, visibility="public").play(12)
    page = visit(viewport=PHONE, locale=locale).new_page()
    page.goto(f"{engine.url}/games/{told.id}")
    expect(page.locator(".player-bar")).to_be_visible()
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
