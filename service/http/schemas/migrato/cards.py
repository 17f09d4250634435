"""Cards, slots and species as Migrato's documents write them."""

from typing import Any

from marshmallow import fields, validate

from domain.migrato.rules.cards import SPECIES_IDS
from service.http.schemas.common.fields import Matches, StrictInt

FACE = r"^([GKSBT][1-9][dn]|HUN|HAB|LIG)$"
SPECIES = SPECIES_IDS
SLOTS = validate.Range(1, 4, error="Must be a slot: 1 to 4.")


def face(**kwargs: Any) -> fields.String:
    """A card by its face."""
    kwargs.setdefault("metadata", {"description": "A card by its face.", "example": "K3d"})
    return fields.String(validate=Matches(FACE, error="There is no such face."), **kwargs)


def slot(**kwargs: Any) -> StrictInt:
    """A column's place on its owner's side."""
    return StrictInt(validate=SLOTS, **kwargs)


def species(description: str, **kwargs: Any) -> fields.String:
    """A species by its id."""
    return fields.String(
        required=True, validate=validate.OneOf(SPECIES), metadata={"description": description}, **kwargs
    )


def species_list(description: str) -> fields.List[str]:
    """Species by their ids."""
    return fields.List(
        fields.String(validate=validate.OneOf(SPECIES)), required=True, metadata={"description": description}
    )
