"""What a bot is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from domain.migrato.moves import Move
from domain.migrato.observation import Observation


class Rng(Protocol):
    """Where a bot's chance comes from; `random.Random` fits."""

    def randrange(self, stop: int, /) -> int:
        """A number from 0 to stop - 1."""


@dataclass(frozen=True, slots=True)
class Bot:
    """A named opponent; `choose` gives one of the observation's legal moves, the same for the same chance."""

    name: str
    version: str
    description: str
    choose: Callable[[Observation, Rng], Move]
