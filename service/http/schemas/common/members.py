"""Members that many documents have."""

from typing import Any, Final

from marshmallow import Schema, fields, validate

from service.http.schemas.common.fields import StrictBool, StrictInt

KEY_ID: Final[dict[str, Any]] = {"validate": validate.Regexp("^[0-9a-f]{16}$")}
SIGNATURE: Final[dict[str, Any]] = {"validate": validate.Regexp("^[0-9A-Za-z_-]{86}$")}


def text(description: str = "", **kwargs: Any) -> fields.String:
    """A text, required unless stated otherwise."""
    kwargs.setdefault("required", True)
    return fields.String(**_described(description, kwargs))


def integer(description: str = "", **kwargs: Any) -> StrictInt:
    """A whole number, required unless stated otherwise."""
    kwargs.setdefault("required", True)
    return StrictInt(**_described(description, kwargs))


def count(description: str = "", **kwargs: Any) -> StrictInt:
    """A whole number, 0 or more."""
    return integer(description, validate=validate.Range(0), **kwargs)


def turn_version() -> StrictInt:
    """The version of a game's position."""
    return count(
        "The number of the last event that changed the table, its players or the result. A hint, a request to take a "
        "move back, time that is given back and a new token raise only `version`. A move with "
        '`If-Match: "turn_version=N"` is made as long as the position is the same.'
    )


def seat_or_null(description: str) -> StrictInt:
    """A seat's number, or null."""
    return integer(description, allow_none=True)


def flag(description: str) -> StrictBool:
    """True or false."""
    return StrictBool(required=True, metadata={"description": description})


def strings(description: str = "", **kwargs: Any) -> fields.List[str]:
    """A list of texts."""
    return fields.List(fields.String(), required=True, **_described(description, kwargs))


def integers(description: str, **kwargs: Any) -> fields.List[int]:
    """A list of whole numbers."""
    return fields.List(StrictInt(), required=True, **_described(description, kwargs))


def objects(schema: type[Schema], description: str, **kwargs: Any) -> fields.List[Any]:
    """A list of documents of that schema."""
    return fields.List(fields.Nested(schema), required=True, **_described(description, kwargs))


def _described(description: str, kwargs: dict[str, Any]) -> dict[str, Any]:
    return kwargs | {"metadata": {"description": description}} if description else kwargs


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
    """Status of a game."""
    return text(
        "`waiting` for open seats, `playing`, or `finished`.",
        validate=validate.OneOf(["waiting", "playing", "finished"]),
    )


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
        metadata={"description": "The player's id, which the game's events contain. Older games have none."},
    )


def moment(description: str = "", *, allow_none: bool = False, required: bool = True) -> fields.String:
    """A time, RFC 3339 in UTC."""
    metadata = {"format": "date-time"} | ({"description": description} if description else {})
    return fields.String(required=required, allow_none=allow_none, metadata=metadata)
