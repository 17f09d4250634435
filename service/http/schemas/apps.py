"""Apps in requests of administrators and in responses."""

from marshmallow import fields, validate

from events.features.apps.administration import LONGEST_LIFE, LONGEST_OVERLAP, OVERLAP, SHORTEST_LIFE
from events.features.apps.records import KEY, KEY_ID, NAME
from events.features.apps.scopes import SCOPES
from events.features.usage.quotas import MOST
from service.http.schemas.common.fields import (
    Matches,
    RequestDocument,
    Strict,
    StrictInt,
    cursor,
    invented,
    limit,
)
from service.http.schemas.common.members import moment, objects, text
from service.http.schemas.own_data import MetadataField

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

    examples = invented(
        of_a_club={"name": "chess-club", "scopes": ["games:read", "games:write"], "expires_in": 7776000}
    )

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
    metadata = MetadataField()


def _quota() -> StrictInt:
    return StrictInt(validate=validate.Range(0, MOST), allow_none=True)


class AppQuota(Strict):
    """A quota by day and by month."""

    day = _quota()
    month = _quota()


class AppQuotas(Strict):
    """Quotas of an app, on what it begins. Running games go on."""

    games = fields.Nested(AppQuota, allow_none=True)
    questions = fields.Nested(AppQuota, allow_none=True)


class AppLimits(Strict):
    """Limits of an app's own, by minute, in place of its share of the engine's."""

    games = _quota()
    forks = _quota()
    bots = _quota()
    records = _quota()


class ChangedApp(RequestDocument):
    """A change of an app: of the members that are named."""

    examples = invented(of_a_club={"metadata": {"owner": "kim"}, "quotas": {"games": {"day": 1000}}})

    metadata = MetadataField(is_change=True)
    quotas = fields.Nested(AppQuotas, allow_none=True)
    limits = fields.Nested(AppLimits, allow_none=True)


class KeyRotation(RequestDocument):
    """Another key."""

    examples = invented(for_a_day={})

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
    metadata = MetadataField()
    quotas = fields.Nested(AppQuotas)
    limits = fields.Nested(AppLimits)


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
