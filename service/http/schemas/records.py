"""Replays and proofs of a game: the choice of steps, heads, keys, the check."""

from marshmallow import fields, validate

from events.audit.findings import REMARKS, VERDICTS
from service.http.schemas.common.fields import Strict, StrictInt, limit
from service.http.schemas.common.members import KEY_ID, SIGNATURE, count, digest, flag, game_id, text
from service.http.schemas.common.queries import version_parameter, viewer


class Head(Strict):
    """The head of a game, signed."""

    game_id = game_id()
    version = count()
    head = digest("The chain's head after that version.")
    key_id = text("null where nothing is signed.", allow_none=True, **KEY_ID)
    signature = text("In base64url; null where nothing is signed.", allow_none=True, **SIGNATURE)


class PublicKey(Strict):
    """A public key (RFC 7517, RFC 8037)."""

    kty = text(validate=validate.Equal("OKP"))
    crv = text(validate=validate.Equal("Ed25519"))
    x = text("The public key in base64url.")
    kid = text("The key's id.", **KEY_ID)
    use = text(validate=validate.Equal("sig"))


class PublicKeys(Strict):
    """A JWK set; the first key is the one that signs now."""

    keys = fields.List(fields.Nested(PublicKey), required=True)


class Check(Strict):
    """Result of one check."""

    check = text("Its name: docs/reference/verification.md tells what each one means.")
    status = text(
        "`partly`: nothing is wrong, but not all could be checked.",
        validate=validate.OneOf(["passed", "failed", "partly", "not-checked"]),
    )
    count = count("How much was found right.")
    note = fields.String(required=True, allow_none=True)


class Remark(Strict):
    """Remark: nothing that a check can find wrong, but a reader should know of it."""

    about = text(
        "What it is about: docs/reference/verification.md tells what there is.",
        validate=validate.OneOf(list(REMARKS)),
    )
    detail = text()


class Finding(Strict):
    """The first fault; nothing after it was looked at."""

    check = text()
    version = StrictInt(required=True, allow_none=True, metadata={"description": "The event, if it is one."})
    detail = text()
    expected = fields.String(required=True, allow_none=True)
    found = fields.String(required=True, allow_none=True)


class Audit(Strict):
    """Report on a game."""

    game_id = game_id()
    game = text()
    version = count("The events that were checked.")
    complete = flag("Whether the game is over and was all there to be checked.")
    passed = flag("Whether nothing was found wrong; `checks` tells what was not checked.")
    verdict = text(
        "`incomplete`: not over, or cut off; `unscored`: over, its result not confirmed.",
        validate=validate.OneOf(list(VERDICTS)),
    )
    checks = fields.List(fields.Nested(Check), required=True)
    remarks = fields.List(fields.Nested(Remark), required=True)
    wrong = fields.Nested(Finding, required=True, allow_none=True)


class ReplayQuery(Strict):
    """Choice of steps of a game."""

    after = version_parameter(
        "Return steps after this version. Beyond the last event the response is 404.", load_default=0
    )
    limit = limit(100, 20)
    seat = viewer()
