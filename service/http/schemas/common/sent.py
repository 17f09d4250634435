"""Documents that the engine sends: to webhooks, and to remote bots, which answer."""

from marshmallow import fields, validate

from events.features.webhooks.event_types import CHOICE_DONE, PING
from service.http.schemas.bots import JobLinks
from service.http.schemas.common.events import NoData
from service.http.schemas.common.fields import Strict
from service.http.schemas.common.members import moment, text
from service.http.schemas.games.responses import GameView
from service.http.schemas.of_each_game import EVENTS, MOVES, OfGame
from service.http.schemas.webhooks import DELIVERY_ID


class Ping(Strict):
    """A message that an app has asked for, to try its webhook."""

    id = text("The message's id, the same in every attempt.", validate=DELIVERY_ID)
    type = text(validate=validate.Equal(PING))
    timestamp = moment()
    data = fields.Nested(NoData, required=True)


class DoneChoice(Strict):
    """A job whose answer is there, or its problem."""

    job = text("The job's id.")
    expires_at = moment("When the answer is gone.")
    links = fields.Nested(JobLinks, required=True)


class ChoiceDone(Strict):
    """A bot has answered a question that was answered with 202. An app's webhooks get it that name it."""

    id = text("The message's id, the same in every attempt.", validate=DELIVERY_ID)
    type = text(validate=validate.Equal(CHOICE_DONE))
    timestamp = moment()
    data = fields.Nested(DoneChoice, required=True)


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
