"""Health, readiness and problem documents."""

from marshmallow import fields, validate

from events.store.servers.durability import CODES
from events.store.servers.open_files import FEW_FILES
from service.http.problems import KINDS
from service.http.schemas.common.fields import Strict, StrictInt
from service.http.schemas.common.members import moment, text


class Health(Strict):
    """The health of a process."""

    status = text(validate=validate.Equal("ok"))
    version = text("The service's version.")
    domain = text(
        "Whether the rules, and what a move passes through, run compiled or as plain Python. The results are the same.",
        validate=validate.OneOf(["compiled", "plain"]),
    )


_OK_OR_DOWN = validate.OneOf(["ok", "down"])


class Checks(Strict):
    """The parts of the service and whether each is running. Parts that are switched off are left out."""

    store = text(validate=_OK_OR_DOWN)
    dispatcher = text(validate=_OK_OR_DOWN)
    workers = text(validate=_OK_OR_DOWN)
    remote = text("A worker that calls remote bots.", required=False, validate=_OK_OR_DOWN)
    thinkers = text("A worker that answers questions to bots.", required=False, validate=_OK_OR_DOWN)
    archiver = text(
        "The process that moves finished games into the archive.", required=False, validate=_OK_OR_DOWN
    )
    webhooks = text(
        "The process that fills apps' event logs and sends webhooks.", required=False, validate=_OK_OR_DOWN
    )


class ServerFault(Strict):
    """Something that can lose what the service was given, or can let nobody in."""

    code = text(validate=validate.OneOf((*CODES, FEW_FILES)))
    detail = text("An explanation for people. The text may change.")


class Readiness(Strict):
    """The readiness of the service."""

    status = text(
        "`degraded`: all is running, but a server may lose what it was given, or this process lets nobody new in.",
        validate=validate.OneOf(["ok", "degraded"]),
    )
    checks = fields.Nested(Checks, required=True)
    reasons = fields.List(
        fields.Nested(ServerFault), metadata={"description": "Why it is `degraded`; then only."}
    )


class ReachedLimit(Strict):
    """A limit that the caller has reached."""

    name = text("The limit, and of whom it is one: `forks-per-seat`.")
    quota = StrictInt(required=True, metadata={"description": "So many at once, or in a window."})
    window_seconds = StrictInt(metadata={"description": "The length of the window, if it is a rate."})
    begins_anew_at = moment("Of a quota.", required=False)


class ProblemDocument(Strict):
    """An error (RFC 9457). Programs should look at `code`."""

    type = text("The address of the explanation of the code.")
    title = text()
    status = StrictInt(required=True)
    detail = text("An explanation for people. The text may change.")
    code = text("The code of the error, which does not change.", validate=validate.OneOf(list(KINDS)))
    request_id = text(
        "By which the operator finds the request in the logs; also in the header `X-Request-Id`."
    )
    rule = fields.String(metadata={"description": "The section or ruling of the game's rules."})
    rule_url = fields.String(metadata={"description": "Where the guide of this engine explains the rule."})
    version = StrictInt(metadata={"description": "The game's version."})
    errors = fields.Dict(
        keys=fields.String(),
        values=fields.List(fields.String()),
        metadata={
            "description": "Messages by field (a dotted path), parameter or header; of many the first 50."
        },
    )
    to_act = StrictInt(metadata={"description": "The seat to act."})
    learnt_by = fields.String(
        metadata={"description": "The type of the event by which somebody has learnt something."}
    )
    deadline = fields.String(
        metadata={"format": "date-time", "description": "When the time of the seat to act was up."}
    )
    missing = fields.List(
        fields.String(), metadata={"description": "The cards that are missing in the deck."}
    )
    extra = fields.List(fields.String(), metadata={"description": "The cards that are too many in the deck."})
    checks = fields.Nested(Checks)
    limit = fields.Nested(ReachedLimit)
    scope = fields.String(
        metadata={"description": "What an app key must be good for, and the one in the request is not."}
    )
    key_ids = fields.List(fields.String(), metadata={"description": "The ids of the app's valid keys."})
    game_id = fields.String(metadata={"description": "The game that is gone."})
    pruned_at = fields.String(metadata={"format": "date-time"})
    head = fields.String(metadata={"description": "The last head of its chain."})
    digest = fields.String(metadata={"description": "The SHA-256 of its export."})
