"""What a fork goes on from, and the chance by which hidden cards are drawn anew for it.

That chance is seeded by the first 8 bytes of HMAC-SHA256 with the new game's server seed as key, over "fork:" + the new
game's id.
"""

import hmac
from dataclasses import dataclass, field
from typing import Any

from domain.chance import commitment_of
from domain.game import Game
from domain.lifecycle import Fork, Origin, Seat

SEED_BYTES = 8


@dataclass(frozen=True, slots=True)
class ForkSource:
    """What a new game goes on from: a state of another and what its seat remembers, where it is to be drawn anew."""

    origin: Origin
    game: Game
    state: Any = field(repr=False)
    memory: Any = field(default=None, repr=False)

    def command(self, game_id: str, seed: bytes, seats: tuple[Seat, ...]) -> Fork:
        """What creates the new game of that id, server seed and seats."""
        state, seat = self.state, self.origin.seat
        if seat is not None:
            state = self.game.resample(state, seat, self.memory, fork_seed(seed, game_id))
        return Fork(game_id, commitment_of(seed), seats, self.origin, state)


def fork_seed(server_seed: bytes, game_id: str) -> int:
    """What seeds the drawing of hidden cards for a new game."""
    digest = hmac.digest(server_seed, f"fork:{game_id}".encode(), "sha256")
    return int.from_bytes(digest[:SEED_BYTES], "big")
