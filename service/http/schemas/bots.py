"""Questions to bots; bots, their moves and hints in responses."""

from marshmallow import fields, validate

from domain.bot import DENIES, RISKS, WINS
from domain.registry import DEFAULT_GAME
from service.http.schemas.common.budgets import PositionBudget
from service.http.schemas.common.events import SpentBudget
from service.http.schemas.common.fields import Matches, RequestDocument, Strict, StrictInt, wait
from service.http.schemas.common.members import count, flag, objects, strings, text
from service.http.schemas.housekeeping import ProblemDocument
from service.http.schemas.of_each_game import MOVES, OfGame
from service.http.schemas.registered_bots import OwnBot

LONGEST_NAME = 64  # of a game


_SENT_ALONG = {"description": "Ignored. Remote bots may pass on the whole document."}


class Position(RequestDocument):
    """A position as a seat sees it, and how long to search."""

    game = fields.String(
        validate=validate.Length(1, LONGEST_NAME),
        metadata={
            "description": f"The default is the game that `view.game` names; `{DEFAULT_GAME}` if it names none."
        },
    )
    view = fields.Dict(
        required=True,
        metadata={"description": "The view of the seat to act, as GET /v1/games/{game_id} returns it."},
    )
    history = fields.List(
        fields.Dict(),
        metadata={
            "description": "All events of the game, as GET /v1/games/{game_id}/events returns them. "
            "Without them the bot only knows the view."
        },
    )
    legal_moves = fields.List(fields.Dict(keys=fields.String()), metadata=_SENT_ALONG)
    deadline = fields.String(metadata=_SENT_ALONG)
    budget = fields.Nested(PositionBudget, metadata={"description": "The default is the bot's own."})
    seed = fields.String(
        validate=Matches("^[0-9a-f]{16}$", error="Must be 16 lower-case hex digits."),
        metadata={
            "description": "The seed of the bot's random numbers. The default is a random one.",
            "example": "00000000000000a7",
        },
    )


MOST_POSITIONS = 100


class Positions(RequestDocument):
    """Several positions, each a question of its own, in usage and limits, too."""

    positions = fields.List(
        fields.Nested(Position), required=True, validate=validate.Length(1, MOST_POSITIONS)
    )


class Strength(Strict):
    """Strength of a bot, in Elo points: with two seats, standard cards and the default rules. Only differences
    between bots of one game mean anything.
    """

    elo = StrictInt(required=True, metadata={"description": "The rating."})
    low = StrictInt(
        required=True,
        metadata={
            "description": "The lower bound of the 95% interval. One bot of each game has none: the others are "
            "measured from it."
        },
    )
    high = StrictInt(required=True, metadata={"description": "The upper bound of the 95% interval."})


class BotLine(Strict):
    """A bot."""

    name = text()
    version = text("The bot's version. Another version may choose other moves.")
    versions = strings("Those that a seat may name.")
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
    milliseconds = count(
        "A limit that nearly all moves keep, of processor time on one core in plain Python. The service ends any "
        "search after 5 seconds."
    )
    remembers = flag("Whether the bot uses the history of the game.")


class BotCatalogue(Strict):
    """The bots that play here."""

    bots = fields.List(fields.Nested(BotLine), required=True)
    own = objects(OwnBot, "The bots of the app that asks.")


class Reason(Strict):
    """Reason for a move or against it."""

    kind = text(
        "`wins`: it gains something. `denies`: it takes something from an opponent. `risks`: it costs something.",
        validate=validate.OneOf([WINS, DENIES, RISKS]),
    )
    code = text("Which sentence it is, for pages in other languages. A code keeps its sense.")
    about = fields.String(
        required=True,
        allow_none=True,
        metadata={"description": "What it concerns: in Migrato a species, in Migo a kind; null for none."},
    )
    change = fields.Float(
        required=True,
        validate=validate.Range(-1, 1),
        metadata={
            "description": "What it adds to the probability of winning, 0.05 for 5 points of 100; negative for a "
            "risk."
        },
    )
    points = StrictInt(
        required=True,
        allow_none=True,
        metadata={"description": "By how many points the lead changes, or null where it is not about that."},
    )
    text = text("The reason as an English sentence.")


class ConsideredMove(Strict):
    """A move that a bot considered."""

    move = OfGame(MOVES, required=True, metadata={"description": "A move, ready to be sent."})
    visits = count("How often the search tried it.")
    value = fields.Float(
        required=True,
        metadata={
            "description": "A lead in points of the seat to move as the bot judges it; of which moment, "
            "docs/reference/bots.md says."
        },
    )
    win_probability = fields.Float(
        required=True,
        validate=validate.Range(0, 1),
        metadata={
            "description": "Of the seat to move, 0 to 1; a draw counts half. Of a move with 0 visits it is what the "
            "net says, or 0 where the bot has none: then it says nothing."
        },
    )
    spread = fields.Float(
        required=True,
        allow_none=True,
        validate=validate.Range(0, 1),
        metadata={
            "description": "The standard deviation of `win_probability` over what may be hidden; null where "
            "nothing was sampled."
        },
    )
    reasons = fields.List(
        fields.Nested(Reason),
        required=True,
        metadata={"description": "Up to 3 reasons for each of the first 8 moves, the strongest first."},
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
            "description": "The moves that the bot considered, the best first; empty for a bot that weighs none. "
            "`move` need not be the first: levels and styles draw theirs."
        },
    )
    iterations = count(
        "The iterations that the search did, 1 where there was nothing to search and 0 for a bot that does not search. "
        "With the same number and seed it finds the same move."
    )


class ThoughtMove(Advice):
    """A bot's move in a position."""

    milliseconds = count("The time that the bot took.")
    seed = text("The seed of the bot's random numbers.", validate=validate.Regexp("^[0-9a-f]{16}$"))


class Answered(Strict):
    """Answer to one question of several, or the refusal."""

    answer = fields.Nested(ThoughtMove, required=True, allow_none=True)
    problem = fields.Nested(ProblemDocument, required=True, allow_none=True)


class BotAnswers(Strict):
    """Answers in the order of the positions."""

    answers = fields.List(fields.Nested(Answered), required=True)


class Hint(Advice):
    """The move that a bot would make for the seat."""

    game_version = count("The game's version, including the event of a recorded hint.")
    seat = count()
    recorded = flag("Whether the hint was recorded as an event: true in a game that nobody prepared.")


class JobLinks(Strict):
    """The address of a job."""

    self = text()


class WaitingJob(Strict):
    """A question to a bot that has not been answered yet."""

    id = text("The job's id, which cannot be guessed.")
    status = text(validate=validate.Equal("waiting"))
    expires_at = fields.String(
        required=True,
        metadata={
            "format": "date-time",
            "description": "When the job is gone.",
        },
    )
    links = fields.Nested(JobLinks, required=True)


class HintQuery(Strict):
    """Choice of the bot that gives the hint."""

    bot = fields.String(
        validate=validate.Length(1, 64),
        metadata={"description": "A name of GET /v1/bots. The default is the game's own choice."},
    )


class BotsQuery(Strict):
    """Choice of bots."""

    game = fields.String(
        validate=validate.Length(1, 64),
        metadata={
            "description": "Only the bots of this game, with their figures in it. The default is the first of a bot's "
            "`games`."
        },
    )


class JobQuery(Strict):
    """Form of the answer to a job."""

    wait = wait("Long poll: wait up to so many seconds for the bot's move.")
