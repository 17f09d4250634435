"""The clock of a game that runs: what its events say of it must fit; which deadlines there were is not known yet."""

from typing import Any

from domain.annotations import BEFORE_A_MOVE
from domain.clocks.clock import SHORTEST, most_lost
from domain.clocks.options import BOT
from domain.common_events.clocks import CREDIT, FORMER_SET, INSTEAD, SET, SET_SCHEMA, UP
from domain.interventions import REPLACEMENT
from domain.lifecycle import Json
from events.audit.clocks import CHECK, NOT_FORMER, NOT_UP, TOO_MUCH, may_be_former
from events.audit.counts import CheckCounts
from events.audit.findings import CheckFailed
from events.times import milliseconds_of


class ShownClock:
    """The clock of one game, event by event."""

    def __init__(self, counts: CheckCounts) -> None:
        self._counts = counts
        self._began = ""
        self._may_be_former = False
        self._credited = 0  # milliseconds of all turns
        self._clock: Json | None = None
        self._up: Json | None = None  # the last turn that timed out
        self._is_due = False  # what comes of it

    def check(self, document: Json) -> None:
        """Take one more event, as a viewer sees it; its form is right. Raises CheckFailed."""
        kind, version, data = document["type"], document["version"], document["data"]
        if not self._began:
            self._began, self._may_be_former = document["at"], may_be_former(data)
        if kind == SET and (self._clock is not None or document["at"] != self._began):
            raise CheckFailed(CHECK, version, "The clock is set later than at the game's creation.")
        if kind == SET and document["schema"] == FORMER_SET and not self._may_be_former:
            raise CheckFailed(CHECK, version, NOT_FORMER, SET_SCHEMA, document["schema"])
        if kind in (UP, CREDIT) and self._clock is None:
            raise CheckFailed(CHECK, version, "The game has no clock.", None, kind)
        if self._is_due or (kind == BEFORE_A_MOVE and data.get("fallback") == INSTEAD):
            self._check_consequence(document)
        if kind == SET:
            self._clock = data
        elif kind == UP:
            self._check_time(document)
        elif kind == CREDIT:
            self._check_credit(document)

    def end(self, version: int) -> None:
        """End the check: there are no more events."""
        if self._is_due:
            raise CheckFailed(CHECK, version, "A seat's time was up, but the consequence does not follow.")

    def _check_time(self, document: Json) -> None:
        """Check that time is up at the deadline that the event names, and that the clock's consequence follows."""
        assert self._clock is not None
        data, at, version = document["data"], document["at"], document["version"]
        if at < str(data.get("deadline")):
            raise CheckFailed(
                CHECK,
                version,
                "The event says that the seat's time was up, and it was not.",
                data.get("deadline"),
                at,
            )
        when_up = self._clock.get("when_up")
        if data.get("when_up") != when_up:
            what = "Time is up, but the consequence is not the one that the clock names."
            raise CheckFailed(CHECK, version, what, when_up, data.get("when_up"))
        self._up, self._is_due = document, True
        self._counts.passed(CHECK)

    def _check_credit(self, document: Json) -> None:
        """Check that no more time is given back in all than outages can have taken since the game began."""
        data, version = document["data"], document["version"]
        self._credited += data["milliseconds"]
        most = most_lost(milliseconds_of(data["until"]) - milliseconds_of(self._began))
        if data["milliseconds"] < most_lost(SHORTEST) or self._credited > most:
            found = f"{self._credited} ms in all"
            raise CheckFailed(CHECK, version, TOO_MUCH, f"{most_lost(SHORTEST)} to {most} ms, in all", found)

    def _check_consequence(self, document: Json) -> None:
        if self._up is None or self._clock is None:
            raise CheckFailed(CHECK, document["version"], NOT_UP, None, document["at"])
        bot, data = self._clock.get("bot"), document["data"]
        found = (document["type"], document["seat"], data.get("bot"), data.get("fallback"))
        expected: tuple[Any, ...]
        if self._clock.get("when_up") == BOT:
            expected = (BEFORE_A_MOVE, self._up["seat"], bot, INSTEAD)
        else:
            expected = (REPLACEMENT, self._up["seat"], bot, None)
        if found != expected:
            what = "Time is up, but the consequence is not the one that the clock names."
            raise CheckFailed(CHECK, document["version"], what, expected, found)
        self._is_due = False
