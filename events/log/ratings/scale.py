"""The scale of ratings: the rating of a new player, and of bots with a measured strength."""

from typing import Final

from domain.game import Bots

MEAN: Final = 25.0  # of a new player
DEVIATION: Final = 8.333333
POINTS: Final = 29.481  # Elo points of a unit: by the model, 400 of them win ten games for one lost
KNOWN: Final = 1.5  # the deviation of measured bots, and of people whom the model knows best
CERTAIN: Final = 3  # deviations below the mean, where a strength is almost certain
SEATS: Final = 2  # seats of the games in which strengths are measured


def bot_elo(game: Bots, bot: str, seats: int) -> int | None:
    """The Elo points by which the bot is stronger than a new player; None if its strength was not measured."""
    strength = game.strengths.get(bot) if seats == SEATS else None
    return None if strength is None else strength.elo - game.newcomer_elo


def elo_of(game: Bots, ordinal: float) -> int:
    """An almost certain strength (`ordinal`) in Elo points, on the scale of the game's bots. For a rating with the
    deviation KNOWN, such as a measured bot's, these are the Elo points of its mean.
    """
    return round(game.newcomer_elo + (ordinal + CERTAIN * KNOWN - MEAN) * POINTS)


def mean_of(elo: int) -> float:
    """The mean of a player who is so many Elo points stronger than a new one."""
    return round(MEAN + elo / POINTS, 2)
