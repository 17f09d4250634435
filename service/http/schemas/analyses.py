"""Analyses of finished games in requests and in responses."""

from marshmallow import fields, validate

from service.http.schemas.bots import JobLinks, Reason
from service.http.schemas.common.fields import Strict, StrictInt, wait
from service.http.schemas.common.members import count, flag, text
from service.http.schemas.of_each_game import MOVES, OfGame


def _share(description: str, low: int = 0) -> fields.Float:
    return fields.Float(required=True, validate=validate.Range(low, 1), metadata={"description": description})


class JudgedMove(Strict):
    """A move of a game, judged by what its seat knew when it chose it."""

    version = count(
        "The version in which the move begins; the step of the replay that has it shows the move."
    )
    position = count("The version before the move, which can be forked.")
    seat = count()
    before = _share("The seat's probability of winning with the best move; a draw counts half.")
    after = _share("The same with the move that was made.")
    played = OfGame(MOVES, required=True, metadata={"description": "The move that was made."})
    better = OfGame(
        MOVES,
        required=True,
        allow_none=True,
        metadata={"description": "The best move; null if it was made."},
    )
    reasons = fields.List(
        fields.Nested(Reason),
        required=True,
        metadata={
            "description": "What the best move wins, denies the others and risks, against the table before it: up to 3 "
            "reasons, the strongest first. There may be none."
        },
    )


class Swing(Strict):
    """A move after which much had changed."""

    version = count("The version of the move among the `points`.")
    seat = count()
    change = _share(
        "How much the seat's probability of winning had changed when it was to act again, or at the end: by its move, "
        "by the others' and by chance.",
        -1,
    )
    lost = _share("What the seat lost by the move itself.")


class Analysis(Strict):
    """Every move of a finished game, judged."""

    id = text("The game's id.")
    game = text("The game's name.")
    status = text(validate=validate.Equal("done"))
    judge = text("The bot that judged, and its version.")
    complete = flag("False if only the first 1,000 moves were judged.")
    points = fields.List(fields.Nested(JudgedMove), required=True)
    swings = fields.List(
        fields.Nested(Swing),
        required=True,
        metadata={
            "description": "Up to 10 moves: up to 5 that lost most, then those with the greatest change or loss of the "
            "others; the one with the greatest change or loss first."
        },
    )


class AnalysisProgress(Strict):
    """An analysis that workers are making."""

    id = text("The game's id.")
    status = text(validate=validate.Equal("waiting"))
    done = StrictInt(required=True, metadata={"description": "Up to which version the game is analysed."})
    of = count("The game's version.")
    links = fields.Nested(JobLinks, required=True)


class AnalysisQuery(Strict):
    """Form of the answer to an analysis."""

    wait = wait("Long poll: wait up to so many seconds for a worker that is at it.")
