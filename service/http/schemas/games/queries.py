"""Query strings about games: their views, events, moves, and the listing."""

import re
from datetime import datetime
from typing import Any

from marshmallow import ValidationError, fields, missing, validate, validates_schema

from events.features.listings.projection import NEWEST, OLDEST, ORDERS, STALE, TURN, UPDATED
from service.http.schemas.common.fields import (
    Digits,
    Flag,
    Strict,
    cursor,
    heartbeats,
    languages,
    limit,
    wait,
)
from service.http.schemas.common.queries import LABELS, NOTATION, VersionQuery, version_parameter, viewer
from service.http.schemas.own_data import OwnDataQuery

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,6})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
TICKET_LIMIT = 128  # characters; a ticket has fewer


class SeenVersion(Digits):
    """A version; an empty value means none, because a client that has seen nothing yet may send that."""

    def deserialize(self, value: Any, *arguments: Any, **kwargs: Any) -> Any:
        """The number; None for an empty value."""
        return missing if value == "" else super().deserialize(value, *arguments, **kwargs)


class ViewQuery(Strict):
    """Choice of a view of a game."""

    version = version_parameter(
        "The view after this event. The first is 1; beyond the last one the response is 404."
    )
    wait = wait(
        "Long poll: with If-None-Match, wait up to so many seconds for another version. "
        "Without If-None-Match, with `version` or `seat`, and once the game is scored, the response comes at once."
    )
    seat = viewer()


class MovesQuery(VersionQuery):
    """Choice of a seat's moves, and of a version."""

    seat = Digits(
        validate=validate.Range(0, 999, error="Must be the number of a seat."),
        metadata={
            "description": "The seat whose moves are listed; for finished games only. The default is the caller's seat."
        },
    )
    languages = languages(LABELS)


class EventsQuery(Strict):
    """Choice of events of a game."""

    after = version_parameter(
        "Return events with a greater version. Beyond the last event the response is 404.", load_default=0
    )
    limit = limit(1000)
    wait = wait("Long poll: wait up to so many seconds for the first event after `after`.")
    version = version_parameter("Return events up to this one, as the caller saw them then.")
    seat = viewer()
    ticket = fields.String(
        validate=validate.Length(1, TICKET_LIMIT),
        metadata={
            "description": "For a stream, instead of a token: a ticket of POST /v1/games/{game_id}/tickets. "
            "A browser's EventSource cannot send a header."
        },
    )
    lastEventId = version_parameter(  # noqa: N815 -- as polyfills of EventSource call it
        "For a stream: the same as the header `Last-Event-ID`, which takes precedence over it. Empty as if absent.",
        SeenVersion,
    )
    views = Flag(
        load_default=False,
        metadata={
            "description": "For a stream: send `state` frames with the caller's whole view in place of events, when "
            "the stream begins and after each change."
        },
    )
    events = fields.String(
        load_default="named",
        validate=validate.OneOf(["named", "message"]),
        metadata={
            "description": "For a stream: `message` leaves the frames without names, so that a browser's `onmessage` "
            "gets them all. `type` in their data tells them apart."
        },
    )
    heartbeats = heartbeats()
    presence = Flag(
        load_default=False,
        metadata={
            "description": "For a stream of states: send one, too, when somebody comes or goes: it has the version of "
            "the one before, and other seats are `connected`."
        },
    )

    @validates_schema
    def _of_states(self, data: dict[str, Any], **_: Any) -> None:
        if data["presence"] and not data["views"]:
            raise ValidationError("Only a stream of states has it: send `views=true`, too.", "presence")

    languages = languages(f"{NOTATION} and {LABELS} in `state` frames")


class MoveQuery(Strict):
    """Treatment of a move."""

    dry_run = Flag(
        load_default=False,
        metadata={
            "description": "Return what the move would cause, as far as the player may know, without playing it."
        },
    )
    languages = languages(NOTATION, ())


class SeatQuery(Strict):
    """Members of a seat beside those that are always shown."""

    signed = Flag(load_default=False, metadata={"description": "Sign the head, as `/head` does."})


class Moment(fields.Field[int]):
    """A time in RFC 3339, with its offset from UTC; loaded as milliseconds since 1970."""

    def __init__(self, **kwargs: Any) -> None:
        """Arguments of any field."""
        metadata = {"type": "string", "format": "date-time", **kwargs.pop("metadata", {})}
        super().__init__(metadata=metadata, **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> int:
        try:
            if _MOMENT.fullmatch(value):
                return int(datetime.fromisoformat(value).timestamp() * 1000)
        except (OverflowError, ValueError):
            pass
        raise ValidationError("Must be a time with its offset from UTC, as 2026-11-21T10:00:00Z.")


class ListQuery(OwnDataQuery):
    """Choice of the app's games."""

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
    to_act = fields.String(
        validate=validate.Length(1, 64),
        metadata={
            "description": "Return only games in which it is this player's turn. A name, or a player's id."
        },
    )
    order = fields.String(
        load_default=NEWEST,
        validate=validate.OneOf(ORDERS),
        metadata={
            "description": f"`{NEWEST}` by creation, the last game first, or `{OLDEST}`, the first one; `{UPDATED}` by "
            f"`updated_at`, the last change first, or `{STALE}`, the games that have not changed for the longest time. "
            f"`{TURN}`, for the games of a `player`: first those in which it is the player's turn, then the other "
            "running ones, then those that wait for players, then the finished ones; in each group the last change "
            "first. A cursor belongs to its order and its filters. A game that changes between two pages is listed "
            f"once more in the order `{STALE}`, and on none of the following pages in the order `{UPDATED}`."
        },
    )
    updated_after = Moment(
        metadata={"description": "Return only games whose `updated_at` is later than this."}
    )
    updated_before = Moment(
        metadata={"description": "Return only games whose `updated_at` is earlier than this."}
    )
    created_after = Moment(
        metadata={"description": "Return only games whose `created_at` is later than this."}
    )
    created_before = Moment(
        metadata={"description": "Return only games whose `created_at` is earlier than this."}
    )
    limit = limit(100)
    cursor = cursor()

    @validates_schema(skip_on_field_errors=True)
    def turns_are_a_players(self, data: dict[str, Any], **_: Any) -> None:
        """An order by turns needs a player."""
        if data["order"] == TURN and not {"player", "to_act"} & data.keys():
            raise ValidationError(
                f"The order `{TURN}` is that of a player's games: name a `player`.", "order"
            )
