"""The options of a game that left no trace: with another value of one of them, every other event would be the same.

Whoever seals a game can change such an option, and nothing else has to be changed with it.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from domain.chance import Chance
from domain.decider import Game
from domain.errors import DomainError
from domain.lifecycle import Chosen, Create, Score, TakeHint, Wire
from domain.migrato.rules import RULE_BOOKS, Rules, options_document, resolve
from domain.migrato.state import setup_of
from events.audit.retrace import created


class Traces:
    """Looks at each command of a game, with the events that it caused, for what another rule would have changed.

    As long as no event would have been another one, the game stands where it would stand. So it is enough to decide
    each command alone once more, and only where the rule could matter.
    """

    def __init__(self, game: Game, chance: Chance) -> None:
        self._game = game
        self._chance = chance
        self._left = dict(_OTHERWISE[game.name])

    def command(self, state: Any, seat: int | None, command: Any, encoded: Sequence[Wire]) -> None:
        """A command, decided in `state`."""
        if isinstance(command, Chosen):
            command, encoded = command.command, encoded[1:]
        if isinstance(command, (Score, TakeHint)):
            return
        kinds = {wire.type for wire in encoded}
        for option, (concerned, otherwise) in list(self._left.items()):
            if kinds & concerned and self._differs(state, seat, command, encoded, otherwise):
                del self._left[option]

    def missing(self) -> list[str]:
        """The options that left no trace."""
        return sorted(self._left)

    def _differs(
        self,
        state: Any,
        seat: int | None,
        command: Any,
        encoded: Sequence[Wire],
        otherwise: Callable[[Rules], Rules],
    ) -> bool:
        if isinstance(command, Create):
            rules = options_document(otherwise(resolve(command.options)))
            events = created(self._game, state, replace(command, options=rules), self._chance)
            return [self._game.encode(event) for event in events[1:]] != list(encoded[1:])
        setup = setup_of(state)
        other = state._replace(setup=replace(setup, rules=otherwise(setup.rules)))
        try:
            events = list(self._game.decide(other, seat, command, self._chance))
        except DomainError:
            return True
        return [self._game.encode(event) for event in events] != list(encoded)


# --- Migrato --------------------------------------------------------------------------------------------------------


def _other_book(rules: Rules) -> Rules:
    book = next(book for book in RULE_BOOKS if book != rules.book)
    return replace(rules, book=book, movement=RULE_BOOKS[book].movement, sweep=RULE_BOOKS[book].sweep)


def _other_first_seat(rules: Rules) -> Rules:
    """Drawn; a seat that was drawn could always have been named instead."""
    return rules if rules.first_seat == "random" else replace(rules, first_seat="random")


def _other_limit(rules: Rules) -> Rules:
    return replace(rules, turn_limit=_LONGEST if rules.turn_limit is None else None)


def _other_flights(rules: Rules) -> Rules:
    return replace(rules, return_flight=not rules.return_flight)


def _other_aid(rules: Rules) -> Rules:
    return replace(rules, memory_aid=not rules.memory_aid)


_LONGEST: Final = 100_000
_Otherwise = Callable[[Rules], Rules]
# By option: the events in which another value could show, and the rules with another value.
_MIGRATO: Final[dict[str, tuple[frozenset[str], _Otherwise]]] = {
    "rules": (frozenset(("cards_moved", "birds_arrived")), _other_book),
    "return_flight": (frozenset(("birds_arrived", "return_flight_taken")), _other_flights),
    "memory_aid": (frozenset(), _other_aid),
    "first_seat": (frozenset(("game_started",)), _other_first_seat),
    "turn_limit": (frozenset(("game_ended",)), _other_limit),
}
_OTHERWISE: Final = {"migrato": _MIGRATO}
