"""Games, their seats and listings in responses."""

from typing import Any, Final

from marshmallow import fields, validate

from domain.registry import GAMES
from events.log.ratings.unrated import UNRATED
from service.http.schemas.clocks import GameClock
from service.http.schemas.common.events import Origin, SpentBudget
from service.http.schemas.common.fields import (
    Strict,
    StrictBool,
    StrictInt,
)
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
    turn_version,
)
from service.http.schemas.of_each_game import (
    RESOLVED_OPTIONS,
    RESULT,
    STATE,
    OfGame,
)
from service.http.schemas.own_data import MetadataField, external_id
from service.http.schemas.ratings import SeatRating

UNUSUAL: Final = sorted({name for game in GAMES.values() for name in game.rated_options})
CLOCK: Final = "Only of a game with a clock. Everybody sees it."

EXPIRES_AT: Final = "Only of what a seat has forked, and of its rematches: when it is removed."
TO_ACT: Final = "The seat whose turn it is, or null."
UPDATED_AT: Final = "When its last event was recorded."

CREATED_MEMBERS: Final = (
    "id", "game", "status", "rated", "unrated_because", "setup", "visibility", "joining", "created_at", "updated_at",
    "version", "options", "seats",
)  # fmt: skip


def _finished_at() -> fields.String:
    """Only of a game that is over."""
    return moment("Only of a game that is over: since when it is.", required=False)


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
    display_name = fields.String(
        metadata={"description": "The name that people are shown, if the app has given the player one."}
    )
    player_id = player_id(required=False)
    bot = fields.String()
    bot_version = fields.String(metadata={"description": "Only of an app's bot by name."})
    budget = fields.Nested(SpentBudget)
    metadata = MetadataField()


class SeatShown(SeatInfo):
    """A seat as a view shows it."""

    connected = StrictBool(
        metadata={
            "description": "Whether somebody is connected: a stream or a long poll with the seat's token or ticket is "
            "open, or was until 10 s ago. Only of seats that people hold or may take, in the present view of a game "
            "that is not over and in streamed states. It changes without a new version."
        }
    )


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


def _joining() -> fields.String:
    return text(
        "Who may take an open seat, unless all may who may see the game.",
        validate=validate.OneOf(["invite", "app"]),
        required=False,
    )


class GameSummary(Strict):
    """A game without its state."""

    id = game_id()
    status = game_status()
    rated = flag(
        "Whether the result counts for ratings, as far as is known; once the game is scored, whether it does."
    )
    unrated_because = text(
        "Only where `rated` is false: why, as `/guide/how-to/rate-players` explains; an option has its own name.",
        validate=validate.OneOf([*UNRATED, *UNUSUAL]),
        required=False,
    )
    setup = flag("Whether the cards were set up by hand, or the position taken from another game.")
    visibility = text(validate=validate.OneOf(["private", "public"]))
    created_at = moment()
    external_id = external_id(metadata={"description": "This and `metadata`: for the game's app only."})
    metadata = MetadataField()


class NewlyCreated(GameSummary):
    """A new game."""

    game = text()
    joining = _joining()
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
    """A seat, for callers who may take it."""

    game = text("The game's name.")
    status = game_status()
    version = count("The game's version.")
    setup = flag("Whether the cards were set up. Then the commitment says nothing about their order.")
    options = OfGame(RESOLVED_OPTIONS, required=True)
    fairness = fields.Nested(Fairness, required=True)
    links = fields.Nested(Links, required=True)
    clock = fields.Nested(GameClock, metadata={"description": CLOCK})
    head = digest("The chain's head at that version.")
    key_id = text("With `signed`; null where nothing is signed.", required=False, allow_none=True, **KEY_ID)
    signature = text("With `signed`: of the head.", required=False, allow_none=True, **SIGNATURE)


class Decision(Strict):
    """An event by which a seat decided something; the events that followed from it are left out."""

    version = count("The event's number in the game.")
    type = text("The event's type, as in GET .../events.")
    data = fields.Dict(
        keys=fields.String(),
        required=True,
        metadata={"description": "The event's data, as GET .../events shows them to the viewer."},
    )


class LastMove(Strict):
    """Decisions of the seat that moved last: all since another seat had moved, 8 events at most."""

    seat = count()
    events = fields.List(fields.Nested(Decision), required=True)


class GameLine(GameSummary):
    """A game in a listing."""

    game = text()
    joining = _joining()
    seats = fields.List(fields.Nested(SeatInfo), required=True)
    version = count(
        "The number of events so far. This and all that a move changes is left out for a private game where there are "
        "no app keys, and for a game of a former release until the listings are made anew.",
        required=False,
    )
    updated_at = moment(UPDATED_AT, required=False)
    turn = count("The number of the turn.", required=False)
    to_act = StrictInt(allow_none=True, metadata={"description": TO_ACT})
    last_move = fields.Nested(
        LastMove,
        allow_none=True,
        metadata={
            "description": "As a spectator sees it; null before the first move, and after one was taken back."
        },
    )
    clock = fields.Nested(GameClock, metadata={"description": CLOCK})
    finished_at = _finished_at()
    rematch_of = _rematch_of(" Left out for a private game where there are no app keys.")
    aborted = _aborted()
    result = OfGame(RESULT, required=True, allow_none=True)


class LineChange(GameLine):
    """The members of a game's line in GET /v1/games that have changed, and which game it is."""

    unrated_because = fields.String(
        allow_none=True,
        validate=validate.OneOf([*UNRATED, *UNUSUAL, None]),
        metadata={"description": "Null where `rated` has become true."},
    )

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Members that identify the game are required. All others may be left out; the line's own schema describes
        them.
        """
        field_obj.required = field_name in ("id", "game")
        if field_name != "unrated_because":
            field_obj.metadata = {
                name: value for name, value in field_obj.metadata.items() if name != "description"
            }


class GamesPage(Strict):
    """A page of games, in the order that was asked for."""

    games = fields.List(fields.Nested(GameLine), required=True)
    next = text("The cursor of the next page, or null.", allow_none=True)


class GameView(GameSummary):
    """A game as a viewer may see it."""

    game = text()
    joining = _joining()
    updated_at = moment(UPDATED_AT)
    finished_at = _finished_at()
    rematch_of = _rematch_of("")
    aborted = _aborted()
    version = count("The number of events so far.")
    turn_version = turn_version()
    seats = fields.List(fields.Nested(SeatShown), required=True)
    viewer = StrictInt(
        required=True, allow_none=True, metadata={"description": "A seat, or null for a spectator."}
    )
    turn = count()
    to_act = StrictInt(required=True, allow_none=True, metadata={"description": TO_ACT})
    last_move = fields.Nested(
        LastMove,
        required=True,
        allow_none=True,
        metadata={
            "description": "The last move as the viewer sees it; null before the first, and after a take-back."
        },
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
    ratings = fields.List(
        fields.Nested(SeatRating),
        metadata={
            "description": "Once they are worked out, if the caller may ask for its players, in present views."
        },
    )
    claimable_at = moment(
        "When others may claim the win; null while the seat to act is there. With `claim_after`, where `connected` is.",
        required=False,
        allow_none=True,
    )
