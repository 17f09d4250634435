"""Query strings, one schema for each kind of resource; an unknown parameter is refused like an unknown field."""

import re
from typing import Any

from marshmallow import ValidationError, fields, validate

from events.games.viewpoint import ALL
from service.http.schemas.fields import Digits, Flag, Strict

LAST_VERSION = 10**9


def _version(text: str, **kwargs: Any) -> Digits:
    return Digits(
        validate=validate.Range(0, LAST_VERSION, error="Must be a version: 0 or more."),
        metadata={"description": text},
        **kwargs,
    )


def _wait(text: str) -> Digits:
    error = "Must be 0 to 30 seconds."
    return Digits(load_default=0, validate=validate.Range(0, 30, error=error), metadata={"description": text})


def _limit(most: int, default: int = 100) -> Digits:
    error = f"Must be 1 to {most}."
    text = f"The maximum number of items, up to {most}."
    return Digits(
        load_default=default,
        validate=validate.Range(1, most, error=error),
        metadata={"description": text},
    )


class ViewerField(fields.Field[int | str]):
    """A seat's number, or "all"."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int | str:
        if value == ALL or re.fullmatch("[0-9]{1,3}", value):
            return ALL if value == ALL else int(value)
        raise ValidationError('Must be the number of a seat, or "all".')


def _viewer() -> ViewerField:
    text = (
        "Show what this seat saw, or with `all` everything. "
        "Only for finished games; while a game runs, a seat's view requires its own token."
    )
    return ViewerField(metadata={"description": text, "type": "string", "pattern": "^([0-9]{1,3}|all)$"})


class NoQuery(Strict):
    """No parameters at all."""


class ViewQuery(Strict):
    """Which view of a game."""

    version = _version("The view after this event. The first is 1; beyond the last one the response is 404.")
    wait = _wait(
        "Long poll: with If-None-Match, wait up to so many seconds for another version. "
        "Without If-None-Match, with `version` or `seat`, and once the game is scored, the response comes at once."
    )
    seat = _viewer()


class VersionQuery(Strict):
    """Which version of a game."""

    version = _version("The game after this event. The first is 1; beyond the last one the response is 404.")


class MovesQuery(VersionQuery):
    """Which seat's moves, and when."""

    seat = Digits(
        validate=validate.Range(0, 999, error="Must be the number of a seat."),
        metadata={
            "description": "The seat whose moves are listed; for finished games only. The default is the caller's seat."
        },
    )


class EventsQuery(Strict):
    """Which events of a game."""

    after = _version(
        "Return events with a greater version. Beyond the last event the response is 404.", load_default=0
    )
    limit = _limit(1000)
    wait = _wait("Long poll: wait up to so many seconds for the first event after `after`.")
    version = _version("Return events up to this one, as the caller saw them then.")
    seat = _viewer()


class ReplayQuery(Strict):
    """Which steps of a game."""

    after = _version(
        "Return steps after this version. Beyond the last event the response is 404.", load_default=0
    )
    limit = _limit(100, 20)
    seat = _viewer()


class MoveQuery(Strict):
    """What to do with a move."""

    dry_run = Flag(
        load_default=False,
        metadata={
            "description": "Return what the move would cause, as far as the player may know, without playing it."
        },
    )


class HintQuery(Strict):
    """Which bot gives the hint."""

    bot = fields.String(
        validate=validate.Length(1, 64),
        metadata={"description": "A name of GET /v1/bots. The default is the game's own choice."},
    )


class BotsQuery(Strict):
    """Which bots."""

    game = fields.String(
        validate=validate.Length(1, 64),
        metadata={
            "description": "Return only the bots of this game, with their figures in it. Without it, a bot that plays "
            "several games has the figures of the first of its `games`."
        },
    )


class JobQuery(Strict):
    """How to ask for a job."""

    wait = _wait("Long poll: wait up to so many seconds for the bot's move.")


class ListQuery(Strict):
    """Which of the app's games."""

    status = fields.String(validate=validate.OneOf(["waiting", "playing", "finished"]))
    game = fields.String(
        validate=validate.Length(1, 64), metadata={"description": "Return only games with this name."}
    )
    player = fields.String(
        validate=validate.Length(1, 64),
        metadata={
            "description": "Return only games in which this player has a seat. A name, or a player's id."
        },
    )
    limit = _limit(100)
    cursor = fields.String(
        validate=validate.Length(1, 256),
        metadata={"description": "The value of `next` of the previous page."},
    )
