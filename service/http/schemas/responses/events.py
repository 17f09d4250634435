"""Events, replays and moves, as they go out."""

from typing import Final

from marshmallow import fields

from service.http.schemas.common.members import count, flag, moment, text
from service.http.schemas.fields import Strict, StrictInt
from service.http.schemas.registry import EVENTS, MOVES, PREVIEWS, OfGame
from service.http.schemas.responses.games import GameView

LINES: Final = "Events, one a line, each as in the JSON form."


class StreamFrame(Strict):
    """A frame of a stream (server-sent events)."""

    id = fields.String(metadata={"description": "The event's version; the frame `end` has none."})
    event = text("The event's type, or `end`.")
    data = fields.String(
        required=True,
        metadata={"description": "The event as in the JSON form."},
    )


class EventsPage(Strict):
    """Some events of a game."""

    events = fields.List(OfGame(EVENTS), required=True)
    next = count("What `after` is for the events that follow.")
    version = count("The game's version.")


class Step(Strict):
    """What was decided, what followed from it, and the view after that."""

    version = count("Of the game, after it: what can be asked for as `version`, and forked.")
    at = moment()
    seat = StrictInt(required=True, allow_none=True, metadata={"description": "Who decided it, or null."})
    events = fields.List(
        OfGame(EVENTS), required=True, metadata={"description": "The events, each with its `notation`."}
    )
    view = fields.Nested(GameView, required=True)


class ReplayPage(Strict):
    """Some steps of a game."""

    items = fields.List(fields.Nested(Step), required=True)
    next = count("What `after` is for the steps that follow; there are none yet if it is `version`.")
    version = count("The game's version.")


class PlayedMove(Strict):
    """What a move caused, and the game right after it."""

    version = count()
    events = fields.List(OfGame(EVENTS), required=True)
    game = fields.Nested(GameView, required=True)


class PreviewedMove(Strict):
    """What a move would cause."""

    dry_run = flag("Always true.")
    version = count()
    complete = flag("Whether this is all that would happen; otherwise the rest depends on what is hidden.")
    events = fields.List(OfGame(PREVIEWS), required=True)


class LegalMoves(Strict):
    """The moves that a seat has."""

    version = count()
    seat = count()
    moves = fields.List(OfGame(MOVES), required=True)
