"""An app's own bots in requests and in responses."""

import re
from typing import Final

from marshmallow import ValidationError, fields, validate

from events.features.registered_bots.records import NAME
from events.log.seeds import WHOLE
from service.http.schemas.common.fields import (
    Matches,
    RequestDocument,
    Strict,
    StrictBool,
    StrictInt,
    invented,
)
from service.http.schemas.common.members import count, integer, moment, objects, strings, text
from service.http.schemas.games.requests import Secret, remote_url
from service.http.schemas.ratings import PlayerRating
from service.http.schemas.webhooks import SECRET, UNPRINTABLE

PART: Final = validate.Range(0, WHOLE, error=f"Must be 0 to {WHOLE} per cent.")


def _printable(text: str) -> None:
    if re.search(f"[{UNPRINTABLE}]", text):
        raise ValidationError("Must have printable characters alone.")


class NewBotVersion(RequestDocument):
    """A version of an app's bot."""

    examples = invented(
        first={"name": "my-bot", "url": "https://198.41.0.4/migrato", "strength": "beats greedy"}
    )

    name = fields.String(
        required=True,
        validate=Matches(f"^{NAME.pattern}$", error="Must have 1 to 32 of a-z, 0-9 and -."),
        metadata={"description": "Not one of the engine's."},
    )
    url = remote_url()
    secret = Secret(metadata={"description": "Of a new bot. By default the service makes one."})
    strength = fields.String(
        load_default="",
        validate=[validate.Length(0, 256), _printable],
    )
    share = StrictInt(
        validate=PART,
        metadata={"description": "As in `shares`."},
    )


class ChangedBot(RequestDocument):
    """Changes of the versions that play; members that are left out stay."""

    examples = invented(rolled_back={"current": 1, "shares": {"2": 10}})

    current = StrictInt(metadata={"description": "The version that the name alone means."})
    shares = fields.Dict(
        keys=fields.Integer(),
        values=StrictInt(validate=PART),
        metadata={"description": "Per cents of new games, by version."},
    )
    retired = fields.List(StrictInt(), metadata={"description": "All that play in no new game."})
    removed = fields.List(StrictInt(), metadata={"description": "Versions to remove for good."})


class BotHealth(Strict):
    """Calls today and yesterday; times are upper bounds."""

    answered = count()
    p50_ms = integer(allow_none=True)
    p95_ms = integer(allow_none=True)
    fallbacks = fields.Dict(keys=fields.String(), values=StrictInt(), required=True)


class OwnBotVersion(Strict):
    """A version; it never changes, but may be retired."""

    version = text()
    url = text()
    strength = text()
    created_at = moment()
    retired = StrictBool(required=True)
    share = count()
    health = fields.Nested(BotHealth, required=True)
    ratings = objects(PlayerRating, "By games of this app.")


class TriedPosition(RequestDocument):
    """A position as for `choose`."""

    examples = invented(fresh={})

    game = fields.String(validate=validate.Length(1, 64))
    view = fields.Dict(metadata={"description": "By default a fresh deal."})
    history = fields.List(fields.Dict())


class BotTrial(Strict):
    """The move, and what is wrong."""

    bot = text()
    version = text()
    milliseconds = integer("Null without a call.", allow_none=True)
    move = fields.Dict(required=True, allow_none=True)
    fallback = text(allow_none=True)
    wrong = strings()


class OwnBot(Strict):
    """A bot of the app."""

    name = text()
    current = text(allow_none=True)
    former = text("The one before.", allow_none=True)
    versions = objects(OwnBotVersion, "The oldest first.")
    secret = text("Of a new bot: signs the requests to it.", required=False, validate=SECRET)
