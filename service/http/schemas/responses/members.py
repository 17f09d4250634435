"""Members that many documents have."""

from typing import Any, Final

from marshmallow import fields, validate

from service.http.schemas.fields import Discriminated, StrictBool, StrictInt
from service.http.schemas.moves import MOVE_TYPES

KEY_ID: Final[dict[str, Any]] = {"validate": validate.Regexp("^[0-9a-f]{16}$")}
SIGNATURE: Final[dict[str, Any]] = {"validate": validate.Regexp("^[0-9A-Za-z_-]{86}$")}


def text(description: str = "", **kwargs: Any) -> fields.String:
    """A text, required unless told otherwise."""
    metadata = {"description": description} if description else {}
    return fields.String(required=kwargs.pop("required", True), metadata=metadata, **kwargs)


def count(description: str = "", **kwargs: Any) -> StrictInt:
    """A whole number, 0 or more."""
    metadata = {"description": description} if description else {}
    return StrictInt(required=True, validate=validate.Range(0), metadata=metadata, **kwargs)


def flag(description: str) -> StrictBool:
    """True or false."""
    return StrictBool(required=True, metadata={"description": description})


def digest(description: str, **kwargs: Any) -> fields.String:
    """32 bytes in lower-case hex."""
    pattern = validate.Regexp("^[0-9a-f]{64}$")
    return fields.String(
        required=kwargs.pop("required", True),
        validate=pattern,
        metadata={"description": description},
        **kwargs,
    )


def game_status() -> fields.String:
    """How a game stands."""
    return text(
        "`waiting` for open seats, `playing`, or `finished`.",
        validate=validate.OneOf(["waiting", "playing", "finished"]),
    )


def faces(**kwargs: Any) -> fields.List[str]:
    """Cards by their faces."""
    return fields.List(fields.String(), required=True, **kwargs)


def game_id() -> fields.String:
    """A game by its id."""
    return fields.String(
        required=True,
        validate=validate.Regexp("^[0-9A-Za-z]{22}$"),
        metadata={"description": "The game's id."},
    )


def player_id(*, required: bool = True) -> fields.String:
    """A player by the opaque id."""
    return fields.String(
        required=required,
        validate=validate.Regexp("^pl_[0-9a-z]{20}$"),
        metadata={
            "description": "The player's id, which is what the game's events hold; older games have none."
        },
    )


def moment() -> fields.String:
    """A time, RFC 3339 in UTC."""
    return fields.String(required=True, metadata={"format": "date-time", "description": "RFC 3339, UTC."})


def move() -> Discriminated:
    """A move, ready to be posted."""
    return Discriminated("type", MOVE_TYPES, required=True, metadata={"description": "Ready to be posted."})
