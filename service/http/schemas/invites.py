"""Invites in requests and in responses."""

from typing import Any

from marshmallow import ValidationError, fields, validate, validates_schema

from events.features.invites.invites import LONGEST, LONGEST_JOIN_CODE, USUAL
from service.http.schemas.common.fields import RequestDocument, Strict, StrictBool, StrictInt, invented
from service.http.schemas.common.members import count, game_id, moment, text


class WantedInvite(RequestDocument):
    """An invite."""

    examples = invented(short={"short": True})

    expires_in = StrictInt(
        load_default=USUAL,
        validate=validate.Range(1, LONGEST, error=f"Must be 1 to {LONGEST} seconds."),
        metadata={"description": "After how many seconds the invite expires, at most 30 days."},
    )
    short = StrictBool(
        load_default=False,
        metadata={
            "description": "Whether the invite gets a join code too, which people can read out. Then it is good for a "
            "day at most."
        },
    )

    @validates_schema(skip_on_field_errors=True)
    def not_for_long(self, data: dict[str, Any], **_: Any) -> None:
        """Refuse a long life of a short code, which could be guessed in that time."""
        if data["short"] and data["expires_in"] > LONGEST_JOIN_CODE:
            raise ValidationError({"expires_in": [f"Must be 1 to {LONGEST_JOIN_CODE} seconds with `short`."]})


class TypedJoinCode(RequestDocument):
    """A join code, as a person typed it."""

    examples = invented(typed={"code": "5C0HB1MF"})

    code = fields.String(
        required=True,
        validate=validate.Length(1, 32),
        metadata={
            "description": "Small letters, spaces and hyphens do not matter, and O, I and L are read as 0, 1 and 1.",
            "example": "K7QM-2XPA",
        },
    )


class InviteInfo(Strict):
    """An invite to a seat, without its code."""

    id = text("By which the invite is revoked.", validate=validate.Regexp("^[0-9a-f]{16}$"))
    seat = count("The seat that it is for.")
    expires_at = moment()


class NewInvite(InviteInfo):
    """A new invite."""

    invite = text(
        "The code. It is never shown again.", validate=validate.Regexp("^mi_[0-9a-f]{16}_[0-9A-Za-z_-]{32}$")
    )

    join_code = text(
        "If it was asked for: what stands for the code, and people can read out. It is never shown again.",
        validate=validate.Regexp("^[0-9A-HJKMNP-TV-Z]{8}$"),
        required=False,
    )


class FoundInvite(Strict):
    """An invite, found by its join code."""

    game_id = game_id()
    seat = count("The seat that it is for.")
    invite = text(
        "The code with which the seat is taken.",
        validate=validate.Regexp("^mi_[0-9a-f]{16}_[0-9A-Za-z_-]{32}$"),
    )
    expires_at = moment()


class InviteList(Strict):
    """The invites of a game that are still good."""

    invites = fields.List(fields.Nested(InviteInfo), required=True)
