"""Events, replays and moves in responses."""

from typing import Any, Final

from marshmallow import fields, validate

from domain.words.languages import LANGUAGES
from service.http.schemas.common.fields import Embedded, Strict, StrictInt
from service.http.schemas.common.members import count, digest, flag, moment, text, turn_version
from service.http.schemas.games.responses import GameView
from service.http.schemas.of_each_game import EVENTS, MOVES, PREVIEWS, OfGame

LINES: Final = "One event a line, each as JSON."
MOST_EVENTS: Final = 32  # of a `state` frame


InLanguages: Final = type(
    "InLanguages",
    (Strict,),
    {
        "__doc__": "Lines in the languages that were asked for, in the order of what they are about.",
        **{language: fields.List(fields.String()) for language in LANGUAGES},
    },
)


def notation() -> fields.Nested:
    """Lines of `events`."""
    words = "A line for each of `events`, which says what that shows, by language. Hidden cards are `?`."
    return fields.Nested(InLanguages, required=True, metadata={"description": words})


def labels(**kwargs: Any) -> fields.Nested:
    """Labels of legal moves."""
    words = "A label for each of the legal moves, by language."
    return fields.Nested(InLanguages, required=True, metadata={"description": words}, **kwargs)


class StreamedState(Strict):
    """The data of a `state` frame: all that its reader may see."""

    type = text("Always `state`.", validate=validate.Equal("state"))
    version = count("The game's version.")
    after = count(
        "The version after which `events` begin: that of the last frame, or of `Last-Event-ID`. In a first frame it is "
        "`version`; it is later than the reader's if there were more events than a frame has."
    )
    events = fields.List(
        OfGame(EVENTS),
        required=True,
        metadata={
            "description": f"The events after `after`, as GET .../events shows them; at most {MOST_EVENTS}."
        },
    )
    notation = notation()
    view = fields.Nested(GameView, required=True)
    legal_moves = fields.List(
        OfGame(MOVES),
        required=True,
        allow_none=True,
        metadata={"description": "The legal moves of a seat that is to act; null for everybody else."},
    )
    labels = labels(allow_none=True)


class StreamNote(Strict):
    """The data of the frames `end` and `heartbeat`."""

    type = text(validate=validate.OneOf(["end", "heartbeat"]), required=False)
    seconds = fields.Float(
        metadata={"description": "Only of `heartbeat`: after so many seconds of silence the next one comes."}
    )


class StreamFrame(Strict):
    """A frame of a stream (server-sent events)."""

    id = fields.String(
        metadata={
            "description": "The event's or the state's version; the frames `end` and `heartbeat` have none."
        }
    )
    event = fields.String(
        required=True,
        metadata={
            "description": "The event's type, `state`, `end` or `heartbeat`. With `events=message` it is `message`, as "
            "a frame is understood that has no such line."
        },
    )
    data = Embedded(
        OfGame(EVENTS),
        StreamedState,
        StreamNote,
        metadata={
            "description": "The event as JSON; with `views` a `StreamedState`. Of a heartbeat, `seconds` says after "
            "how many seconds of silence the next one comes."
        },
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
    head = digest("The chain's head there.")
    events = fields.List(OfGame(EVENTS), required=True)
    notation = notation()
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
    turn_version = turn_version()
    seat = count()
    moves = fields.List(OfGame(MOVES), required=True)
    labels = labels()
