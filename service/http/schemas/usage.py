"""Usage of apps in requests and in responses."""

from marshmallow import fields

from events.features.usage.usage import LONGEST, USUAL
from service.http.schemas.common.members import count, moment, objects, text
from service.http.schemas.fields import Strict


def _day(name: str, description: str) -> fields.Date:
    return fields.Date(data_key=name, metadata={"description": description})


class UsageQuery(Strict):
    """Choice of days (UTC)."""

    first = _day("from", f"The first day; at most {LONGEST} days, by default {USUAL}.")
    last = _day("to", "The last day, by default today.")


class UsedBot(Strict):
    """Use of a bot."""

    bot = text("Its name and version, as in `greedy@2`.")
    moves = count()
    fallbacks = count("Moves in place of one that did not arrive.")
    hints = count()
    questions = count()
    thinking_ms = count()


class Usage(Strict):
    """Usage of an app."""

    date = fields.Date(metadata={"description": "Not in the total."})
    games_created = count()
    games_finished = count()
    games_aborted = count()
    moves_by_people = count()
    moves_by_bots = count()
    streams = count()
    stream_seconds = count()
    deliveries = count("Messages that have arrived at webhooks.")
    delivery_attempts = count()
    bots = objects(UsedBot, "By name.")


class UsedQuota(Strict):
    """A quota of the app, as it is now."""

    name = text("As in `games-per-day`.")
    quota = count()
    used = count()
    begins_anew_at = moment()


class UsageReport(Strict):
    """Usage of an app by days."""

    app = text()
    first = fields.Date(required=True, data_key="from")
    last = fields.Date(required=True, data_key="to")
    days = objects(Usage, "Days on which there was any.")
    total = fields.Nested(Usage, required=True)
    quotas = objects(UsedQuota, "The quotas that an administrator has set.")
