"""The options of Migrato, as they are asked for and as they are answered; what can be prepared of a game."""

from typing import Any, Final

from marshmallow import ValidationError, fields, validate

from domain.migrato.rules.options import OPTIONS
from domain.migrato.rules.rule_books import RULE_BOOKS, SEATS
from service.http.schemas.common.fields import RequestDocument, StrictInt
from service.http.schemas.common.members import integer, text
from service.http.schemas.common.options import (
    FOLLOWS,
    NULL,
    GameOptions,
    ResolvedGameOptions,
    asked,
    resolved,
    told,
)


class DeckList(fields.Field[str | dict[str, int]]):
    """The name of a deck list, or a table of faces and numbers of cards."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str | dict[str, int]:
        if isinstance(value, str):
            return value
        if isinstance(value, dict) and all(type(count) is int for count in value.values()):
            return value
        raise ValidationError("Must be the name of a deck list, or an object of faces and numbers of cards.")


_DECK_LIST: Final = next(option for option in OPTIONS if option.name == "deck_list")
_CARDS: Final = {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0, "maximum": 54}}


class Options(GameOptions):
    """The options of Migrato."""

    class Meta(GameOptions.Meta):
        """A field for each row of the table."""

        include = asked(
            OPTIONS,
            SEATS,
            {
                "deck_list": DeckList(
                    metadata={
                        "description": f"{told(_DECK_LIST)} Send its name, or a table of faces and numbers of cards.",
                        "oneOf": [{"type": "string"}, _CARDS, NULL],
                    }
                ),
                "movement": fields.String(metadata=FOLLOWS),
                "sweep": fields.String(metadata=FOLLOWS),
                "turn_cap": StrictInt(metadata=FOLLOWS),
                "flight_points": fields.Dict(fields.String(), StrictInt(), metadata=FOLLOWS),
            },
        )


def _ways(part: str) -> validate.OneOf:
    """One of the ways in which rule books settle that part."""
    return validate.OneOf([getattr(book, part) for book in RULE_BOOKS.values()])


def _numbers(description: str) -> fields.Dict:
    """A whole number by name."""
    return fields.Dict(
        keys=fields.String(), values=StrictInt(), required=True, metadata={"description": description}
    )


class ResolvedOptions(ResolvedGameOptions):
    """Every option of the game, as it was resolved when the game was created."""

    class Meta(ResolvedGameOptions.Meta):
        """A field for each row of the table."""

        include = resolved(
            OPTIONS,
            SEATS,
            {
                "rules": text("The rule book."),
                "movement": text("What the rule book lets move.", validate=_ways("movement")),
                "sweep": text("What is discarded after an arrival.", validate=_ways("sweep")),
                "turn_cap": integer("The last turn if `turn_limit` is null."),
                "deck_list": _numbers("The number of cards by face."),
                "flight_points": _numbers("The points of the Return Flight card of each species."),
            },
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
