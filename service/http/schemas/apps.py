"""Requests of those who administer apps."""

from marshmallow import fields, validate

from events.apps.administration import LONGEST_LIFE, LONGEST_OVERLAP, OVERLAP, SHORTEST_LIFE
from events.apps.records import NAME
from events.apps.scopes import SCOPES
from service.http.schemas.fields import Matches, RequestDocument, Strict, StrictInt, cursor, limit

A_NAME = "Must be 1 to 64 lower-case letters, digits, - and _, and begin with a letter or digit."


def _expires_in() -> StrictInt:
    return StrictInt(
        validate=validate.Range(
            SHORTEST_LIFE, LONGEST_LIFE, error=f"Must be {SHORTEST_LIFE} to {LONGEST_LIFE} seconds."
        ),
        metadata={
            "description": "After how many seconds the key expires. Without it the key does not expire."
        },
    )


class NewApp(RequestDocument):
    """An app."""

    name = fields.String(
        required=True,
        validate=Matches(f"^{NAME.pattern}$", error=A_NAME),
        metadata={"description": "The app's name, which its games belong to.", "example": "chess-club"},
    )
    scopes = fields.List(
        fields.String(validate=validate.OneOf(SCOPES)),
        validate=validate.Length(1, len(SCOPES)),
        metadata={"description": "What its keys are good for. The default is everything but `admin`."},
    )
    expires_in = _expires_in()


class KeyRotation(RequestDocument):
    """Another key."""

    overlap = StrictInt(
        load_default=OVERLAP,
        validate=validate.Range(0, LONGEST_OVERLAP, error=f"Must be 0 to {LONGEST_OVERLAP} seconds."),
        metadata={"description": "For how many seconds the former key stays valid; 0 voids all former keys."},
    )
    expires_in = _expires_in()


class AppsQuery(Strict):
    """Choice of apps."""

    limit = limit()
    cursor = cursor(validate.Length(1, 64))
