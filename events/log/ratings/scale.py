"""The scale of ratings: the rating of a new player, and of bots with a measured strength."""

from typing import Final

from domain.game import Bots

MEAN: Final = 25.0  # of a new player
DEVIATION: Final = 8.333333
POINTS: Final = (
    29.481  # Elo points of a unit: with 400 of them, as the model has it, ten games are won for one lost
)
KNOWN: Final = 1.5  # the deviation of bots, and of whoever is known as well as the model knows anybody
CERTAIN: Final = 3  # a strength is as good as certain so many deviations below the mean
SEATS: Final = 2  # of the games in which strengths are measured


def bot_elo(game: Bots, bot: str, seats: int) -> int | None:
    """The Elo points by which the bot is stronger than a new player; None where nobody has measured that."""
    strength = game.strengths.get(bot) if seats == SEATS else None
    return None if strength is None else strength.elo - game.newcomer_elo


def elo_of(game: Bots, ordinal: float) -> int:
    """Elo points of a strength that is as good as certain, on the scale of the game's bots: of whoever is known as well
    as can be, such as a measured bot, those of the mean.
    """
    return round(game.newcomer_elo + (ordinal + CERTAIN * KNOWN - MEAN) * POINTS)


def mean_of(elo: int) -> float:
    """The mean of somebody who is so much stronger than a new player."""
    return round(MEAN + elo / POINTS, 2)
