"""Requests that bring players together: invites, the lobby, quick match."""

from collections.abc import Mapping
from typing import Any, Final

from marshmallow import ValidationError, fields, validate, validates_schema

from domain.registry import DEFAULT_GAME
from events.use_cases.joining.invites import LONGEST, LONGEST_JOIN_CODE, USUAL
from service.http.schemas.fields import RequestDocument, StrictBool, StrictInt
from service.http.schemas.games import client_seed, clock, player
from service.http.schemas.registry import OPTIONS, OfGame

HIGHEST: Final = 1_000_000  # rating, up and down
USUAL_WAIT: Final = 30  # seconds until a bot steps in
LONGEST_WAIT: Final = 3_600


class Number(fields.Float):
    """A JSON number."""

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> float:
        if type(value) is int or type(value) is float:
            return float(value)
        raise self.make_error("invalid", input=value)


class WantedInvite(RequestDocument):
    """An invite."""

    expires_in = StrictInt(
        load_default=USUAL,
        validate=validate.Range(1, LONGEST, error=f"Must be 1 to {LONGEST} seconds."),
        metadata={
            "description": "After how many seconds the invite expires: by default a day, at most 30 days."
        },
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
        """Refuse a long validity of a short code: it could be guessed in time."""
        if data["short"] and data["expires_in"] > LONGEST_JOIN_CODE:
            raise ValidationError({"expires_in": [f"Must be 1 to {LONGEST_JOIN_CODE} seconds with `short`."]})


class TypedJoinCode(RequestDocument):
    """A join code, as somebody has typed it."""

    code = fields.String(
        required=True,
        validate=validate.Length(1, 32),
        metadata={
            "description": "Small letters, spaces and hyphens do not matter, and O, I and L are read as 0, 1 and 1.",
            "example": "K7QM-2XPA",
        },
    )


class WantedMatch(RequestDocument):
    """A game that a player wants, and with whom."""

    player = player(required=True)
    game = fields.String(load_default=DEFAULT_GAME, validate=validate.Length(1, 64))
    options = OfGame(
        OPTIONS, load_default=dict, metadata={"description": "The game's options. Every one has a default."}
    )
    visibility = fields.String(
        load_default="private",
        validate=validate.OneOf(["private", "public"]),
        metadata={"description": "Whether everybody may watch."},
    )
    clock = clock()
    client_seed = client_seed()
    rating = Number(
        validate=validate.Range(-HIGHEST, HIGHEST, error=f"Must be from -{HIGHEST} to {HIGHEST}."),
        metadata={"description": "The player's rating, as the app has it.", "example": 1500},
    )
    range = Number(
        validate=validate.Range(0, HIGHEST, error=f"Must be from 0 to {HIGHEST}."),
        metadata={
            "description": "How far the partner's rating may be from the player's. Without it any partner is right,"
            " also one without a rating. It needs a rating.",
            "example": 200,
        },
    )
    bot = fields.String(
        validate=validate.Length(1, 64),
        metadata={"description": "The bot that steps in if nobody comes: a name of GET /v1/bots."},
    )
    bot_after = StrictInt(
        validate=validate.Range(0, LONGEST_WAIT, error=f"Must be 0 to {LONGEST_WAIT} seconds."),
        metadata={"description": f"After how many seconds it does: {USUAL_WAIT} by default."},
    )

    @validates_schema(skip_on_field_errors=True)
    def no_wait_for_no_bot(self, data: dict[str, Any], **_: Any) -> None:
        """A wait needs a bot."""
        if "bot_after" in data and "bot" not in data:
            raise ValidationError({"bot_after": ["Needs `bot`."]})
