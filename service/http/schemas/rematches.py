"""Rematches in responses."""

from marshmallow import fields

from service.http.schemas.common.fields import Strict
from service.http.schemas.common.members import game_id, integers, moment, seat_or_null, text
from service.http.schemas.games.responses import EXPIRES_AT, Links


class RematchGame(Strict):
    """The new game."""

    id = game_id()
    seat = seat_or_null("The caller's seat in it; null for a caller without one.")
    token = text(
        "The token of that seat, for the holder of the former seat's token; null for others, and for a seat that "
        "has not asked for its token yet.",
        allow_none=True,
    )
    expires_at = moment(EXPIRES_AT, required=False)
    links = fields.Nested(Links, required=True)


class Rematch(Strict):
    """Status of a rematch."""

    rematch_of = game_id()
    agreed = integers("The seats of the former game that agree.")
    missing = integers("The seats whose consent is missing; none once the new game is there.")
    match = fields.Nested(RematchGame, required=True, allow_none=True)
