"""Results of games, as they are answered."""

from typing import Final

from marshmallow import fields

from domain.common_events.clocks import REASON as TIMEOUT
from domain.interventions import CLAIMED
from domain.interventions import REASON as ADJUDICATED
from service.http.schemas.common.fields import Strict, StrictInt
from service.http.schemas.common.members import flag, integers

# any game may end for these reasons, whatever its rules
COMMON_REASONS: Final = (TIMEOUT, ADJUDICATED, CLAIMED)


class EndReason(fields.String):
    """Reason for the end of a game, in the words of any game."""


class Result(Strict):
    """Result of a game."""

    winner = StrictInt(
        required=True,
        allow_none=True,
        metadata={"description": "The seat that won; null if several share the first place."},
    )
    places = integers(
        "The place of each seat; 1 is the best. Seats that tie share a place, and the next ones are left out."
    )
    reason = EndReason(required=True, metadata={"description": "Why the game ended."})
    scores = integers("The score of each seat.")
    scored = flag("Whether the scoring worker has confirmed it; then no event follows any more.")
