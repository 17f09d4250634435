"""The seeds that nobody can choose: of bots' chance, and of what is drawn anew for a fork.

Each is the first 8 bytes of HMAC-SHA256 with the game's server seed as key, over

    "bot:" + game id + ":" + v                              for a bot's move at version v of the game
    "hint:" + game id + ":" + v + ":" + seat + ":" + bot    for a hint in a state that came about at version v
    "fork:" + game id                                       for the hidden cards of the new game of that id

So a job that is done again, elsewhere, comes to the same; and once the game is over and its server seed is shown,
anybody can find the bot's move and the fork's position again.
"""

import hmac
from typing import Final

SEED_BYTES: Final = 8


def move_seed(server_seed: bytes, game_id: str, version: int) -> str:
    """The seed of a bot's move, 16 hex digits."""
    return _seed(server_seed, f"bot:{game_id}:{version}")


def hint_seed(server_seed: bytes, game_id: str, version: int, seat: int, bot: str) -> str:
    """The seed of a hint, 16 hex digits."""
    return _seed(server_seed, f"hint:{game_id}:{version}:{seat}:{bot}")


def fork_seed(server_seed: bytes, game_id: str) -> int:
    """The seed by which hidden cards are drawn anew for a new game; `server_seed` and `game_id` are the new game's."""
    return int(_seed(server_seed, f"fork:{game_id}"), 16)


def _seed(server_seed: bytes, purpose: str) -> str:
    return hmac.digest(server_seed, purpose.encode(), "sha256")[:SEED_BYTES].hex()
