"""Size of a search, in requests."""

from typing import Any

from marshmallow import ValidationError, validate, validates_schema

from domain.bot import LONGEST, MOST_ITERATIONS
from events.features.bots.queue import LONGEST_THOUGHT
from service.http.schemas.common.fields import RequestDocument, StrictInt

MOST_MILLISECONDS = round(1000 * LONGEST)
LONGEST_MILLISECONDS = round(1000 * LONGEST_THOUGHT)


class BudgetShape(RequestDocument):
    """Size of a search: a number of iterations, or of milliseconds. At most 5 seconds."""

    exactly_one = ("iterations", "milliseconds")

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


class PositionBudget(BudgetShape):
    """Size of a search in a described position."""

    milliseconds = StrictInt(
        validate=validate.Range(1, LONGEST_MILLISECONDS),
        metadata={"description": f"Above {MOST_MILLISECONDS} only with `Prefer: respond-async`."},
    )
