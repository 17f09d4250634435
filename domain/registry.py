"""The games there are: the one place, outside of their own folders, that names them."""

from typing import Final

from domain.errors import DomainError
from domain.game import Game
from domain.migrato.game import MIGRATO

GAMES: Final[dict[str, Game]] = {game.name: game for game in (MIGRATO,)}

DEFAULT_GAME: Final = MIGRATO.name  # what is played where nobody says what


def game_named(name: str) -> Game:
    """The game of that name; DomainError "unknown-game" otherwise."""
    if name not in GAMES:
        raise DomainError("unknown-game", f"There is no game {name!r}; there is: {', '.join(GAMES)}.")
    return GAMES[name]
