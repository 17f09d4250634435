"""An app's events and its webhooks in requests and in responses."""

import re
from collections.abc import Sequence
from typing import Any, Final

from marshmallow import ValidationError, fields, validate

from events.features.signing_secrets import LONGEST_OVERLAP, OVERLAP
from events.features.webhooks.event_types import (
    CHOICE_DONE,
    CONNECTED,
    DISCONNECTED,
    OF_WEBHOOKS,
    PING,
    TYPES,
)
from events.features.webhooks.records import BY_APP, GONE, NO_SEAT
from events.url_guard import URL_LENGTH
from service.http.call import TOKEN_LIMIT
from service.http.schemas.common.fields import (
    Flag,
    Matches,
    OneOfForms,
    RequestDocument,
    Strict,
    StrictBool,
    StrictInt,
    cursor,
    heartbeats,
    invented,
    limit,
    wait,
)
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
from service.http.schemas.games.events import InLanguages
from service.http.schemas.games.responses import GameView, LineChange
from service.http.schemas.of_each_game import EVENTS, OfGame
from service.http.schemas.own_data import MetadataField, external_id
from service.http.schemas.ratings import SeatRating

MOST_VIEWS: Final = 20  # events of a page if each has a view
EVENT_ID: Final = re.compile(r"[0-9]{1,15}-[0-9]{1,6}")
UNPRINTABLE: Final = (
    r"\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"  # controls, line ends, bidi
)


NAMED: Final = f"`{CONNECTED}` and `{DISCONNECTED}`"  # only receivers that name these types get them


# only webhooks that name these types get them
NAMED_ALONE: Final = f"`{CONNECTED}`, `{DISCONNECTED}` and `{CHOICE_DONE}`"


class TypesField(fields.Field[list[str]]):
    """Types of messages, separated by commas."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[str]:
        types = str(value).split(",")
        unknown = [kind for kind in types if kind not in TYPES]
        if unknown:
            raise ValidationError(f"Must be types separated by commas: {_listed(TYPES)}.")
        return types


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)


class AppEventsQuery(Strict):
    """Choice of events of an app's games."""

    after = fields.String(
        load_default="0",
        validate=Matches(
            rf"^(0|now|{EVENT_ID.pattern})$", error="Must be the `id` of an event, `0` or `now`."
        ),
        metadata={
            "description": "Return events after this one: an `id`, a `next`, `0` for all that are kept, or `now` for "
            "those that are still to come."
        },
    )
    types = TypesField(
        metadata={
            "type": "string",
            "description": f"Return only events of these types of `AppEvent`, separated by commas. Without it, "
            f"all but {NAMED}.",
        }
    )
    limit = limit()
    views = Flag(
        load_default=False,
        metadata={
            "description": "For a page: events as webhooks get them, with `view`, `events` and `notation`, and at most "
            f"{MOST_VIEWS} of them."
        },
    )
    wait = wait("Long poll: wait up to so many seconds for the first event after `after`.")
    events = fields.String(
        load_default="named",
        validate=validate.OneOf(["named", "message"]),
        metadata={
            "description": "For a stream: `message` leaves the frames without names, so that `onmessage` gets them all."
        },
    )
    heartbeats = heartbeats()


def _url(**kwargs: Any) -> fields.String:
    return fields.String(
        validate=validate.Length(1, URL_LENGTH),
        metadata={
            "description": "Where deliveries go: by `https`, to a server on the public internet or to one that the "
            "operator allows.",
            "example": "https://app.example.com/migrato",
        },
        **kwargs,
    )


def _each_once(types: list[str]) -> None:
    if len(set(types)) < len(types):
        raise ValidationError("Must not name a type twice.")


def _types(**kwargs: Any) -> fields.List[str]:
    return fields.List(
        fields.String(validate=validate.OneOf(OF_WEBHOOKS)),
        validate=[validate.Length(0, len(OF_WEBHOOKS)), _each_once],
        metadata={"description": f"The types of events that are sent; none means all but {NAMED_ALONE}."},
        **kwargs,
    )


def _description(**kwargs: Any) -> fields.String:
    return fields.String(
        validate=Matches(rf"^[^{UNPRINTABLE}]{{0,256}}$", error="Must have up to 256 printable characters."),
        metadata={"description": "A note of the app's, up to 256 characters."},
        **kwargs,
    )


