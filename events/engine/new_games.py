"""The form in which this process records new games: the newest that all processes on the store read."""

from typing import Final

from events.log.chain import SEALS


class NewGames:
    """The form of new games' commitments (`events.log.chain`); it changes when other processes come and go."""

    def __init__(self, seals: int = SEALS) -> None:
        self.seals = seals


NEW_GAMES: Final = NewGames()
