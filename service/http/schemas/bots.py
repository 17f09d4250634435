"""Questions to bots."""

from typing import Any

from marshmallow import ValidationError, fields, validate, validates_schema

from domain.bot import LONGEST, MOST_ITERATIONS
from domain.registry import DEFAULT_GAME
from service.http.schemas.fields import Matches, RequestDocument, StrictInt

MOST_MILLISECONDS = round(1000 * LONGEST)
LONGEST_NAME = 64  # of a game


class BudgetShape(RequestDocument):
    """Size of a search: a number of iterations, or of milliseconds. At most 5 seconds."""

    iterations = StrictInt(
        validate=validate.Range(1, MOST_ITERATIONS),
        metadata={"description": "The number of iterations. Reproducible with a seed."},
    )
    milliseconds = StrictInt(
        validate=validate.Range(1, MOST_MILLISECONDS), metadata={"description": "The time in milliseconds."}
    )

    @validates_schema(skip_on_field_errors=True)
    def one_of_both(self, data: dict[str, Any], **_: Any) -> None:
        """Exactly one is named."""
        if len(data) != 1:
            raise ValidationError("Give either iterations or milliseconds.")


_SENT_ALONG = {"description": "Ignored. Remote bots receive it and may pass on the whole document."}


class Position(RequestDocument):
    """A position as a seat sees it, and how long to search."""

    game = fields.String(
        validate=validate.Length(1, LONGEST_NAME),
        metadata={
            "description": f"The default is the game that `view.game` names; `{DEFAULT_GAME}` if it names none."
        },
    )
    view = fields.Dict(
        required=True,
        metadata={
            "description": "The view of the seat to act, as GET /v1/games/{game_id} returns it to that seat."
        },
    )
    history = fields.List(
        fields.Dict(),
        metadata={
            "description": "All events of the game, as GET /v1/games/{game_id}/events returns them to that seat. "
            "Without them the bot only knows the view."
        },
    )
    legal_moves = fields.List(fields.Dict(keys=fields.String()), metadata=_SENT_ALONG)
    deadline = fields.String(metadata=_SENT_ALONG)
    budget = fields.Nested(BudgetShape, metadata={"description": "The default is the bot's own."})
    seed = fields.String(
        validate=Matches("^[0-9a-f]{16}$", error="Must be 16 lower-case hex digits."),
        metadata={
            "description": "The seed of the bot's random numbers. The default is a random one.",
            "example": "00000000000000a7",
        },
    )
