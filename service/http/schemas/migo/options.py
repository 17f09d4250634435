"""The options of Migo, as they are asked for and as they are answered; what can be prepared of a game."""

from typing import Any, Final

from marshmallow import ValidationError, fields, validate

from domain.migo.rules.cards import CARDS, IDS, KINDS, MOST_PIECES
from domain.migo.rules.layouts import LAYOUTS
from domain.migo.rules.options import LAYOUT_SIZES, OPTIONS, SEAT_COUNTS, last_round
from service.http.schemas.common.members import integer, text
from service.http.schemas.common.options import STARTER, GameOptions, OptionFields
from service.http.schemas.fields import RequestDocument, Strict
from service.http.schemas.migo.cards import MigoFace, shown_card

MOST_ROUNDS: Final = last_round(SEAT_COUNTS[-1])
LAST_SEAT: Final = SEAT_COUNTS[-1] - 1
_OPTION: Final = OptionFields(OPTIONS)
# One enum for each type: code generators do not take one of numbers and texts.
_FIRST_SEATS: Final = [
    {"type": "integer", "enum": list(range(LAST_SEAT + 1))},
    {"type": "string", "enum": ["random"]},
]
_NULL: Final = {"type": "null"}
_KIND: Final = {"type": "string", "enum": list(KINDS)}
_COUNT: Final = {"type": "integer", "minimum": 0, "maximum": MOST_PIECES}
_FACE: Final = {
    "type": "object",
    "properties": {"kind": _KIND, "count": _COUNT},
    "required": ["kind", "count"],
}
_FACES: Final = {"type": "object", "properties": {"a": _FACE, "b": _FACE}, "required": ["a", "b"]}
_TABLE: Final = {"type": "object", "additionalProperties": _FACES}


class MigoFirstSeat(fields.Field[int | str]):
    """A seat number, or "random"."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int | str:
        if value == "random" or (type(value) is int and 0 <= value <= LAST_SEAT):
            return value  # type: ignore[no-any-return]
        raise ValidationError('Must be the number of a seat or "random".')


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


class MigoOptions(GameOptions):
    """The options of Migo."""

    layout_size = _OPTION.choice(
        "layout_size", "`large`: two players use the layouts for three or four. The default is {default}."
    )
    first_seat = MigoFirstSeat(
        metadata={"oneOf": [*_FIRST_SEATS, _NULL], **_OPTION.metadata("first_seat", STARTER)}
    )
    round4_layout = _OPTION.choice(
        "round4_layout", "The layout of round 4, if it comes to that. The default is {default}."
    )
    turn_limit = _OPTION.limit(
        "turn_limit",
        "End the game after so many cards have been taken. {default}, the default, is no limit. "
        "A game with a limit is not rated.",
    )
    card_table = MigoCardTable(
        metadata={
            **_OPTION.metadata(
                "card_table",
                "What the faces show: a card table by name (the default is {default}), or the faces of all "
                "cards from E01 to E25. Fronts are climbers. A game with another one is not rated.",
            ),
            "oneOf": [{"type": "string"}, _TABLE, _NULL],
        }
    )


class ResolvedMigoOptions(Strict):
    """Every option of the game, as it was resolved when the game was created."""

    layout_size = text("The size of the layouts.", validate=validate.OneOf(LAYOUT_SIZES))
    first_seat = fields.Raw(
        required=True, metadata={"oneOf": _FIRST_SEATS, "description": "Who starts round 1."}
    )
    round4_layout = text("The layout of round 4.", validate=validate.OneOf(LAYOUTS))
    turn_limit = integer("How many cards are taken at most; null without a limit.", allow_none=True)
    card_table = fields.Dict(
        keys=fields.String(),
        values=fields.Nested(MigoCardFaces),
        required=True,
        metadata={"description": "Both faces of each card."},
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
