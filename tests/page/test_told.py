"""News of a game: by a live region for people who see nothing, and by motion for those who want it."""

import json
import re

import pytest
from playwright.sync_api import Route, expect

from tests.page.browser import kept, move
from tests.page.conftest import Sit, Visit
from tests.page.players import Ears, Program, play
from tests.page.prepared import Json, Prepared
from tests.service.table import deck
from tests.support.engine import Engine


@pytest.mark.parametrize(("game", "before"), [("migrato", 16), ("migo", 8)])
def test_a_game_by_what_a_screen_reader_says(engine: Engine, visit: Visit, game: str, before: int) -> None:
    """To the last word; every event is told, in its order, and whose turn it is."""
    prepared = Prepared(engine.url, game, seed=3, options={"turn_limit": 12}).play(before)
    page = visit(Ears.HEARING, kept(**prepared.seat()))
    player = Ears(page, f"{engine.url}/play/{prepared.id}")
    expect(page.locator(".log li").first).to_be_attached()
    told = page.locator(".log li").count()
    play(player, Program(prepared, 1))
    expect(page.locator("#live")).to_contain_text(" : ")
    heard = iter(player.heard())
    lines = page.locator(".log li").all_text_contents()
    assert len(lines) > 6
    assert [line for line in lines[told:] if line not in heard] == []


FLOWN = """
window.flown = [];
const animate = Element.prototype.animate;
Element.prototype.animate = function (frames, how) {
  if (this.className === "flying") window.flown.push({
    cards: this.querySelectorAll(".small-card").length,
    drawn: this.innerHTML.match(/#[a-z_]+/g) ?? [],
    word: this.querySelector(".flying-word")?.textContent ?? "",
    places: new Set(frames.map(({ transform }) => transform.replace(/ scale.*/, ""))).size,
  });
  return animate.call(this, frames, how);
};
"""
EXCHANGE = {"type": "exchange"}


def placed(card: str, discard: str, slot: int | None = None) -> Json:
    """A bird into a column."""
    return {"type": "play", "card": card, "slot": slot, "discard": discard}


STORIES = {  # the first cards of the deck, what was played before, and what is seen
    "a flock arrives": (
        "T5d K3d G3n K3d HUN B1d T3d",
        [placed("T5d", "HUN"), EXCHANGE],
        placed("T3d", "G3n", 1),
    ),
    "a column fails": ("S3n K3d T2n K3d HUN B1d", [placed("S3n", "HUN"), EXCHANGE], placed("T2n", "K3d", 1)),
    "a theft": (
        "HUN K3d G3n B4d G4n B1d",
        [placed("G3n", "G4n"), placed("K3d", "B4d")],
        {"type": "danger", "card": "HUN", "target": {"slot": 1}},
    ),
    "a reshuffle": ("", [EXCHANGE] * 16, EXCHANGE),
}

SEEN = {
    "a flock arrives": "({ cards, drawn }) => cards === 2 && drawn.includes('#teal')",
    "a column fails": "({ cards, word }) => cards === 2 && word === 'No flock!'",
    "a theft": "({ drawn }) => drawn.includes('#black_kite')",
    "a reshuffle": "({ word }) => word === 'Shuffled'",
}


@pytest.mark.parametrize(
    ("motion", "stories"), [("no-preference", [*STORIES]), ("reduce", ["a column fails"])]
)
def test_events_are_told_by_motion(engine: Engine, visit: Visit, motion: str, stories: list[str]) -> None:
    """Cards go from where they were to where they belong; with reduced motion they stay in one place, and fade."""
    page = visit(FLOWN, reduced_motion=motion)
    page.goto(f"{engine.url}/proof")
    for story in stories:
        beginning, before, last = STORIES[story]
        game = Prepared(engine.url, setup={"deck": deck(beginning.split())})
        for number, made in enumerate(before):
            game.post(number % 2, made)
        move(page, f"/play/{game.id}", json.dumps([{"names": [], "at": 1795000000000, **game.seat()}]))
        page.evaluate("window.flown.length = 0")  # that table is gone
        expect(page.locator(".log li").first).to_be_attached()
        assert page.evaluate("window.flown") == []
        if last["type"] == "play":
            last = last | {"discard": game.view()["state"]["players"][0]["hand"][-1]}
        game.post(0, last)
        flown = page.wait_for_function(f"() => window.flown.some({SEEN[story]}) && window.flown").json_value()
        assert {one["places"] > 1 for one in flown} == {motion == "no-preference"}


def test_the_other_moves_before_the_own_move_is_told(engine: Engine, sit: Sit) -> None:
    """The events that the page reads are newer than its state: it is told all the same whose turn it is."""
    game = Prepared(engine.url, seed=4, options={"first_seat": 0})
    page = sit(game)
    expect(page.locator("#live p").last).to_contain_text("Your turn: ")

    def overtaken(route: Route) -> None:
        if game.view()["to_act"] == 1:
            game.post(1, EXCHANGE)
        route.continue_()

    page.route(re.compile(r"/events\?after"), overtaken)
    page.get_by_role("button", name="Exchange hand").click()
    expect(page.locator(".log ol")).to_contain_text("bo exchanged the hand")
    expect(page.locator("#live p").last).to_contain_text("Your turn: ")


def test_a_card_of_migo_goes_to_whoever_takes_it(engine: Engine, sit: Sit) -> None:
    """The card is drawn on its way to the player who takes it."""
    game = Prepared(engine.url, "migo", seed=2, options={"first_seat": 0})
    page = sit(game, 0, "", FLOWN, reduced_motion="no-preference")
    page.get_by_role("region", name="The climbers").get_by_role("button").first.click()
    page.wait_for_function("() => window.flown.length > 0")
    (flown,) = page.evaluate("window.flown")
    assert (flown["cards"], flown["places"]) == (1, 2)
