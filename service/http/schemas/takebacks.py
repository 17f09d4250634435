"""Moves taken back, in responses."""

from service.http.schemas.common.members import count, flag, integers, seat_or_null, text
from service.http.schemas.fields import Strict


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
