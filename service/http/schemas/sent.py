"""Documents that the engine sends: to webhooks, and to remote bots, which answer."""

from marshmallow import fields, validate

from events.features.webhooks.event_types import PING, TYPES
from service.http.schemas.common.events import NoData
from service.http.schemas.common.members import moment, text
from service.http.schemas.events import InLanguages
from service.http.schemas.fields import Strict
from service.http.schemas.games import GameView
from service.http.schemas.of_each_game import EVENTS, MOVES, OfGame
from service.http.schemas.webhooks import DELIVERY_ID, AppEventData


class WebhookMessageData(AppEventData):
    """Change of a game, and the game after it."""

    view = fields.Nested(
        GameView,
        required=True,
        allow_none=True,
        metadata={
            "description": "The game right after the change, as a spectator sees it, or the seat whose token created "
            "the webhook; null if the app may not watch the game, and of `rematch.begun`."
        },
    )
    events = fields.List(
        OfGame(EVENTS),
        required=True,
        allow_none=True,
        metadata={"description": "The change's events, as the same viewer sees them; null where `view` is."},
    )
    notation = fields.Nested(
        InLanguages, required=True, allow_none=True, metadata={"description": "A line for each of `events`."}
    )


class WebhookMessage(Strict):
    """An event of a game, sent to a webhook."""

    id = text("The event's id, the same in every attempt.", validate=DELIVERY_ID)
    type = text(validate=validate.OneOf(list(TYPES)))
    timestamp = moment()
    data = fields.Nested(WebhookMessageData, required=True)


class Ping(Strict):
    """A message that an app has asked for, to try its webhook."""

    id = text("The message's id, the same in every attempt.", validate=DELIVERY_ID)
    type = text(validate=validate.Equal(PING))
    timestamp = moment()
    data = fields.Nested(NoData, required=True)


class RemoteQuestion(Strict):
    """A position of a seat that a remote bot plays."""

    game = text("The game's name.")
    view = fields.Nested(GameView, required=True)
    history = fields.List(
        OfGame(EVENTS), required=True, metadata={"description": "Every event so far, as the seat sees it."}
    )
    legal_moves = fields.List(
        OfGame(MOVES), required=True, metadata={"description": "Every legal move, ready to be returned."}
    )
    deadline = moment("The time by which the answer must have arrived.")


class RemoteAnswer(Strict):
    """The move of a remote bot; other members are ignored."""

    move = OfGame(MOVES, required=True)
