# compiled into rules
"""A bot for any game: it plays any legal move, each with the same probability."""

from typing import Final

from domain.bot import Bot, Budget, Choice, Observation, Rng, Stop


def any_move(observation: Observation, rng: Rng, _budget: Budget, _stop: Stop) -> Choice:
    """The policy of the bot: any legal move."""
    moves = observation.moves
    return Choice(moves[rng.randrange(len(moves))])


RANDOM: Final = Bot("random", "1", "Any legal move.", any_move, milliseconds=1)
