"""Moves that every game may have."""

from marshmallow import fields, validate

from service.http.schemas.common.fields import RequestDocument


class Resign(RequestDocument):
    """Give the game up; always possible, and therefore not listed among the legal moves."""

    type = fields.String(required=True, validate=validate.Equal("resign"))
