"""Query strings, one schema for each kind of resource; an unknown parameter is refused like an unknown field."""

import re
from datetime import datetime
from typing import Any

from marshmallow import ValidationError, fields, missing, validate, validates_schema

from domain.clocks.options import NO_CLOCK, TIME_CLASSES
from domain.registry import DEFAULT_GAME
from events.engine.access import BY_APP, BY_INVITE
from events.engine.viewpoint import ALL
from events.features.listings.projection import NEWEST, OLDEST, ORDERS, STALE, TURN, UPDATED
from events.features.matchmaking.lobby import ANY
from events.log.game_secrets import OPEN
from service.http.schemas.fields import Digits, Flag, Strict, cursor, heartbeats, languages, limit, wait
from service.http.schemas.own_data import OwnDataQuery

LAST_VERSION = 10**9
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,6})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)
TICKET_LIMIT = 128  # characters; a ticket has fewer


def _version(text: str, kind: type[Digits] = Digits, **kwargs: Any) -> Digits:
    return kind(
        validate=validate.Range(0, LAST_VERSION, error="Must be a version: 0 or more."),
        metadata={"description": text},
        **kwargs,
    )


class SeenVersion(Digits):
    """A version, or nothing where it is empty: a client that has seen nothing yet may send that."""

    def deserialize(self, value: Any, *arguments: Any, **kwargs: Any) -> Any:
        """The number; nothing where there is none."""
        return missing if value == "" else super().deserialize(value, *arguments, **kwargs)


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


_NOTATION = "`notation`"
_LABELS = "`labels`"


class NoQuery(Strict):
    """No parameters at all."""


class ViewQuery(Strict):
    """Choice of a view of a game."""

    version = _version("The view after this event. The first is 1; beyond the last one the response is 404.")
    wait = wait(
        "Long poll: with If-None-Match, wait up to so many seconds for another version. "
        "Without If-None-Match, with `version` or `seat`, and once the game is scored, the response comes at once."
    )
    seat = _viewer()


class VersionQuery(Strict):
    """Choice of a version of a game."""

    version = _version("The game after this event. The first is 1; beyond the last one the response is 404.")


class MovesQuery(VersionQuery):
    """Choice of a seat's moves, and of a version."""

    seat = Digits(
        validate=validate.Range(0, 999, error="Must be the number of a seat."),
        metadata={
            "description": "The seat whose moves are listed; for finished games only. The default is the caller's seat."
        },
    )
    languages = languages(_LABELS)


class EventsQuery(Strict):
    """Choice of events of a game."""

    after = _version(
        "Return events with a greater version. Beyond the last event the response is 404.", load_default=0
    )
    limit = limit(1000)
    wait = wait("Long poll: wait up to so many seconds for the first event after `after`.")
    version = _version("Return events up to this one, as the caller saw them then.")
    seat = _viewer()
    ticket = fields.String(
        validate=validate.Length(1, TICKET_LIMIT),
        metadata={
            "description": "For a stream, instead of a token: a ticket of POST /v1/games/{game_id}/tickets. "
            "A browser's EventSource cannot send a header."
        },
    )
    lastEventId = _version(  # noqa: N815 -- as polyfills of EventSource call it
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

    languages = languages(f"{_NOTATION} and {_LABELS} in `state` frames")


class ReplayQuery(Strict):
    """Choice of steps of a game."""

    after = _version(
        "Return steps after this version. Beyond the last event the response is 404.", load_default=0
    )
    limit = limit(100, 20)
    seat = _viewer()


class MoveQuery(Strict):
    """Treatment of a move."""

    dry_run = Flag(
        load_default=False,
        metadata={
            "description": "Return what the move would cause, as far as the player may know, without playing it."
        },
    )
    languages = languages(_NOTATION, ())


class SeatQuery(Strict):
    """Members of a seat beside those that are always shown."""

    signed = Flag(load_default=False, metadata={"description": "Sign the head, as `/head` does."})


class LanguagesQuery(Strict):
    """Languages of the lines in an answer."""

    languages = languages(_NOTATION, ())


class PlayerQuery(Strict):
    """Choice of the player's games."""

    limit = limit(100, 20)
    cursor = cursor()


class PlayerNameQuery(Strict):
    """Choice of a player by name."""

    player = fields.String(
        required=True,
        validate=validate.Length(1, 256),
        metadata={"description": "The name that the app gave the player."},
    )


class LeaderboardQuery(Strict):
    """Choice of ratings."""

    game = fields.String(
        load_default=DEFAULT_GAME,
        validate=validate.Length(1, 64),
        metadata={"description": "The name of a game."},
    )
    time_class = fields.String(
        validate=validate.OneOf(TIME_CLASSES),
        metadata={
            "description": f"Games with different kinds of clocks rate apart; `{NO_CLOCK}`: without a clock. The "
            f"default is `{NO_CLOCK}`, or the first of the response's `time_classes` where nobody was rated so."
        },
    )
    around = fields.String(
        validate=validate.Length(1, 64),
        metadata={
            "description": "Begin so that this player, a name or an id, is in the middle of the page. Nobody is on it "
            "if the player has no place. A `cursor` goes on from there."
        },
    )
    limit = limit(100)
    cursor = cursor()


class HintQuery(Strict):
    """Choice of the bot that gives the hint."""

    bot = fields.String(
        validate=validate.Length(1, 64),
        metadata={"description": "A name of GET /v1/bots. The default is the game's own choice."},
    )


class BotsQuery(Strict):
    """Choice of bots."""

    game = fields.String(
        validate=validate.Length(1, 64),
        metadata={
            "description": "Only the bots of this game, with their figures in it. The default is the first of a bot's "
            "`games`."
        },
    )


class JobQuery(Strict):
    """Form of the answer to a job."""

    wait = wait("Long poll: wait up to so many seconds for the bot's move.")


class AnalysisQuery(Strict):
    """Form of the answer to an analysis."""

    wait = wait("Long poll: wait up to so many seconds for a worker that is at it.")


class MatchQuery(Strict):
    """Form of the answer to a ticket of quick match."""

    wait = wait("Long poll: wait up to so many seconds for a partner.")


class LobbyQuery(Strict):
    """Choice of games that wait for players."""

    game = fields.String(
        validate=validate.Length(1, 64), metadata={"description": "Return only games with this name."}
    )
    joining = fields.String(
        load_default=OPEN,
        validate=validate.OneOf([OPEN, BY_INVITE, BY_APP, ANY]),
        metadata={"description": "Return only games with this `joining`, or with `any` all of them."},
    )
    limit = limit(100, 20)
    cursor = cursor()


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
        """An order by turns needs to know whose."""
        if data["order"] == TURN and not {"player", "to_act"} & data.keys():
            raise ValidationError(
                f"The order `{TURN}` is that of a player's games: name a `player`.", "order"
            )
