"""An app's events and webhooks in responses."""

from marshmallow import fields, validate

from events.use_cases.webhooks.messages import PING, TYPES
from events.use_cases.webhooks.records import BY_APP, GONE, NO_SEAT
from service.http.schemas.common.members import (
    count,
    flag,
    game_id,
    game_status,
    integer,
    moment,
    objects,
    strings,
    text,
)
from service.http.schemas.fields import Strict

EVENT_ID = validate.Regexp("^[0-9]{1,15}-[0-9]{1,6}$")
CURSOR = validate.Regexp("^(0|[0-9]{1,15}-[0-9]{1,6})$")
_GAME = validate.Regexp("^[0-9A-Za-z]{22}$")
HIDDEN = "Null for a private game where there are no app keys, and of `rematch.begun`."


class AppEventData(Strict):
    """Change of a game, as everybody may see it."""

    game_id = game_id()
    game = text("Which game it is.")
    status = game_status()
    seat = integer("The seat that the event is about; null for none.", allow_none=True)
    version = integer(f"The game's version after the change. {HIDDEN}", allow_none=True)
    turn = integer(f"The number of the turn. {HIDDEN}", allow_none=True)
    to_act = integer(f"The seat to act; null for none. {HIDDEN}", allow_none=True)
    rematch_of = fields.String(
        validate=_GAME,
        metadata={
            "description": "Only of `game.created`, of a rematch: the game that its players had played before."
        },
    )
    rematch = fields.String(
        validate=_GAME, metadata={"description": "Only of `rematch.begun`: the new game."}
    )


class AppEvent(Strict):
    """Something that happened in a game of the app."""

    id = text("The event's id: a cursor for `after`, too.", validate=EVENT_ID)
    type = text(validate=validate.OneOf(list(TYPES)))
    timestamp = moment()
    data = fields.Nested(AppEventData, required=True)


class AppEventsPage(Strict):
    """Events of an app's games, in order within each game."""

    events = objects(AppEvent, "The events.")
    next = text("The cursor for the next request.", validate=CURSOR)


class AppEventFrame(AppEvent):
    """A frame of the stream: `id` is the event's id, `event` its type, `data` this document."""


WEBHOOK_ID = validate.Regexp("^[0-9A-Za-z]{22}$")
DELIVERY_ID = validate.Regexp("^[0-9A-Za-z-]{1,32}$")
SECRET = validate.Regexp("^whsec_")


class Webhook(Strict):
    """A webhook of the app. Its secret is never shown again."""

    id = text("The webhook's id.", validate=WEBHOOK_ID)
    url = text("Where deliveries go.")
    types = strings("The types of events that are sent; none means all.")
    description = text("The app's note.")
    game_id = text("The game whose events alone are sent; null for all games.", allow_none=True)
    seat = integer("The seat whose view is sent; null for a spectator's.", allow_none=True)
    created_at = moment()
    disabled = flag("Whether nothing is sent.")
    disabled_reason = text(
        "Why: `app` (it was asked for), `gone` (the receiver has answered 410) or `seat` (the seat's token is void). "
        "Null for a webhook that is not disabled.",
        allow_none=True,
        validate=validate.OneOf([BY_APP, GONE, NO_SEAT, None]),
    )
    waiting = count("How many deliveries wait for an attempt, beside what waits in the app's log.")
    dead = count("How many deliveries were given up and are kept.")


class CreatedWebhook(Webhook):
    """A new webhook, with its secret."""

    secret = text("Signs the deliveries. It is shown only here.", validate=SECRET)


class WebhookList(Strict):
    """The app's webhooks."""

    webhooks = objects(Webhook, "The webhooks, the oldest first.")


class RotatedSecret(Strict):
    """A webhook's new secret."""

    secret = text("Signs the deliveries from now on. It is shown only here.", validate=SECRET)
    former_expires_at = moment(
        "Until when the former secret signs as well; null if it no longer does.", allow_none=True
    )


class PingSent(Strict):
    """A ping is on its way."""

    delivery_id = text("The id of its delivery.", validate=DELIVERY_ID)


class WebhookDelivery(Strict):
    """A delivery that has not arrived."""

    id = text("The id of the event: the header `webhook-id` of every attempt.", validate=DELIVERY_ID)
    type = text(validate=validate.OneOf([*TYPES, PING]))
    timestamp = moment()
    game_id = text("The game; null for a ping.", allow_none=True)
    attempts = count("How many attempts have failed.")
    response_status = integer("The HTTP status of the last answer; null without an answer.", allow_none=True)
    error = text("How the last attempt failed; null before the first.", allow_none=True)


class WebhookDeliveriesPage(Strict):
    """A page of deliveries that have not arrived."""

    deliveries = objects(WebhookDelivery, "The deliveries, the oldest first.")
    next = text("The cursor of the next page; null on the last one.", allow_none=True)
