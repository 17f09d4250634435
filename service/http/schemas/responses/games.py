"""Games, seats, players and listings in responses."""

from typing import Final

from marshmallow import fields, validate

from domain.registry import GAMES
from events.log.ratings.unrated import UNRATED
from service.http.schemas.clocks import GameClock
from service.http.schemas.common.events import Origin
from service.http.schemas.common.members import (
    KEY_ID,
    SIGNATURE,
    count,
    digest,
    flag,
    game_id,
    game_status,
    moment,
    player_id,
    text,
)
from service.http.schemas.fields import Strict, StrictBool, StrictInt
from service.http.schemas.registry import RESOLVED_OPTIONS, RESULT, STATE, OfGame
from service.http.schemas.responses.rankings import PlayerRating, RecentGames

UNUSUAL: Final = sorted({name for game in GAMES.values() for name in game.ladder_options})
CLOCK: Final = "Only of a game with a clock. Everybody sees it."

EXPIRES_AT: Final = "Only of what a seat has forked, and of its rematches: when it is removed."
UPDATED_AT: Final = "When its last event was recorded."

CREATED_MEMBERS: Final = (
    "id", "game", "status", "rated", "unrated_because", "setup", "visibility", "joining", "created_at", "updated_at",
    "version", "options", "seats",
)  # fmt: skip


def _aborted() -> StrictBool:
    """Only of an aborted game."""
    words = (
        "True, and only there, if the game's app aborted the game: then it is `finished` without a `result`."
    )
    return StrictBool(validate=validate.Equal(True), metadata={"description": words})


class SeatInfo(Strict):
    """A seat."""

    seat = count()
    kind = text(validate=validate.OneOf(["human", "open", "bot", "remote"]))
    player = fields.String(
        allow_none=True,
        metadata={"description": "The player's name; null once the player is erased."},
    )
    player_id = player_id(required=False)
    bot = fields.String()


class NewSeat(SeatInfo):
    """A seat of a new game, with the token of a human seat or the new secret of a remote one."""

    token = fields.String(
        metadata={"description": "The token that plays this seat. It is never shown again."}
    )
    secret = fields.String(
        metadata={"description": "The secret that signs the requests to the bot. It is never shown again."}
    )


class Links(Strict):
    """The addresses of a game's resources."""

    self = text()
    moves = text()
    legal_moves = text()
    events = text()


class SeatWithToken(NewSeat):
    """A seat just taken."""

    status = game_status()
    version = count()
    links = fields.Nested(Links, required=True)


class Commitment(Strict):
    """Commitment that verifies the shuffles, from the start."""

    commitment = digest("SHA-256 of the server's seed.")


class Signature(Strict):
    """A head that was signed by Ed25519."""

    key_id = text("The `kid` of a key at /.well-known/migrato-keys.json.", **KEY_ID)
    version = count()
    head = digest("The chain's head after that version.")
    signature = text("Of the head, in base64url.", **SIGNATURE)


class Fairness(Commitment):
    """Proofs of the shuffles."""

    server_seed = digest("Revealed when the game is over.", allow_none=True)
    client_seeds = fields.List(fields.String(allow_none=True), required=True)
    signature = fields.Nested(
        Signature,
        required=True,
        allow_none=True,
        metadata={
            "description": "The signature of the final head, once the game is scored, if the service signs heads."
        },
    )


def _rematch_of(more: str) -> fields.String:
    return fields.String(
        validate=validate.Regexp("^[0-9A-Za-z]{22}$"),
        metadata={"description": f"Only of a rematch: the game that its players had played before.{more}"},
    )


class GameSummary(Strict):
    """A game without its state."""

    id = game_id()
    game = text()
    status = game_status()
    rated = flag(
        "Whether the result counts for ratings, as far as is known; once the game is scored, whether it does."
    )
    unrated_because = text(
        "Only where `rated` is false: why. An option has its own name: "
        + ", ".join(f"`{name}`" for name in UNUSUAL)
        + "; "
        + "; ".join(f"`{code}`: {why}" for code, why in UNRATED.items())
        + ".",
        validate=validate.OneOf([*UNRATED, *UNUSUAL]),
        required=False,
    )
    setup = flag("Whether the cards were set up by hand, or the position taken from another game.")
    visibility = text(validate=validate.OneOf(["private", "public"]))
    joining = text(
        "Who may take an open seat, unless it is whoever may see the game.",
        validate=validate.OneOf(["invite", "app"]),
        required=False,
    )
    created_at = moment()
    seats = fields.List(fields.Nested(SeatInfo), required=True)


class NewlyCreated(GameSummary):
    """A new game."""

    updated_at = moment(UPDATED_AT)
    version = count("The number of events so far.")
    options = OfGame(RESOLVED_OPTIONS, required=True)
    seats = fields.List(fields.Nested(NewSeat), required=True)
    fairness = fields.Nested(Commitment, required=True)
    links = fields.Nested(Links, required=True)
    clock = fields.Nested(GameClock, metadata={"description": CLOCK})


class NewlyForked(NewlyCreated):
    """A new game that goes on from another."""

    origin = fields.Nested(Origin, required=True)
    expires_at = moment(EXPIRES_AT, required=False)


class SeatDetails(SeatInfo):
    """A seat, for whoever may take it."""

    game = text("The game's name.")
    status = game_status()
    version = count("The game's version.")
    setup = flag("Whether the cards were set up. Then the commitment says nothing about their order.")
    options = OfGame(RESOLVED_OPTIONS, required=True)
    fairness = fields.Nested(Fairness, required=True)
    links = fields.Nested(Links, required=True)
    clock = fields.Nested(GameClock, metadata={"description": CLOCK})


class PlayerLinks(Strict):
    """The addresses of a player."""

    self = text()
    games = text("The list of the player's games.")


class Player(Strict):
    """A player of an app."""

    player_id = player_id()
    player = text("The name that the app gave the player.")
    created_at = moment()
    ratings = fields.List(fields.Nested(PlayerRating), required=True)
    recent_games = fields.Nested(RecentGames, required=True)
    links = fields.Nested(PlayerLinks, required=True)


class GameLine(GameSummary):
    """A game in a listing."""

    updated_at = moment(
        "When its last event was recorded. Left out for a private game where there are no app keys, and for a game "
        "of a former release until the listings are made anew.",
        required=False,
    )
    rematch_of = _rematch_of(" Left out for a private game where there are no app keys.")
    aborted = _aborted()
    result = OfGame(RESULT, required=True, allow_none=True)


class GamesPage(Strict):
    """A page of games, in the order that was asked for."""

    games = fields.List(fields.Nested(GameLine), required=True)
    next = text("The cursor of the next page, or null.", allow_none=True)


class GameView(GameSummary):
    """A game as a viewer may see it."""

    updated_at = moment(UPDATED_AT)
    rematch_of = _rematch_of("")
    aborted = _aborted()
    version = count("The number of events so far.")
    viewer = StrictInt(
        required=True, allow_none=True, metadata={"description": "A seat, or null for a spectator."}
    )
    turn = count()
    to_act = StrictInt(
        required=True, allow_none=True, metadata={"description": "The seat whose turn it is, or null."}
    )
    state = OfGame(
        STATE,
        required=True,
        allow_none=True,
        metadata={"description": "The table as the viewer may see it; null until the game has started."},
    )
    result = OfGame(RESULT, required=True, allow_none=True)
    options = OfGame(RESOLVED_OPTIONS, required=True)
    fairness = fields.Nested(Fairness, required=True)
    clock = fields.Nested(GameClock, metadata={"description": CLOCK})
