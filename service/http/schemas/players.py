"""Players in requests and in responses."""

from typing import Any

from marshmallow import ValidationError, fields, validate

from events.features.players.names import LONGEST, canonical, is_name
from events.log.player_ids import is_player_id
from service.http.schemas.common.fields import (
    RequestDocument,
    Strict,
    cursor,
    invented,
    limit,
)
from service.http.schemas.common.members import (
    moment,
    player_id,
    text,
)
from service.http.schemas.ratings import PlayerRating, RecentGames


def _name(name: str) -> None:
    """Refuse a name with the form of an id, which could not be told from one."""
    if not is_name(name):
        raise ValidationError(
            f"Must have 1 to {LONGEST} visible characters, no controls, and joiners only between visible ones."
        )
    if is_player_id(canonical(name)):
        raise ValidationError("Must not have the form of a player's id.")


def _display_name(name: str | None) -> None:
    if name is not None and not is_name(name):
        raise ValidationError(
            f"Must have 1 to {LONGEST} visible characters, no controls, and joiners only between visible ones."
        )


def player(**kwargs: Any) -> fields.String:
    """A player's name, as the app gives it."""
    return fields.String(
        validate=_name,
        metadata={
            "description": "The player's name or id in the app, which can be erased:"
            f" 1 to {LONGEST} visible characters, compared in NFC without spaces around them.",
            "example": "ada",
        },
        **kwargs,
    )


class PlayerLinks(Strict):
    """The addresses of a player."""

    self = text()
    games = text("The list of the player's games.")


class Player(Strict):
    """A player of an app."""

    player_id = player_id()
    player = text("The name that the app gave the player, which is the app's own id of the player.")
    display_name = text("The name that people are shown; null for none.", allow_none=True)
    created_at = moment()
    ratings = fields.List(fields.Nested(PlayerRating), required=True)
    recent_games = fields.Nested(RecentGames, required=True)
    links = fields.Nested(PlayerLinks, required=True)


class PlayersFound(Strict):
    """The players of a name: one or none."""

    players = fields.List(
        fields.Nested(Player), required=True, metadata={"description": "One player, or none of that name."}
    )


class ChangedPlayer(RequestDocument):
    """A change of a player."""

    examples = invented(ada={"display_name": "Ada Lovelace"})

    display_name = fields.String(
        required=True,
        allow_none=True,
        validate=_display_name,
        metadata={
            "description": f"The name that people are shown, 1 to {LONGEST} visible characters; null for none. "
            "Several players may have the same one. It is sealed with the player's name, and erased with it.",
            "example": "Ada Lovelace",
        },
    )


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