class NewWebhook(RequestDocument):
    """A webhook to be created."""

    examples = invented(
        for_turns={"url": "https://198.41.0.4/migrato", "types": ["turn.changed", "game.finished"]}
    )

    url = _url(required=True)
    types = _types(load_default=list)
    description = _description(load_default="")
    game_id = fields.String(
        validate=Matches("^[0-9A-Za-z]{22}$", error="Must be the id of a game."),
        metadata={"description": "Send the events of this game alone, one of the app's."},
    )
    seat_token = fields.String(
        validate=validate.Length(1, TOKEN_LIMIT),
        metadata={
            "description": "The token of a seat: send the events of its game alone, as that seat sees it. The webhook "
            "is disabled once the token is void."
        },
    )


class ChangedWebhook(RequestDocument):
    """Changes of a webhook; members that are left out stay."""

    examples = invented(all_types={"types": [], "description": "our lobby"})

    url = _url()
    types = _types()
    description = _description()
    disabled = StrictBool(
        metadata={
            "description": "true: send nothing, and keep what is not sent. false: go on where it ended, also after the "
            "receiver has answered 410."
        }
    )


class SecretRotation(RequestDocument):
    """A new secret."""

    examples = invented(within_an_hour={"overlap": 3600})

    overlap = StrictInt(
        load_default=OVERLAP,
        validate=validate.Range(0, LONGEST_OVERLAP, error=f"Must be 0 to {LONGEST_OVERLAP} seconds."),
        metadata={"description": "Seconds for which the former secret signs as well."},
    )


class DeliveriesQuery(Strict):
    """Choice of deliveries."""

    status = fields.String(
        load_default="dead",
        validate=validate.OneOf(["dead", "waiting"]),
        metadata={"description": "`dead`: those that were given up. `waiting`: those that are still tried."},
    )
    limit = limit()
    cursor = cursor(Matches("^[0-9A-Za-z-]{1,32}$", error="Must be the value of `next`."))


DELIVERY_ID = validate.Regexp("^[0-9A-Za-z-]{1,32}$")
CURSOR = validate.Regexp("^(0|[0-9]{1,15}-[0-9]{1,6})$")
_GAME = validate.Regexp("^[0-9A-Za-z]{22}$")
LINE: Final = (
    "The members of the game's line in GET /v1/games that have changed: put them into the line that you have. "
    "`game.created` has the whole line. Left out of events that change no line, as those about rematches."
)
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
    external_id = external_id(
        metadata={"description": "This and `metadata`: as they are now. Not for a seat's webhook."}
    )
    metadata = MetadataField()
    line = fields.Nested(LineChange, metadata={"description": LINE})
    ratings = fields.List(
        fields.Nested(SeatRating),
        allow_none=True,
        metadata={"description": "Only of `game.rated`, as they are now. Not for a seat's webhook."},
    )
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

    id = text("The event's id: a cursor for `after`, too.", validate=validate.Regexp(f"^{EVENT_ID.pattern}$"))
    type = text(validate=validate.OneOf(list(TYPES)))
    timestamp = moment()
    data = fields.Nested(AppEventData, required=True)


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


class AppEventsPage(Strict):
    """Events of an app's games, in order within each game."""

    events = fields.List(
        OneOfForms(WebhookMessage, AppEvent), required=True, metadata={"description": "The events."}
    )
    next = text("The cursor for the next request.", validate=CURSOR)


class AppEventFrame(AppEvent):
    """A frame of the stream: `id` is the event's id, `event` its type, `data` this document."""


WEBHOOK_ID = validate.Regexp("^[0-9A-Za-z]{22}$")
SECRET = validate.Regexp("^whsec_")


class Webhook(Strict):
    """A webhook of the app. Its secret is never shown again."""

    id = text("The webhook's id.", validate=WEBHOOK_ID)
    url = text("Where deliveries go.")
    types = strings("The types of events that are sent; none means the usual ones.")
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
    type = text(validate=validate.OneOf([*OF_WEBHOOKS, PING]))
    timestamp = moment()
    game_id = text("The game; null for a message about none.", allow_none=True)
    attempts = count("How many attempts have failed.")
    response_status = integer("The HTTP status of the last answer; null without an answer.", allow_none=True)
    error = text("How the last attempt failed; null before the first.", allow_none=True)


class WebhookDeliveriesPage(Strict):
    """A page of deliveries that have not arrived."""

    deliveries = objects(WebhookDelivery, "The deliveries, the oldest first.")
    next = text("The cursor of the next page; null on the last one.", allow_none=True)
