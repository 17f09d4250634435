"""The options of Migo, as they are asked for and as they are answered; what can be prepared of a game."""

from typing import Any, Final

from marshmallow import ValidationError, fields, validate

from domain.migo.rules.cards import CARDS, IDS, KINDS, MOST_PIECES
from domain.migo.rules.options import OPTIONS, SEAT_COUNTS, last_round
from service.http.schemas.common.fields import RequestDocument
from service.http.schemas.common.options import (
    NULL,
    GameOptions,
    ResolvedGameOptions,
    asked,
    resolved,
    told,
)
from service.http.schemas.migo.cards import MigoFace, shown_card

MOST_ROUNDS: Final = last_round(SEAT_COUNTS[-1])
_KIND: Final = {"type": "string", "enum": list(KINDS)}
_COUNT: Final = {"type": "integer", "minimum": 0, "maximum": MOST_PIECES}
_FACE: Final = {
    "type": "object",
    "properties": {"kind": _KIND, "count": _COUNT},
    "required": ["kind", "count"],
}
_FACES: Final = {"type": "object", "properties": {"a": _FACE, "b": _FACE}, "required": ["a", "b"]}
_TABLE: Final = {"type": "object", "additionalProperties": _FACES}


class MigoCardFaces(RequestDocument):
    """Both faces of a card."""

    a = fields.Nested(MigoFace, required=True, metadata={"description": "The front: a climber."})
    b = fields.Nested(MigoFace, required=True, metadata={"description": "The back: a climber or a sherpa."})


def _cards() -> fields.Dict:
    """A table of cards."""
    return fields.Dict(
        keys=fields.String(validate=validate.OneOf(IDS)), values=fields.Nested(MigoCardFaces), required=True
    )


class MigoCardTable(fields.Field[str | dict[str, Any]]):
    """The name of a card table, or a table of the faces of all cards."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str | dict[str, Any]:
        if isinstance(value, str):
            return value
        if isinstance(value, dict):
            return _cards().deserialize(value)
        raise ValidationError("Must be the name of a card table, or an object of the faces of all cards.")


_CARD_TABLE: Final = next(option for option in OPTIONS if option.name == "card_table")


class MigoOptions(GameOptions):
    """The options of Migo."""

    class Meta(GameOptions.Meta):
        """A field for each row of the table."""

        include = asked(
            OPTIONS,
            SEAT_COUNTS[-1],
            {
                "card_table": MigoCardTable(
                    metadata={
                        "description": f"{told(_CARD_TABLE)} Send its name, or the faces of all cards from E01 to "
                        "E25. Fronts are climbers.",
                        "oneOf": [{"type": "string"}, _TABLE, NULL],
                    }
                )
            },
        )


class ResolvedMigoOptions(ResolvedGameOptions):
    """Every option of the game, as it was resolved when the game was created."""

    class Meta(ResolvedGameOptions.Meta):
        """A field for each row of the table."""

        include = resolved(
            OPTIONS,
            SEAT_COUNTS[-1],
            {
                "card_table": fields.Dict(
                    keys=fields.String(),
                    values=fields.Nested(MigoCardFaces),
                    required=True,
                    metadata={"description": "Both faces of each card."},
                )
            },
        )


class MigoSetUp(RequestDocument):
    """Rounds that are prepared instead of shuffled; the game is then unrated."""

    rounds = fields.List(
        fields.List(shown_card(), validate=validate.Length(1, CARDS)),
        required=True,
        validate=validate.Length(1, MOST_ROUNDS),
        metadata={
            "description": "The cards of the first rounds by place, each with the side that is up: `E07a` or `E07b`."
        },
    )
