# compiled into recording
"""The seeds of bots and forks, which nobody can choose: each follows from the game's server seed.

The first 8 bytes of HMAC-SHA256 with the server seed as key, over

    "bot:" + game id + ":" + v                              for a bot's move at version v of the game
    "hint:" + game id + ":" + v + ":" + seat + ":" + bot    for a hint at a state that came about at version v
    "fork:" + game id                                       for hidden cards that are drawn anew for a fork
    "version:" + game id + ":" + bot                        for the version of an app's bot, by their shares

So a repeated job comes to the same move; and once the game is over and shows its server seed, anybody can reproduce the
bot's move.
"""

from collections.abc import Sequence
from typing import Final

from domain.keyed_hash import KeyedHash

SEED_BYTES: Final = 8


WHOLE: Final = 100  # per cent


class Seeds:
    """The seeds of one game's moves and hints, for callers who need many of them."""

    def __init__(self, server_seed: bytes, game_id: str) -> None:
        self._keyed = KeyedHash(server_seed)
        self._moves = KeyedHash(server_seed, f"bot:{game_id}:".encode())
        self._game_id = game_id

    def of_move(self, version: int) -> str:
        """The seed of a bot's move, 16 hex digits."""
        return self._moves.digest(str(version).encode())[:SEED_BYTES].hex()

    def of_hint(self, version: int, seat: int, bot: str) -> str:
        """The seed of a hint, 16 hex digits."""
        return self._seed(f"hint:{self._game_id}:{version}:{seat}:{bot}")

    def of_fork(self) -> str:
        """The seed of a fork, 16 hex digits."""
        return self._seed(f"fork:{self._game_id}")

    def of_version(self, bot: str) -> str:
        """The seed by which the version of a bot is drawn, 16 hex digits."""
        return self._seed(f"version:{self._game_id}:{bot}")

    def _seed(self, purpose: str) -> str:
        return self._keyed.digest(purpose.encode())[:SEED_BYTES].hex()


def move_seed(server_seed: bytes, game_id: str, version: int) -> str:
    """The seed of a bot's move, 16 hex digits."""
    return Seeds(server_seed, game_id).of_move(version)


def hint_seed(server_seed: bytes, game_id: str, version: int, seat: int, bot: str) -> str:
    """The seed of a hint, 16 hex digits."""
    return Seeds(server_seed, game_id).of_hint(version, seat, bot)


def drawn_version(server_seed: bytes, game_id: str, bot: str, parts: Sequence[tuple[int, int]]) -> int:
    """The version of an app's bot that plays in the game; `parts`: versions with their per cents, 100 in all.

    The seed, as a number modulo 100, counts off the per cents in the given order.
    """
    at = int(Seeds(server_seed, game_id).of_version(bot), 16) % WHOLE
    for version, part in parts:
        at -= part
        if at < 0:
            return version
    raise ValueError("The parts are not 100 per cent.")


def fork_seed(server_seed: bytes, game_id: str) -> int:
    """Seed of the drawing of hidden cards for a new game."""
    return int(Seeds(server_seed, game_id).of_fork(), 16)
