"""Usage of apps in requests and in responses."""

from marshmallow import fields

from events.features.usage.usage import LONGEST, USUAL
from service.http.schemas.common.fields import Strict
from service.http.schemas.common.members import integer, moment, objects, text


class UsageQuery(Strict):
    """Choice of days (UTC)."""

    first = fields.Date(
        data_key="from", metadata={"description": f"At most {LONGEST} days, by default {USUAL}."}
    )
    last = fields.Date(data_key="to")


class UsedBot(Strict):
    """Use of a bot."""

    bot = text("As in `greedy@2`.")
    moves = integer()
    fallbacks = integer()
    hints = integer()
    questions = integer()
    thinking_ms = integer()


class Usage(Strict):
    """Usage of an app."""

    date = fields.Date()
    games_created = integer()
    games_finished = integer()
    games_aborted = integer()
    moves_by_people = integer()
    moves_by_bots = integer()
    streams = integer()
    stream_seconds = integer()
    deliveries = integer()
    delivery_attempts = integer()
    bots = objects(UsedBot, "")


class UsedQuota(Strict):
    """A quota of the app, as it is now."""

    name = text()
    quota = integer()
    used = integer()
    begins_anew_at = moment()


class UsageReport(Strict):
    """Usage of an app by days."""

    app = text()
    first = fields.Date(required=True, data_key="from")
    last = fields.Date(required=True, data_key="to")
    days = objects(Usage, "")
    total = fields.Nested(Usage, required=True)
    quotas = objects(UsedQuota, "")
