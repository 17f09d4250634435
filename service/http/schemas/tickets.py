"""Tickets in requests and in responses."""

from marshmallow import fields, validate

from events.features.tickets.tickets import LONGEST, USUAL
from service.http.schemas.common.fields import RequestDocument, Strict, StrictInt, invented
from service.http.schemas.common.members import integer, moment, seat_or_null, text


class WantedTicket(RequestDocument):
    """A ticket."""

    examples = invented(of_the_seat={"expires_in": 600})

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


class NewTicket(Strict):
    """A ticket that opens streams."""

    ticket = text("The ticket.", validate=validate.Regexp("^mt_[0-9A-Za-z_-]+$"))
    viewer = seat_or_null("The seat whose view its streams show; null for a spectator's.")
    expires_at = moment()
    stream = text("The address of the stream, with the ticket; add `&views=true` for states.")


class WantedEmbedTicket(RequestDocument):
    """The page that is to show the table."""

    examples = invented(of_the_seat={"parent": "https://game.example"})

    parent = fields.String(
        required=True,
        validate=validate.Length(1, 300),
        metadata={"description": "The origin of that page: one of MIGRATO_EMBED_ANCESTORS."},
    )


class NewEmbedTicket(Strict):
    """A table for a frame."""

    frame = text("The address of the frame, with the ticket.")
    expires_at = moment()


class Redeemed(Strict):
    """A seat for a frame."""

    seat = integer("The seat.")
    token = text("The seat's token.")
