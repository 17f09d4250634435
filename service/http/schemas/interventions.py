"""Requests by which a game's own app decides about the game."""

from typing import Any, Final

from marshmallow import ValidationError, fields, validate, validates_schema

from service.http.schemas.common.fields import RequestDocument, StrictInt, invented
from service.http.schemas.games.requests import MOST_SEATS

_ONE_OF: Final = ("winner", "loser", "places")
_ONLY_ONE: Final = "Send one of `winner`, `loser` and `places`."


class Adjudication(RequestDocument):
    """Verdict on a game: exactly one of the three members."""

    examples = invented(ada_wins={"winner": 0})

    exactly_one = _ONE_OF

    winner = StrictInt(
        validate=validate.Range(0, MOST_SEATS - 1),
        metadata={"description": "The seat that is awarded the game; all others share the second place."},
    )
    loser = StrictInt(
        validate=validate.Range(0, MOST_SEATS - 1),
        metadata={"description": "The seat that loses the game; all others share the first place."},
    )
    places = fields.List(
        StrictInt(validate=validate.Range(1, MOST_SEATS)),
        validate=validate.Length(1, MOST_SEATS),
        metadata={
            "description": "The place of each seat; 1 is the best. Seats that tie share a place, and the next ones are "
            "left out.",
            "example": [1, 3, 2],
        },
    )

    @validates_schema(skip_on_field_errors=True)
    def only_one(self, data: dict[str, Any], **_: Any) -> None:
        """The error names each member beyond one; without any, it names all three."""
        given = [name for name in _ONE_OF if name in data]
        if len(given) != 1:
            raise ValidationError({name: [_ONLY_ONE] for name in given or _ONE_OF})


class Substitute(RequestDocument):
    """The bot that takes a player's place."""

    examples = invented(bob_has_left={"bot": "greedy"})

    bot = fields.String(
        required=True,
        validate=validate.Length(1, 64),
        metadata={"description": "A name of GET /v1/bots.", "example": "greedy"},
    )
