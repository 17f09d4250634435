"""Ratings: the choice of them, and their responses."""

from marshmallow import fields, validate

from domain.clocks.options import NO_CLOCK, TIME_CLASSES
from domain.registry import DEFAULT_GAME
from service.http.schemas.common.fields import Strict, cursor, limit
from service.http.schemas.common.members import count, integer, player_id, text


def time_class() -> fields.String:
    """The class of clocks; each class has ratings of its own."""
    return text("The kind of clock: `none` without one.", validate=validate.OneOf(TIME_CLASSES))


def _figure(description: str) -> fields.Float:
    return fields.Float(required=True, metadata={"description": description})


class Rating(Strict):
    """Estimated strength: a normal distribution. A first game begins with the mean 25 and the deviation 8.33."""

    mean = _figure("The mean, as far as games against bots bear it out.")
    deviation = _figure("The standard deviation; it shrinks with the number of games.")
    ordinal = _figure("`mean` less three deviations, by which leaderboards are sorted.")
    elo = integer(
        "The one number to show, in Elo points: `29.481 * (ordinal - 20.5)` more than the bot `heuristic` has "
        "(`GET /v1/bots`). A measured bot has what was measured."
    )
    elo_deviation = count("The standard deviation in Elo points.")


class SeatRating(Strict):
    """Ratings of the player who began at a seat; left out once the player is erased."""

    seat = count()
    before = fields.Nested(Rating, required=True)
    after = fields.Nested(Rating, required=True)


class Rated(Strict):
    """A rating and what it rests on."""

    rating = fields.Nested(Rating, required=True)
    games = count("The number of rated games.")
    wins = count("Those of them in which nobody shared the first place.")


class PlayerRating(Rated):
    """A player's rating in a game."""

    game = text("The game's name.")
    time_class = time_class()
    rank = integer("The place in the leaderboard, from 1; null for none.", allow_none=True)


class LeaderboardEntry(Rated):
    """A place in a leaderboard."""

    rank = count("The place, from 1.")
    kind = text(validate=validate.OneOf(["player", "bot"]))
    player = fields.String(allow_none=True, metadata={"description": "Of a player: the name."})
    display_name = fields.String(
        metadata={"description": "Of a player: the name that people are shown, if any."}
    )
    player_id = player_id(required=False)
    bot = fields.String(metadata={"description": "Of a bot: its name."})
    version = fields.String(
        metadata={"description": "Of a bot: its version. Another version is rated as another bot."}
    )


class Leaderboard(Strict):
    """A page of a leaderboard, the highest ordinal first."""

    game = text("The game's name.")
    time_class = time_class()
    time_classes = fields.List(
        fields.String(validate=validate.OneOf(TIME_CLASSES)),
        required=True,
        metadata={"description": "Those in which somebody was rated in this game."},
    )
    entries = fields.List(fields.Nested(LeaderboardEntry), required=True)
    next = text("The cursor of the next page, or null.", allow_none=True)


class RecentGames(Strict):
    """A page of the player's games, newest first."""

    game_ids = fields.List(fields.String(), required=True, metadata={"description": "The ids of the games."})
    next = text("The cursor of the next page, or null.", allow_none=True)


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
