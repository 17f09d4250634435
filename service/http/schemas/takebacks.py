"""Moves taken back, in requests and in responses."""

from typing import Any

from marshmallow import ValidationError, validate, validates_schema

from service.http.schemas.common.fields import (
    RequestDocument,
    Strict,
    StrictBool,
    StrictInt,
    invented,
)
from service.http.schemas.common.members import (
    count,
    flag,
    integers,
    seat_or_null,
    text,
)


class Takeback(Strict):
    """Status of taking the last move back."""

    version = count()
    asked_by = seat_or_null("The seat that asks to take its last move back; null if none does.")
    to_version = count(
        "The last event before that move: the table would be the one after this event. Null if nobody asks.",
        allow_none=True,
    )
    agreed = integers("The seats that have agreed; bots agree by themselves.")
    missing = integers("The seats whose consent is missing.")
    may_ask = flag("Whether the caller's seat may ask now.")
    refusal = text(
        "Why it may not: the end of the problem's `type`. Null if it may, while a request is open, and for a caller "
        "without a seat.",
        allow_none=True,
    )
    left = count(
        "How many more requests the caller's seat can make in the game; 0 for a caller without a seat."
    )


class TakebackWord(RequestDocument):
    """Word of a seat about a takeback; without members it asks for one."""

    examples = invented(the_other_agrees={"agree": True})

    agree = StrictBool(
        metadata={
            "description": "Whether the seat agrees to what another seat asks. `false` of the seat that has asked "
            "withdraws the request. Left out, the seat asks to take its own last move back."
        },
    )
    to_version = StrictInt(
        validate=validate.Range(min=0),
        metadata={
            "description": "Which request is answered: the `to_version` that it has in its event. Where the request "
            "that stands is another one, the answer is 409 `nothing-to-take-back`. Left out: whichever stands."
        },
    )

    @validates_schema
    def _an_answer(self, data: dict[str, Any], **_: Any) -> None:
        if "to_version" in data and "agree" not in data:
            raise ValidationError("Only an answer has it: send `agree`, too.", "to_version")
