"""Requests for an app's events, and about its webhooks."""

import re
from collections.abc import Sequence
from typing import Any, Final

from marshmallow import ValidationError, fields, validate

from events.runtime.url_guard import URL_LENGTH
from events.use_cases.webhooks.endpoints import LONGEST_OVERLAP, OVERLAP
from events.use_cases.webhooks.messages import TYPES
from service.http.limits import TOKEN_LIMIT
from service.http.schemas.fields import (
    Matches,
    RequestDocument,
    Strict,
    StrictBool,
    StrictInt,
    cursor,
    limit,
    wait,
)

EVENT_ID: Final = re.compile(r"[0-9]{1,15}-[0-9]{1,6}")
UNPRINTABLE: Final = (
    r"\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"  # controls, line ends, bidi
)


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
            "description": f"Return only events of these types, separated by commas: {_listed(TYPES)}.",
        }
    )
    limit = limit()
    wait = wait("Long poll: wait up to so many seconds for the first event after `after`.")
    events = fields.String(
        load_default="named",
        validate=validate.OneOf(["named", "message"]),
        metadata={
            "description": "For a stream: `message` leaves the frames without names, so that `onmessage` gets them all."
        },
    )


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
        fields.String(validate=validate.OneOf(TYPES)),
        validate=[validate.Length(0, len(TYPES)), _each_once],
        metadata={"description": "The types of events that are sent; none means all."},
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
