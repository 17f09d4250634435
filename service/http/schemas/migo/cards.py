"""Cards and their faces as Migo's documents write them."""

from typing import Any

from marshmallow import fields, validate

from domain.migo.rules.cards import KINDS, SIDES
from domain.migo.rules.layouts import LAYOUTS
from service.http.schemas.common.fields import Matches, Strict
from service.http.schemas.common.members import count, text

CARD = r"^E(0[1-9]|1[0-9]|2[0-5])$"
SHOWN = r"^E(0[1-9]|1[0-9]|2[0-5])[ab]$"


def card(description: str, **kwargs: Any) -> fields.String:
    """A card by its id."""
    return fields.String(
        validate=Matches(CARD, error="There is no such card: they are E01 to E25."),
        metadata={"description": description, "example": "E07"},
        **kwargs,
    )


def shown_card(**kwargs: Any) -> fields.String:
    """A card with the face that is up, as in E07a."""
    return fields.String(
        validate=Matches(SHOWN, error="Must be a card and the face that is up, as E07a or E07b."), **kwargs
    )


def side(description: str) -> fields.String:
    """The side of a card that is up."""
    return text(description, validate=validate.OneOf(SIDES))


def layout(description: str) -> fields.String:
    """The layout of a round."""
    return text(description, validate=validate.OneOf(LAYOUTS))


class MigoFace(Strict):
    """Picture of a face."""

    kind = text("The kind of equipment, or `sherpa`.", validate=validate.OneOf(KINDS))
    count = count("How many pieces it shows; 0 for a sherpa.")
