"""Moves of Migo as they are posted, one schema for each type."""

from marshmallow import fields, validate

from service.http.schemas.common.fields import RequestDocument, StrictBool, StrictInt
from service.http.schemas.common.moves import Resign
from service.http.schemas.migo.cards import card


class MigoTake(RequestDocument):
    """A card that no other card covers is taken, which is a turn."""

    type = fields.String(required=True, validate=validate.Equal("take"))
    place = StrictInt(
        required=True,
        validate=validate.Range(0),
        metadata={"description": "The place of the card.", "example": 3},
    )
    flip = card("At a sherpa: the own card to turn over. null, the default, turns none.")
    drink = StrictBool(
        metadata={
            "description": "Turn a full bottle to its empty side, for another turn. The default is false."
        }
    )


MOVES: dict[str, RequestDocument] = {"take": MigoTake(), "resign": Resign()}
