"""Bots, their moves and their hints in responses."""

from marshmallow import fields, validate

from service.http.schemas.common.events import SpentBudget
from service.http.schemas.common.members import count, flag, text
from service.http.schemas.fields import Strict, StrictInt
from service.http.schemas.registry import MOVES, OfGame


class Strength(Strict):
    """How strong a bot is, in Elo points; only differences between bots mean anything."""

    elo = StrictInt(required=True, metadata={"description": "The rating."})
    low = StrictInt(required=True, metadata={"description": "The lower bound of the 95% interval."})
    high = StrictInt(required=True, metadata={"description": "The upper bound of the 95% interval."})


class BotLine(Strict):
    """A bot."""

    name = text()
    version = text("The bot's version. Another version may choose other moves.")
    description = text()
    games = fields.List(fields.String(), required=True)
    rules = fields.Dict(
        keys=fields.String(),
        values=fields.List(fields.String()),
        required=True,
        metadata={"description": "The rule books that the bot plays, by game."},
    )
    strength = fields.Nested(Strength, required=True, allow_none=True)
    budget = fields.Nested(
        SpentBudget,
        required=True,
        allow_none=True,
        metadata={
            "description": "How much the bot searches for a move; null for a bot that does not search."
        },
    )
    milliseconds = count("The time for a move, on one core in plain Python.")
    remembers = flag("Whether the bot uses the history of the game.")


class BotCatalogue(Strict):
    """The bots that play here."""

    bots = fields.List(fields.Nested(BotLine), required=True)


class ConsideredMove(Strict):
    """A move that a bot considered."""

    move = OfGame(MOVES, required=True, metadata={"description": "A move, ready to be sent."})
    visits = count("How often the search tried it.")
    value = fields.Float(
        required=True,
        metadata={
            "description": "A lead in points as the bot judges it; in which sense, docs/reference/bots.md says."
        },
    )
    win_probability = fields.Float(
        required=True, validate=validate.Range(0, 1), metadata={"description": "A draw counts half."}
    )


class Advice(Strict):
    """A bot's move."""

    bot = text()
    version = text("The bot's version.")
    move = OfGame(MOVES, required=True, metadata={"description": "A move, ready to be sent."})
    considered = fields.List(
        fields.Nested(ConsideredMove),
        required=True,
        metadata={
            "description": "The moves that the bot considered, the best first; empty for a bot that does not search."
        },
    )
    iterations = count(
        "The iterations that the search did. With the same number and seed it finds the same move."
    )


class ThoughtMove(Advice):
    """A bot's move in a position."""

    milliseconds = count("The time that the bot took.")
    seed = text("The seed of the bot's random numbers.", validate=validate.Regexp("^[0-9a-f]{16}$"))


class Hint(Advice):
    """The move that a bot would make for the seat."""

    game_version = count("The game's version, including the event of a recorded hint.")
    seat = count()
    recorded = flag("Whether the hint was recorded as an event: true in a rated game.")


class JobLinks(Strict):
    """The address of a job."""

    self = text()


class WaitingJob(Strict):
    """A question to a bot that has not been answered yet."""

    id = text("The job's id, which cannot be guessed.")
    status = text(validate=validate.Equal("waiting"))
    links = fields.Nested(JobLinks, required=True)
