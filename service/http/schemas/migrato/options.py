"""The options of Migrato, as they are asked for and as they are answered; what can be prepared of a game."""

from typing import Any, Final

from marshmallow import ValidationError, fields, validate

from domain.migrato.rules.options import OPTIONS
from domain.migrato.rules.rule_books import RULE_BOOKS
from service.http.schemas.common.members import flag, integer, text
from service.http.schemas.common.options import FOLLOWS, STARTER, GameOptions, OptionFields
from service.http.schemas.fields import RequestDocument, Strict, StrictInt

_OPTION: Final = OptionFields(OPTIONS)
# One enum for each type: code generators do not take one of numbers and texts.
_FIRST_SEATS: Final = [{"type": "integer", "enum": [0, 1]}, {"type": "string", "enum": ["random"]}]
_NULL: Final = {"type": "null"}


class FirstSeat(fields.Field[int | str]):
    """A seat number, or "random"."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int | str:
        if value == "random" or (type(value) is int and value in (0, 1)):
            return value  # type: ignore[no-any-return]
        raise ValidationError('Must be 0, 1 or "random".')


class DeckList(fields.Field[str | dict[str, int]]):
    """The name of a deck list, or a table of faces and numbers of cards."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str | dict[str, int]:
        if isinstance(value, str):
            return value
        if isinstance(value, dict) and all(type(count) is int for count in value.values()):
            return value
        raise ValidationError("Must be the name of a deck list, or an object of faces and numbers of cards.")


class Options(GameOptions):
    """The options of Migrato."""

    rules = _OPTION.choice("rules", "The rule book. The default is {default}.")
    return_flight = _OPTION.flag(
        "return_flight", "Play with the Return Flight cards. The default is {default}."
    )
    memory_aid = _OPTION.flag(
        "memory_aid",
        "Show players their own face-down cards. The default is {default}. A game with it is not rated.",
    )
    first_seat = FirstSeat(
        metadata={"oneOf": [*_FIRST_SEATS, _NULL], **_OPTION.metadata("first_seat", STARTER)}
    )
    turn_limit = _OPTION.limit(
        "turn_limit",
        "End the game after so many turns. With {default}, the default, it ends after `turn_cap`. "
        "A game with a limit is not rated.",
    )
    deck_list = DeckList(
        metadata={
            **_OPTION.metadata(
                "deck_list",
                "A deck list by name (the default is {default}), or as a table. A game with another one is not rated.",
            ),
            "oneOf": [
                {"type": "string"},
                {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 54}},
                _NULL,
            ],
        }
    )

    movement = fields.String(metadata=FOLLOWS)
    sweep = fields.String(metadata=FOLLOWS)
    turn_cap = StrictInt(metadata=FOLLOWS)
    flight_points = fields.Dict(fields.String(), StrictInt(), metadata=FOLLOWS)


def _ways(part: str) -> validate.OneOf:
    """One of the ways in which rule books settle that part."""
    return validate.OneOf([getattr(book, part) for book in RULE_BOOKS.values()])


class ResolvedOptions(Strict):
    """Every option of the game, as it was resolved when the game was created."""

    rules = text("The rule book.")
    movement = text("What the rule book lets move.", validate=_ways("movement"))
    sweep = text("What is discarded after an arrival.", validate=_ways("sweep"))
    return_flight = flag("Whether the Return Flight cards are in the game.")
    memory_aid = flag("Whether players are shown their own face-down cards.")
    first_seat = fields.Raw(required=True, metadata={"oneOf": _FIRST_SEATS, "description": "Who starts."})
    turn_limit = integer("The last turn; null if the game was created without a limit.", allow_none=True)
    turn_cap = integer("The last turn if `turn_limit` is null.")
    deck_list = fields.Dict(
        keys=fields.String(),
        values=StrictInt(),
        required=True,
        metadata={"description": "The number of cards by face."},
    )
    flight_points = fields.Dict(
        keys=fields.String(),
        values=StrictInt(),
        required=True,
        metadata={"description": "The points of the Return Flight card of each species."},
    )


class SetUp(RequestDocument):
    """A position set up by hand; the game is then unrated."""

    deck = fields.List(
        fields.String(validate=validate.Length(1, 16)),
        required=True,
        validate=validate.Length(1, 500),
        metadata={
            "description": "The exact deck order, first card drawn first: a permutation of the deck list."
        },
    )
