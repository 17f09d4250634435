"""The schemas of the small game of `tests.events.counter`: another game beside those that there are."""

from marshmallow import fields, validate

from service.http.schemas.common.events import EventSchema, RecordedSeat, hidden
from service.http.schemas.common.fields import RequestDocument, Strict, StrictInt
from service.http.schemas.common.game_schemas import GameSchemas
from service.http.schemas.common.members import count, integer, integers, objects, text
from service.http.schemas.common.options import GameOptions


class Add(RequestDocument):
    """Add a number."""

    type = fields.String(required=True, validate=validate.Equal("add"))
    amount = StrictInt(required=True)
    note = fields.String(metadata={"description": "Only the seat reads it."})


class Goal(GameOptions):
    """The options of the count."""

    goal = StrictInt(metadata={"description": "Who reaches it wins."})


class ResolvedGoal(Strict):
    """The options of a game."""

    goal = integer("Who reaches it wins.")


class Count(Strict):
    """State of the count."""

    total = count("The sum.")
    cards = fields.List(StrictInt(allow_none=True), required=True)


class CounterCreatedData(Strict):
    """Options with which the count was created."""

    id = text("The game's id.")
    commitment = text("SHA-256 of the server's seed.")
    game = text("The game's name.")
    options = fields.Nested(ResolvedGoal, required=True)
    goal = integer("Who reaches it wins.")
    seats = objects(RecordedSeat, "The seats.")


class CardsDealtData(Strict):
    """The deal."""

    cards = fields.List(StrictInt(), required=True, allow_none=True, metadata=hidden("The cards."))


class AddedData(Strict):
    """The amount that was added."""

    amount = integer("The number.")
    note = text(allow_none=True, metadata=hidden("The note.", "the event's seat"))


class CountedData(Strict):
    """The seat that won."""

    winner = integer("The winning seat.")


class ScoresData(Strict):
    """The scores."""

    scores = integers("By seat.")


COUNTER_SCHEMAS = GameSchemas(
    moves={"add": Add()},
    options=Goal(),
    resolved_options=ResolvedGoal(),
    state=Count(),
    events={
        "game_created": EventSchema(CounterCreatedData(), "A game was created."),
        "game_started": EventSchema(CardsDealtData(), "The cards were dealt."),
        "added": EventSchema(AddedData(), "A number was added.", of_a_seat=True, previewed=AddedData()),
        "game_ended": EventSchema(CountedData(), "The goal was reached.", previewed=CountedData()),
        "game_scored": EventSchema(ScoresData(), "The result was confirmed."),
    },
    reasons=("goal",),
)
