"""Moves of Migrato as they are posted, one schema for each type."""

from typing import Any

from marshmallow import ValidationError, fields, validate, validates_schema

from service.http.schemas.common.fields import RequestDocument, StrictBool, StrictInt
from service.http.schemas.common.moves import Resign
from service.http.schemas.migrato.cards import SPECIES, face, slot


def _discard() -> fields.String:
    text = "Finishes the turn in the same request; ignored if the action ends the game."
    return face(metadata={"description": text, "example": "S1n"})


def _on_arrival() -> fields.String:
    text = "With Return Flight: make a pile, or take the Return Flight card. The default is `settle`."
    return fields.String(validate=validate.OneOf(["settle", "return"]), metadata={"description": text})


class Move(RequestDocument):
    """Common part of every move: its type."""

    type = fields.String(required=True)


class Play(Move):
    """A bird card from hand goes to the bottom of a column, or starts one (`slot` null)."""

    type = fields.String(required=True, validate=validate.Equal("play"))
    card = face(required=True)
    slot = slot(allow_none=True, metadata={"description": "null, the default, starts a column."})
    on_arrival = _on_arrival()
    discard = _discard()


class MoveCards(Move):
    """The cards of an own column from `index` (from 0) on go to another one or to a new one (`to` null)."""

    type = fields.String(required=True, validate=validate.Equal("move_cards"))
    from_ = slot(required=True, data_key="from")
    index = StrictInt(required=True, validate=validate.Range(0, 4, error="Must be 0 to 4."))
    to = slot(allow_none=True, metadata={"description": "null, the default, is a new column."})
    uncover = StrictBool(
        metadata={"description": "Turn up a column of face-down cards. The default is false."}
    )
    on_arrival = _on_arrival()
    discard = _discard()


class Target(RequestDocument):
    """Target of a danger: an opposing column, or an opposing pile."""

    slot = slot()
    pile = fields.String(validate=validate.OneOf(SPECIES))

    @validates_schema(skip_on_field_errors=True)
    def one_of_both(self, data: dict[str, Any], **_: Any) -> None:
        """Exactly one is named."""
        if len(data) != 1:
            raise ValidationError("Name either a slot or a pile.")


class Danger(Move):
    """A danger card takes one opposing bird card into hand."""

    type = fields.String(required=True, validate=validate.Equal("danger"))
    card = face(required=True, metadata={"description": "A danger card.", "example": "HUN"})
    target = fields.Nested(Target, required=True)
    discard = _discard()


class Discard(Move):
    """One hand card goes to the discard pile, which ends the turn."""

    type = fields.String(required=True, validate=validate.Equal("discard"))
    card = face(required=True)


class Exchange(Move):
    """The whole hand goes, three new cards come."""

    type = fields.String(required=True, validate=validate.Equal("exchange"))


class Abandon(Move):
    """One whole own column goes to the discard pile."""

    type = fields.String(required=True, validate=validate.Equal("abandon"))
    slot = slot(required=True)


class Pass(Move):
    """Nothing; only when nothing else is legal."""

    type = fields.String(required=True, validate=validate.Equal("pass"))


MOVES: dict[str, RequestDocument] = {
    "play": Play(),
    "move_cards": MoveCards(),
    "danger": Danger(),
    "discard": Discard(),
    "exchange": Exchange(),
    "abandon": Abandon(),
    "pass": Pass(),
    "resign": Resign(),
}
