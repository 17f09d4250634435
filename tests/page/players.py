"""Somebody at the page, by clicks or by keys."""

import random
import re
import time
from typing import Final, Protocol

from playwright.sync_api import Locator, Page, expect

from tests.page.prepared import Prepared

PATIENCE = 240.0  # seconds for a whole game, on a busy machine
ABLE: Final = ".hand-card.able, .actions button, .options-list button, button.lit"
MARK: Final = "() => { window.marked = document.querySelector('.table')?.innerHTML; }"
# Whether the table is another one than at the mark, or will be soon.
CHANGED: Final = """
    () => new Promise((done) => {
        const look = () => document.querySelector('.table')?.innerHTML !== window.marked && done(true);
        const all = { subtree: true, childList: true, attributes: true, characterData: true };
        new MutationObserver(look).observe(document, all);
        setTimeout(() => done(false), 500);
        look();
    })
"""


class Player(Protocol):
    """Somebody who takes steps in a game."""

    def is_over(self) -> bool:
        """True if the player knows that the game has ended."""

    def may_act(self) -> bool:
        """True if the player is to do something."""

    def step(self) -> bool:
        """Do something: True if that has changed anything."""


class Program:
    """Plays a seat through the API, where one page is enough."""

    def __init__(self, game: Prepared, seat: int) -> None:
        self._game, self._seat = game, seat

    def is_over(self) -> bool:
        """True if the engine has ended the game."""
        return bool(self._game.view()["status"] == "finished")

    def may_act(self) -> bool:
        """True if the engine waits for this seat."""
        return bool(self._game.view()["to_act"] == self._seat)

    def step(self) -> bool:
        """One turn."""
        self._game.play(1, until_turn_of=None)
        return True


class Hands:
    """Plays what the page lights, and nothing else."""

    def __init__(self, page: Page, seed: int = 1, *, by_keys: bool = False) -> None:
        self.page = page
        self._rng, self._by_keys = random.Random(seed), by_keys

    def is_over(self) -> bool:
        """True if the page shows the result."""
        return self.page.locator(".ending").count() > 0

    def may_act(self) -> bool:
        """True if the page waits for this player."""
        return self.page.locator(".table.my-turn").count() > 0

    def step(self) -> bool:
        """One step of a turn."""
        self.page.evaluate(MARK)
        (self._step_by_keys if self._by_keys else self._step_by_clicks)()
        return bool(self.page.evaluate(CHANGED))

    def _step_by_clicks(self) -> None:
        page = self.page
        expect(page.locator(ABLE).first).to_be_visible()  # the page knows what may be done
        if page.locator(".options-list button").count():
            return page.locator(".options-list button").first.click()
        if page.locator(".migo").count():
            cards = page.locator(".rank button.lit")
            return self._any(cards).click() if cards.count() else None
        able = page.locator(".hand-card.able")
        if not able.count():
            return page.locator(".actions button").first.click()
        self._any(able).click()
        lit = page.locator("button.lit")
        if lit.count():
            return self._any(lit).click()
        page.keyboard.press("Escape")
        return None

    def _step_by_keys(self) -> None:
        page, press = self.page, self.page.keyboard.press
        expect(page.locator(ABLE).first).to_be_visible()
        if page.locator(".options-list button").count():
            return press("Enter")
        if page.locator(".migo").count():
            for _ in range(self._rng.randint(1, 3)):
                press("ArrowRight")
            return press("Enter")
        able = [int(card.get_attribute("data-card") or 0) for card in page.locator(".hand-card.able").all()]
        if not able:
            return press("x")
        press(str(self._rng.choice(able) + 1))
        if page.locator("button.lit").count():
            press("ArrowRight")
            return press("Enter")
        press("Escape")
        return press("x") if page.locator(".actions button").count() else None

    def _any(self, found: Locator) -> Locator:
        return found.nth(self._rng.randrange(max(1, found.count())))


def play(*players: "Player", steps: int | None = None) -> int:
    """So many steps, or to the end; how many were made."""
    made, end = 0, time.monotonic() + PATIENCE
    while made != steps and not all(player.is_over() for player in players):
        assert time.monotonic() < end, f"after {made} steps"
        ready = next((player for player in players if player.may_act()), None)
        if ready is None:
            time.sleep(0.02)
            continue
        made += ready.step()
    return made


class Ears:
    """Plays by what a screen reader says: the live region, and the names of buttons. Nothing is looked at."""

    HEARING: Final = """
    window.heard = [];
    new MutationObserver((changes) => {
      for (const { target, addedNodes } of changes)
        if (target.id === "live") for (const { textContent } of addedNodes) window.heard.push(textContent);
    }).observe(document, { subtree: true, childList: true });
    """
    _TURN: Final = ("Your turn: ", "Now choose ")
    _PLACE: Final = re.compile("^(Place it in|Take the|Discard it)")

    def __init__(self, page: Page, address: str, seed: int = 1) -> None:
        """The page runs HEARING at its start."""
        self.page = page
        self.page.goto(address)
        self._rng, self._acted = random.Random(seed), 0

    def heard(self) -> list[str]:
        """All that was said so far."""
        said: list[str] = self.page.evaluate("window.heard")
        return said

    def is_over(self) -> bool:
        """True if the end was told."""
        return "The game is over." in self.heard()

    def may_act(self) -> bool:
        """True if this player was asked for something since the last step."""
        return any(text.startswith(self._TURN) for text in self.heard()[self._acted :])

    def step(self) -> bool:
        """One step of a turn."""
        dialog = self.page.get_by_role("dialog").get_by_role("button", name=re.compile(r"\w"))
        mountain = self._buttons("The climbers")
        if mountain.count():
            self._press(self._any(mountain))
        elif not self._card():
            self._press(self.page.get_by_role("button", name=re.compile("^(Exchange hand|Pass)$")))
        self.page.wait_for_function(
            "before => window.heard.length > before || document.querySelector('dialog[open]')",
            arg=self._acted,
        )
        if dialog.count():
            self._press(dialog.nth(1))  # the first one closes it
        return True

    def _card(self) -> bool:
        """A card of the hand to one of its places; False if none has any."""
        cards = self._buttons("Your hand", re.compile("^Card "))
        for index in self._rng.sample(range(cards.count()), cards.count()):
            before = len(self.heard())
            cards.nth(index).press("Enter")
            self.page.wait_for_function("before => window.heard.length > before", arg=before)
            if "to choose from" in self.heard()[-1]:
                places = self.page.get_by_role("button", name=self._PLACE, disabled=False)
                self._press(self._any(places))
                return True
        self.page.keyboard.press("Escape")
        return False

    def _buttons(self, region: str, name: re.Pattern[str] | None = None) -> Locator:
        return self.page.get_by_role("region", name=region).get_by_role("button", name=name)

    def _any(self, found: Locator) -> Locator:
        return found.nth(self._rng.randrange(max(1, found.count())))

    def _press(self, button: Locator) -> None:
        self._acted = len(self.heard())
        button.press("Enter")
