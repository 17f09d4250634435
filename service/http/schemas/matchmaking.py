"""The lobby and quick match in requests and in responses."""

from collections.abc import Mapping
from typing import Any, Final

from marshmallow import ValidationError, fields, validate, validates_schema

from domain.registry import DEFAULT_GAME
from events.engine.access import BY_APP, BY_INVITE
from events.features.matchmaking.lobby import ANY
from events.log.game_secrets import OPEN
from service.http.schemas.common.fields import (
    RequestDocument,
    Strict,
    StrictInt,
    cursor,
    invented,
    limit,
    wait,
)
from service.http.schemas.common.members import count, game_id, moment, text
from service.http.schemas.games.requests import client_seed, clock
from service.http.schemas.games.responses import GameSummary, Links, SeatInfo
from service.http.schemas.of_each_game import OPTIONS, RESOLVED_OPTIONS, OfGame
from service.http.schemas.players import player

HIGHEST: Final = 1_000_000  # the greatest rating, positive or negative
USUAL_WAIT: Final = 30  # seconds until a bot steps in
LONGEST_WAIT: Final = 3_600


class Number(fields.Float):
    """A JSON number."""

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> float:
        if type(value) is int or type(value) is float:
            return float(value)
        raise self.make_error("invalid", input=value)


class WantedMatch(RequestDocument):
    """A game that a player wants, and with whom."""

    examples = invented(
        nobody_yet={"player": "ada", "rating": 1480, "range": 200, "bot": "greedy", "bot_after": 20}
    )

    player = player(required=True)
    game = fields.String(load_default=DEFAULT_GAME, validate=validate.Length(1, 64))
    options = OfGame(
        OPTIONS, load_default=dict, metadata={"description": "The game's options. Every one has a default."}
    )
    visibility = fields.String(
        load_default="private",
        validate=validate.OneOf(["private", "public"]),
        metadata={"description": "Whether everybody may watch."},
    )
    clock = clock()
    client_seed = client_seed()
    rating = Number(
        validate=validate.Range(-HIGHEST, HIGHEST, error=f"Must be from -{HIGHEST} to {HIGHEST}."),
        metadata={"description": "The player's rating, as the app has it.", "example": 1500},
    )
    range = Number(
        validate=validate.Range(0, HIGHEST, error=f"Must be from 0 to {HIGHEST}."),
        metadata={
            "description": "How far the partner's rating may be from the player's. Without it any partner is right,"
            " also one without a rating. It needs a rating.",
            "example": 200,
        },
    )
    bot = fields.String(
        validate=validate.Length(1, 64),
        metadata={"description": "The bot that steps in if nobody comes: a name of GET /v1/bots."},
    )
    bot_after = StrictInt(
        validate=validate.Range(0, LONGEST_WAIT, error=f"Must be 0 to {LONGEST_WAIT} seconds."),
        metadata={"description": f"After how many seconds it does: {USUAL_WAIT} by default."},
    )

    @validates_schema(skip_on_field_errors=True)
    def no_wait_for_no_bot(self, data: dict[str, Any], **_: Any) -> None:
        """A `patience` needs a bot that it waits for."""
        if "bot_after" in data and "bot" not in data:
            raise ValidationError({"bot_after": ["Needs `bot`."]})


class LobbyGame(GameSummary):
    """A game that waits for players."""

    game = text()
    seats = fields.List(fields.Nested(SeatInfo), required=True)
    joining = text("Who may take an open seat.", validate=validate.OneOf(["open", "invite", "app"]))
    options = OfGame(RESOLVED_OPTIONS, required=True)


class LobbyPage(Strict):
    """A page of games that wait for players, newest first."""

    games = fields.List(fields.Nested(LobbyGame), required=True)
    next = text("The cursor of the next page, or null.", allow_none=True)


class Match(Strict):
    """The game of a ticket."""

    id = game_id()
    seat = count("The player's seat.")
    token = text("The seat's token; null once the seat has another one.", allow_none=True)
    links = fields.Nested(Links, required=True)


class MatchTicket(Strict):
    """Status of a player who looks for a partner."""

    ticket = text("The ticket.", validate=validate.Regexp("^mq_[0-9A-Za-z_-]{43}$"))
    status = text(validate=validate.OneOf(["waiting", "matched", "cancelled"]))
    created_at = moment()
    expires_at = moment("When the ticket is gone; while it waits, each request for it puts that off.")
    rating = fields.Float(required=True, allow_none=True)
    range = fields.Float(required=True, allow_none=True)
    match = fields.Nested(Match, required=True, allow_none=True)


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
