"""The seeds of bots and forks, which nobody can choose: each follows from the game's server seed.

The first 8 bytes of HMAC-SHA256 with the server seed as key, over

    "bot:" + game id + ":" + v                              for a bot's move at version v of the game
    "hint:" + game id + ":" + v + ":" + seat + ":" + bot    for a hint at a state that came about at version v
    "fork:" + game id                                       for hidden cards that are drawn anew for a fork

so a job that is done again, elsewhere, comes to the same; and once the game is over and its server seed is shown,
anybody can find the bot's move again.
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
    """What seeds the drawing of hidden cards for a new game, of which both are."""
    return int(_seed(server_seed, f"fork:{game_id}"), 16)


def _seed(server_seed: bytes, purpose: str) -> str:
    return hmac.digest(server_seed, purpose.encode(), "sha256")[:SEED_BYTES].hex()
