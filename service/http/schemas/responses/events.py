"""Events, replays and moves in responses."""

from typing import Final

from marshmallow import fields, validate

from service.http.schemas.common.members import count, flag, moment, text
from service.http.schemas.fields import Strict, StrictInt
from service.http.schemas.registry import EVENTS, MOVES, PREVIEWS, OfGame
from service.http.schemas.responses.games import GameView

LINES: Final = "One event a line, each as JSON."


class StreamFrame(Strict):
    """A frame of a stream (server-sent events)."""

    id = fields.String(
        metadata={"description": "The event's or the state's version; the frame `end` has none."}
    )
    event = fields.String(
        required=True,
        metadata={
            "description": "The event's type, `state`, or `end`. With `events=message` it is `message`, as a frame is "
            "understood that has no such line."
        },
    )
    data = fields.String(
        required=True,
        metadata={"description": "The event as JSON; with `views` a `StreamedState`."},
    )


class StreamedState(Strict):
    """The data of a `state` frame: all that its reader may see."""

    type = text("Always `state`.", validate=validate.Equal("state"))
    version = count("The game's version.")
    view = fields.Nested(GameView, required=True)
    legal_moves = fields.List(
        OfGame(MOVES),
        required=True,
        allow_none=True,
        metadata={"description": "The legal moves of a seat that is to act; null for everybody else."},
    )


class EventsPage(Strict):
    """Some events of a game."""

    events = fields.List(OfGame(EVENTS), required=True)
    next = count("The value of `after` for the next page.")
    version = count("The game's version.")


class Step(Strict):
    """A decision, the events that follow from it, and the view after them."""

    version = count("The game's version after the step. It can be viewed with `version`, and forked.")
    at = moment()
    seat = StrictInt(
        required=True, allow_none=True, metadata={"description": "The seat that decided, or null."}
    )
    events = fields.List(
        OfGame(EVENTS), required=True, metadata={"description": "The events, each with its `notation`."}
    )
    view = fields.Nested(GameView, required=True)


class ReplayPage(Strict):
    """Some steps of a game."""

    items = fields.List(fields.Nested(Step), required=True)
    next = count(
        "The value of `after` for the next page. If it equals `version`, there are no more steps yet."
    )
    version = count("The game's version.")


class PlayedMove(Strict):
    """The events of a move, and the view after it."""

    version = count()
    events = fields.List(OfGame(EVENTS), required=True)
    game = fields.Nested(GameView, required=True)


class PreviewedMove(Strict):
    """Events that a move would cause."""

    dry_run = flag("Always true.")
    version = count()
    complete = flag("Whether these are all events; otherwise the rest depends on hidden cards.")
    events = fields.List(OfGame(PREVIEWS), required=True)


class LegalMoves(Strict):
    """The moves that a seat has."""

    version = count()
    seat = count()
    moves = fields.List(OfGame(MOVES), required=True)
