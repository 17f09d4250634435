"""Requests for tickets."""

from marshmallow import fields, validate

from events.use_cases.tickets import LONGEST, USUAL
from service.http.schemas.fields import RequestDocument, StrictInt


class WantedTicket(RequestDocument):
    """A ticket."""

    view = fields.String(
        validate=validate.OneOf(["seat", "spectator"]),
        metadata={
            "description": "Whose view the stream shows: the seat's, whose token asks, or a spectator's. "
            "The default is the seat's, and without a seat's token a spectator's."
        },
    )
    expires_in = StrictInt(
        load_default=USUAL,
        validate=validate.Range(1, LONGEST, error=f"Must be 1 to {LONGEST} seconds."),
        metadata={
            "description": "After how many seconds the ticket expires: it opens no stream then, and its own end."
        },
    )
