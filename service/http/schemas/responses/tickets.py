"""Tickets in responses."""

from marshmallow import validate

from service.http.schemas.common.members import moment, seat_or_null, text
from service.http.schemas.fields import Strict


class NewTicket(Strict):
    """A ticket that opens streams."""

    ticket = text("The ticket.", validate=validate.Regexp("^mt_[0-9A-Za-z_-]+$"))
    viewer = seat_or_null("The seat whose view its streams show; null for a spectator's.")
    expires_at = moment()
    stream = text("The address of the stream, with the ticket; add `&views=true` for states.")
