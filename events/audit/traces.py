"""The options of a game that left no trace: with another value of one of them, every other event would be the same.

Whoever seals a game can change such an option, and nothing else has to be changed with it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from domain.chance import Chance
from domain.errors import DomainError
from domain.game import Game
from domain.lifecycle import Create, EventRecord, PlayBotMove
from domain.migrato.rules.rule_books import RULE_BOOKS, TURN_CAP, Rules, options_document, resolve
from domain.migrato.rules.state import Setup, setup_of
from events.audit.infer_commands import created


class Traces:
    """Looks at each command of a game, with the events that it caused, for what another rule would have changed.

    As long as no event would have been another one, the game stands where it would stand. So it is enough to decide
    each command alone once more, and only where the rule could matter.
    """

    def __init__(self, game: Game, chance: Chance) -> None:
        self._game = game
        self._chance = chance
        self._otherwise = {
            (option, number): (kinds, other)
            for option, (kinds, others) in _OTHERWISE[game.name].items()
            for number, other in enumerate(others)
        }
        self._shown_in = {kind for kinds, _ in self._otherwise.values() for kind in kinds}
        self._setups: dict[tuple[str, int], tuple[Setup, Setup]] = {}

    def command(self, state: Any, seat: int | None, command: Any, encoded: Sequence[EventRecord]) -> None:
        """A command, decided in `state`."""
        kinds = [wire.type for wire in encoded if wire.type in self._shown_in]
        if not kinds:
            return
        if isinstance(command, PlayBotMove):
            command, encoded = command.command, encoded[1:]
        for other, (concerned, _) in list(self._otherwise.items()):
            if not concerned.isdisjoint(kinds) and self._differs(state, seat, command, encoded, other):
                del self._otherwise[other]

    def missing(self) -> list[str]:
        """The options that left no trace."""
        return sorted({option for option, _ in self._otherwise})

    def _differs(
        self,
        state: Any,
        seat: int | None,
        command: Any,
        encoded: Sequence[EventRecord],
        which: tuple[str, int],
    ) -> bool:
        try:
            if isinstance(command, Create):
                rules = options_document(self._otherwise[which][1](resolve(command.options)))
                events = created(self._game, state, replace(command, options=rules), self._chance)[1:]
                encoded = encoded[1:]
            else:
                other = state._replace(setup=self._other_setup(setup_of(state), which))
                events = list(self._game.decide(other, seat, command, self._chance))
        except DomainError:
            return True
        return [self._game.encode(event) for event in events] != list(encoded)

    def _other_setup(self, setup: Setup, which: tuple[str, int]) -> Setup:
        """The same with another value of the option; made once, for it hardly ever changes."""
        known = self._setups.get(which)
        if known is None or known[0] is not setup:
            rules = self._otherwise[which][1](setup.rules)
            known = self._setups[which] = (setup, replace(setup, rules=rules))
        return known[1]


# --- Migrato --------------------------------------------------------------------------------------------------------


def _other_book(rules: Rules) -> Rules:
    book = next(book for book in RULE_BOOKS if book != rules.book)
    return replace(rules, book=book, movement=RULE_BOOKS[book].movement, sweep=RULE_BOOKS[book].sweep)


def _other_first_seat(rules: Rules) -> Rules:
    """Drawn; a seat that was drawn could always have been named instead."""
    return rules if rules.first_seat == "random" else replace(rules, first_seat="random")


def _other_limit(rules: Rules) -> Rules:
    return replace(rules, turn_limit=_LONGEST if rules.turn_limit is None else None)


def _limit_as_the_cap(rules: Rules) -> Rules:
    """A limit where the cap is ends the game as the cap does."""
    return replace(rules, turn_limit=(rules.turn_cap if rules.turn_limit is None else None) or _LONGEST)


def _other_cap(rules: Rules) -> Rules:
    """None: in games of former releases there was none."""
    return replace(rules, turn_cap=TURN_CAP if rules.turn_cap is None else None)


def _other_flights(rules: Rules) -> Rules:
    return replace(rules, return_flight=not rules.return_flight)


def _other_aid(rules: Rules) -> Rules:
    return replace(rules, memory_aid=not rules.memory_aid)


_LONGEST: Final = 100_000
_Otherwise = Callable[[Rules], Rules]
# By option: the events in which another value could show, and the rules with each value that is tried.
_MIGRATO: Final[dict[str, tuple[frozenset[str], tuple[_Otherwise, ...]]]] = {
    "rules": (frozenset(("cards_moved", "birds_arrived")), (_other_book,)),
    "return_flight": (frozenset(("birds_arrived", "return_flight_taken")), (_other_flights,)),
    "memory_aid": (frozenset(), (_other_aid,)),
    "first_seat": (frozenset(("game_started",)), (_other_first_seat,)),
    "turn_limit": (frozenset(("game_ended",)), (_other_limit, _limit_as_the_cap)),
    "turn_cap": (frozenset(("game_ended",)), (_other_cap,)),
}
_OTHERWISE: Final = {"migrato": _MIGRATO}
