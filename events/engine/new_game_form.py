"""The form in which this process records new games: the newest that every process on the store can read."""

from typing import Final

from events.log.chain import SEALS


class NewGames:
    """The form of new games' commitments (`events.log.chain`), and whether new games may have apps' own bots and a
    budget for each seat. Both change as other processes start and stop.
    """

    def __init__(self, seals: int = SEALS, has_bots: bool = True) -> None:
        self.seals = seals
        self.has_bots = has_bots


NEW_GAMES: Final = NewGames()
