"""What is told of bots and what they come to."""

from marshmallow import fields, validate

from service.http.schemas.common.events import SpentBudget
from service.http.schemas.common.members import count, flag, text
from service.http.schemas.fields import Strict, StrictInt
from service.http.schemas.registry import MOVES, OfGame


class Strength(Strict):
    """How strong a bot is, in Elo points; only differences between bots mean anything."""

    elo = StrictInt(required=True)
    low = StrictInt(required=True, metadata={"description": "The lower bound of the 95% interval."})
    high = StrictInt(required=True, metadata={"description": "The upper bound of the 95% interval."})


class BotLine(Strict):
    """A bot."""

    name = text()
    version = text("Another one may find other moves.")
    description = text()
    games = fields.List(fields.String(), required=True)
    rules = fields.Dict(
        keys=fields.String(),
        values=fields.List(fields.String()),
        required=True,
        metadata={"description": "The rule variants that it plays, by game, with every option."},
    )
    strength = fields.Nested(Strength, required=True, allow_none=True)
    budget = fields.Nested(
        SpentBudget,
        required=True,
        allow_none=True,
        metadata={"description": "What it takes for a move; null for a bot that does not search."},
    )
    milliseconds = count("How long it thinks about a move, on one core in plain Python.")
    remembers = flag("Whether it makes use of the history.")


class BotCatalogue(Strict):
    """The bots that play here."""

    bots = fields.List(fields.Nested(BotLine), required=True)


class ConsideredMove(Strict):
    """A move that a bot weighed."""

    move = OfGame(MOVES, required=True, metadata={"description": "Ready to be posted."})
    visits = count("How often the search tried it.")
    value = fields.Float(
        required=True, metadata={"description": "The final lead that is expected, in points."}
    )
    win_probability = fields.Float(
        required=True, validate=validate.Range(0, 1), metadata={"description": "A draw counts half."}
    )


class Advice(Strict):
    """What a bot came to."""

    bot = text()
    version = text("The bot's version.")
    move = OfGame(MOVES, required=True, metadata={"description": "Ready to be posted."})
    considered = fields.List(
        fields.Nested(ConsideredMove),
        required=True,
        metadata={
            "description": "The moves that it weighed, the best first; none from a bot that does not search."
        },
    )
    iterations = count(
        "The iterations that the search really did: with them and the seed it comes to the same."
    )


class ThoughtMove(Advice):
    """What a bot came to in a position."""

    milliseconds = count("How long it thought.")
    seed = text("The seed of its chance.", validate=validate.Regexp("^[0-9a-f]{16}$"))


class Hint(Advice):
    """What a bot would do for the seat."""

    game_version = count("The game's version, a recorded hint included.")
    seat = count()
    recorded = flag("Whether everybody gets to know of it: true in a rated game.")


class JobLinks(Strict):
    """Where a job is."""

    self = text()


class WaitingJob(Strict):
    """A question to a bot that has not been answered yet."""

    id = text("Nobody can guess it.")
    status = text(validate=validate.Equal("waiting"))
    links = fields.Nested(JobLinks, required=True)
