"""How the service is, and problem documents."""

from marshmallow import fields, validate

from service.http.problems import KINDS
from service.http.schemas.common.members import text
from service.http.schemas.fields import Strict, StrictInt


class Health(Strict):
    """The process answers."""

    status = text(validate=validate.Equal("ok"))
    version = text("The service's version.")
    domain = text(
        "Whether the rules run as machine code or as plain Python; they say the same.",
        validate=validate.OneOf(["compiled", "plain"]),
    )


_OK_OR_DOWN = validate.OneOf(["ok", "down"])


class Checks(Strict):
    """What the service needs, and whether it is there. What the settings switch off is left out."""

    store = text(validate=_OK_OR_DOWN)
    dispatcher = text(validate=_OK_OR_DOWN)
    workers = text(validate=_OK_OR_DOWN)
    remote = text("A worker that calls remote bots.", required=False, validate=_OK_OR_DOWN)
    thinkers = text("A worker that answers questions to bots.", required=False, validate=_OK_OR_DOWN)
    archiver = text("What moves finished games into the archive.", required=False, validate=_OK_OR_DOWN)


class Readiness(Strict):
    """All that is needed is there."""

    status = text(validate=validate.Equal("ok"))
    checks = fields.Nested(Checks, required=True)


class ProblemDocument(Strict):
    """Why a request was refused (RFC 9457); `code` is what programs look at."""

    type = text("Where the code is explained.")
    title = text()
    status = StrictInt(required=True)
    detail = text("For people; the words may change.")
    code = text("What programs look at.", validate=validate.OneOf(list(KINDS)))
    rule = fields.String(metadata={"description": "The section or ruling of the game's rules that says so."})
    version = StrictInt(metadata={"description": "The game's version."})
    errors = fields.Dict(
        keys=fields.String(),
        values=fields.List(fields.String()),
        metadata={"description": "Messages by field (dotted), parameter or header."},
    )
    to_act = StrictInt(metadata={"description": "The seat whose turn it is."})
    missing = fields.List(fields.String(), metadata={"description": "Cards that a deck lacks."})
    extra = fields.List(fields.String(), metadata={"description": "Cards that a deck has too many of."})
    checks = fields.Nested(Checks)
