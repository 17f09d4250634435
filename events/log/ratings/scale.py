"""The scale of ratings: as everybody begins, and how bots stand on it whose strength was measured."""

from typing import Final

from domain.game import Game

MEAN: Final = 25.0  # of whoever has not played yet
POINTS: Final = (
    29.481  # Elo points of a unit: with 400 of them, as the model has it, ten games are won for one lost
)
SEATS: Final = 2  # of the games in which strengths are measured


def bot_elo(game: Game, bot: str, seats: int) -> int | None:
    """By how many Elo points the bot is stronger than who has not played yet; None where nobody has measured that."""
    strength = game.strengths.get(bot) if seats == SEATS else None
    return None if strength is None else strength.elo - game.newcomer_elo


def mean_of(elo: int) -> float:
    """The mean of whoever is so much stronger than who has not played yet."""
    return round(MEAN + elo / POINTS, 2)
