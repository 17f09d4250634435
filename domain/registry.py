"""The registry of games: the only module outside their own folders that names them."""

from collections.abc import Mapping
from typing import Final

from domain.errors import DomainError
from domain.game import Game
from domain.migo.game import MIGO
from domain.migrato.game import MIGRATO

GAMES: Final[dict[str, Game]] = {game.name: game for game in (MIGRATO, MIGO)}

DEFAULT_GAME: Final = MIGRATO.name  # the default game


def game_named(name: str, games: Mapping[str, Game] = GAMES) -> Game:
    """The game of that name among `games`; DomainError "unknown-game" if there is none."""
    if name not in games:
        raise DomainError("unknown-game", f"There is no game {name!r}; there is: {', '.join(games)}.")
    return games[name]
