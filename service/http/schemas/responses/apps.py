"""Apps in responses, as administrators see them."""

from marshmallow import fields, validate

from events.apps.records import KEY, KEY_ID, NAME
from events.apps.scopes import SCOPES
from service.http.schemas.common.members import moment, objects, text
from service.http.schemas.fields import Strict


class AppKey(Strict):
    """A key of an app, without the key itself."""

    id = text(
        "The key's id, which stands in the key after `mk_`.", validate=validate.Regexp(f"^{KEY_ID.pattern}$")
    )
    created_at = moment()
    expires_at = moment("When it expires; null for never.", allow_none=True)
    last_used_on = fields.Date(
        required=True,
        allow_none=True,
        metadata={"description": "The last day (UTC) on which it was used; null for never."},
    )


class AppDetails(Strict):
    """An app."""

    name = text("The app's name.", validate=validate.Regexp(f"^{NAME.pattern}$"))
    status = text(
        "Whether it has a valid key: `expired` if all it has have expired, `revoked` if it has none.",
        validate=validate.OneOf(["active", "expired", "revoked"]),
    )
    scopes = fields.List(
        fields.String(validate=validate.OneOf(SCOPES)),
        required=True,
        metadata={"description": "What its keys are good for."},
    )
    created_at = moment()
    keys = objects(AppKey, "Its keys, the oldest first; at most two are valid.")


class IssuedKey(Strict):
    """An app with a new key, which is shown this once."""

    app = fields.Nested(AppDetails, required=True)
    key_id = text("The new key's id.", validate=validate.Regexp(f"^{KEY_ID.pattern}$"))
    key = text(
        "The new key, to be sent as `Authorization: Bearer KEY`.",
        validate=validate.Regexp(f"^{KEY.pattern}$"),
    )


class AppsPage(Strict):
    """Some apps."""

    apps = objects(AppDetails, "The apps, in the order of their names.")
    next = text("The cursor of the next page; null on the last one.", allow_none=True)
