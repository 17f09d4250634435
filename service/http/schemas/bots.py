"""What bots are asked."""

from typing import Any

from marshmallow import ValidationError, fields, validate, validates_schema

from domain.registry import DEFAULT_GAME
from service.http.schemas.fields import Asked, Matches, StrictInt

MOST_ITERATIONS = 1_000_000
MOST_MILLISECONDS = 5_000


class BudgetShape(Asked):
    """How long to think: so many iterations, or so many milliseconds. Whatever is asked, 5 seconds is the end."""

    iterations = StrictInt(
        validate=validate.Range(1, MOST_ITERATIONS), metadata={"description": "Reproducible with a seed."}
    )
    milliseconds = StrictInt(validate=validate.Range(1, MOST_MILLISECONDS))

    @validates_schema(skip_on_field_errors=True)
    def one_of_both(self, data: dict[str, Any], **_: Any) -> None:
        """Exactly one is named."""
        if len(data) != 1:
            raise ValidationError("Name either iterations or milliseconds.")


_SENT_ALONG = {"description": "Not looked at. A remote bot is sent it along, and may pass all on as it is."}


class Position(Asked):
    """A position as a seat sees it, and how to think about it."""

    game = fields.String(load_default=DEFAULT_GAME, validate=validate.Length(1, 64))
    view = fields.Dict(
        required=True,
        metadata={
            "description": "The view of the seat that is to act, as GET /v1/games/{game_id} gives it to that seat."
        },
    )
    history = fields.List(
        fields.Dict(),
        metadata={
            "description": "The game's events as that seat sees them, as GET /v1/games/{game_id}/events gives "
            "them, from the first on. Without them the bot knows only what lies on the table."
        },
    )
    legal_moves = fields.List(fields.Dict(keys=fields.String()), metadata=_SENT_ALONG)
    deadline = fields.String(metadata=_SENT_ALONG)
    budget = fields.Nested(BudgetShape, metadata={"description": "The default is the bot's own."})
    seed = fields.String(
        validate=Matches("^[0-9a-f]{16}$", error="Must be 16 hex digits, in lower case."),
        metadata={
            "description": "The seed of the bot's chance; by default any.",
            "example": "00000000000000a7",
        },
    )
