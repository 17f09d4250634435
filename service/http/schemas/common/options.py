"""Options of a game in requests and in answers: fields made from the game's table of options."""

from collections.abc import Iterable, Mapping
from json import dumps
from typing import Any, Final

from marshmallow import ValidationError, fields, validate

from domain.options import RANDOM, Option
from service.http.schemas.common.fields import RequestDocument, Strict, StrictBool, StrictInt
from service.http.schemas.common.members import flag, integer, text

FOLLOWS: Final = {
    "description": "Follows from the other options; "
    "accepted with that value, so that any game's options can be posted again.",
    "x-follows": True,
}
NULL: Final = {"type": "null"}
NO_LIMIT: Final = "Null, the default, is no limit."


class GameOptions(RequestDocument):
    """The options of a game. An unknown one is refused, with the names of all options."""


class ResolvedGameOptions(Strict):
    """Every option of the game, as it was resolved when the game was created."""


class StartingSeat(fields.Field[int | str]):
    """A seat number, or "random"."""

    def __init__(self, seats: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._seats = seats

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int | str:
        if value == RANDOM or (type(value) is int and 0 <= value < self._seats):
            return value  # type: ignore[no-any-return]
        raise ValidationError(f'Must be the number of a seat or "{RANDOM}".')


Own = Mapping[str, fields.Field[Any]]


def asked(table: Iterable[Option], seats: int, own: Own) -> dict[str, fields.Field[Any]]:
    """Fields of the options in a request; `own`: the fields of those that take more than their kind does, and None for
    those that follow from others.
    """
    offered = sorted(table, key=lambda option: not option.can_be_chosen)
    return {option.name: own.get(option.name) or _asked(option, seats) for option in offered}


def resolved(table: Iterable[Option], seats: int, own: Own) -> dict[str, fields.Field[Any]]:
    """Fields of the options in an answer; `own`: the fields of those whose form is not that of their kind."""
    return {option.name: own.get(option.name) or _resolved(option, seats) for option in table}


def told(option: Option) -> str:
    """Description of an option in a request: its purpose, its default, and the values with which a game is rated."""
    default = f"`{option.default}`" if isinstance(option.default, str) else dumps(option.default)
    said = f"The default is {default}." if option.kind != "int" or option.default is not None else NO_LIMIT
    if option.kind == "seat":
        rated = f"Only games in which it is `{RANDOM}` are rated."
        return f"{option.help} The default is {default}, in quick match `{RANDOM}`. {rated}"
    rated = " Only games with the default are rated." if option.unrated else ""
    return f"{option.help} {said}{rated}"


def _asked(option: Option, seats: int) -> fields.Field[Any]:
    metadata: dict[str, Any] = {"description": told(option)}
    match option.kind:
        case "choice":
            return fields.String(validate=validate.OneOf(option.choices), metadata=metadata)
        case "flag":
            return StrictBool(metadata=metadata)
        case "seat":
            return StartingSeat(seats, metadata={"oneOf": [*_seats(seats), NULL], **metadata})
        case _:
            bounds = validate.Range(option.minimum, option.maximum)
            return StrictInt(allow_none=True, validate=bounds, metadata=metadata)


def _resolved(option: Option, seats: int) -> fields.Field[Any]:
    found: fields.Field[Any]
    match option.kind:
        case "choice":
            found = text(option.help, validate=validate.OneOf(option.choices))
        case "flag":
            found = flag(option.help)
        case "seat":
            metadata = {"oneOf": _seats(seats), "description": option.help}
            found = fields.Raw(required=True, metadata=metadata)
        case _:
            found = integer(option.help, allow_none=True)
    found.required = not option.added
    return found


def _seats(seats: int) -> list[dict[str, Any]]:
    """One enum for each type: code generators do not accept an enum of numbers and texts."""
    return [{"type": "integer", "enum": list(range(seats))}, {"type": "string", "enum": [RANDOM]}]
