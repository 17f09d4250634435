"""Source of a fork; hidden cards are drawn anew, by a seed that follows from the new game's (`events.log.seeds`)."""

from dataclasses import dataclass, field
from typing import Any

from domain.chance import commitment_of
from domain.game import Game
from domain.lifecycle import Fork, Origin, Seat
from events.log.seeds import fork_seed


@dataclass(frozen=True, slots=True)
class ForkSource:
    """A state of another game; with the knowledge of its `seat` where hidden cards are to be drawn anew."""

    origin: Origin
    game: Game
    state: Any = field(repr=False)
    knowledge: Any = field(default=None, repr=False)

    def command(self, game_id: str, seed: bytes, seats: tuple[Seat, ...]) -> Fork:
        """The command that creates the fork with that id, server seed and these seats."""
        state, seat = self.state, self.origin.seat
        if seat is not None:
            state = self.game.resample(state, seat, self.knowledge, fork_seed(seed, game_id))
        return Fork(game_id, commitment_of(seed), seats, self.origin, state)
