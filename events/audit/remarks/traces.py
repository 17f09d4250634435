# compiled into recording
"""The options of a game that left no trace: with another value of one of them, every other event would be the same.

An operator who seals a game can change such an option without changing anything else.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from domain.chance import Chance
from domain.common_events.clocks import SET, UP
from domain.errors import DomainError
from domain.game import Game
from domain.lifecycle import Create, EventRecord, PlayBotMove
from domain.options import OptionVariant
from events.audit.infer_commands import created


class Traces:
    """Looks for what another value of an option would have changed, command by command, with the events it caused.

    As long as every event would be the same, so would the state. So it is enough to decide each command alone once
    more, and only where the option could matter.
    """

    def __init__(self, game: Game, chance: Chance) -> None:
        self._game = game
        self._chance = chance
        self._left = list(game.option_variants)
        self._shown_in = frozenset[str]().union(*(variant.shows_in for variant in self._left))
        self._clock = list[str]()

    def command(self, state: Any, seat: int | None, command: Any, encoded: Sequence[EventRecord]) -> None:
        """A command, decided in `state`."""
        kinds = [record.type for record in encoded if record.type in self._shown_in]
        if not kinds:
            return
        if isinstance(command, PlayBotMove):
            command, encoded = command.command, encoded[1:]
        self._left = [
            variant
            for variant in self._left
            if variant.shows_in.isdisjoint(kinds) or not self._differs(state, seat, command, encoded, variant)
        ]

    def clock(self, kind: str) -> None:
        """An event of the game's clock, which leaves a trace where somebody's time is up."""
        if kind == SET:
            self._clock = ["clock"]
        elif kind == UP:
            self._clock = []

    def missing(self) -> list[str]:
        """The options that left no trace."""
        return sorted({variant.option for variant in self._left}.union(self._clock))

    def _differs(
        self,
        state: Any,
        seat: int | None,
        command: Any,
        encoded: Sequence[EventRecord],
        variant: OptionVariant,
    ) -> bool:
        """True if the command would have caused other events in a game with the other value."""
        try:
            if isinstance(command, Create):
                other = replace(command, options=variant.options(command.options))
                events = created(self._game, state, other, self._chance)[1:]
                encoded = encoded[1:]
            else:
                events = list(self._game.decide(variant.state(state), seat, command, self._chance))
        except DomainError:
            return True
        if len(events) != len(encoded):
            return True
        for at, event in enumerate(events):
            would, did = self._game.encode(event), encoded[at]
            if would.type != did.type or would.seat != did.seat or would.data != did.data:
                return True
        return False
