"""Invites, the lobby and quick match in responses."""

from marshmallow import fields, validate

from service.http.schemas.common.members import count, game_id, moment, text
from service.http.schemas.fields import Strict
from service.http.schemas.registry import RESOLVED_OPTIONS, OfGame
from service.http.schemas.responses.games import GameSummary, Links


class InviteInfo(Strict):
    """An invite to a seat, without its code."""

    id = text("By which the invite is revoked.", validate=validate.Regexp("^[0-9a-f]{16}$"))
    seat = count("The seat that it is for.")
    expires_at = moment()


class NewInvite(InviteInfo):
    """A new invite."""

    invite = text(
        "The code. It is never shown again.", validate=validate.Regexp("^mi_[0-9a-f]{16}_[0-9A-Za-z_-]{32}$")
    )

    join_code = text(
        "If it was asked for: what stands for the code, and people can read out. It is never shown again.",
        validate=validate.Regexp("^[0-9A-HJKMNP-TV-Z]{8}$"),
        required=False,
    )


class FoundInvite(Strict):
    """An invite, found by its join code."""

    game_id = game_id()
    seat = count("The seat that it is for.")
    invite = text(
        "The code with which the seat is taken.",
        validate=validate.Regexp("^mi_[0-9a-f]{16}_[0-9A-Za-z_-]{32}$"),
    )
    expires_at = moment()


class InviteList(Strict):
    """The invites of a game that are still good."""

    invites = fields.List(fields.Nested(InviteInfo), required=True)


class LobbyGame(GameSummary):
    """A game that waits for players."""

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
