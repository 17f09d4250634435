"""The form in which this process records new games: the newest that all processes on the store read."""

from typing import Final

from events.log.chain import SEALS


class NewGames:
    """The form of new games' commitments (`events.log.chain`), and whether they may have apps' own bots and budgets of
    seats; it changes when other processes come and go.
    """

    def __init__(self, seals: int = SEALS, has_bots: bool = True) -> None:
        self.seals = seals
        self.has_bots = has_bots


NEW_GAMES: Final = NewGames()
