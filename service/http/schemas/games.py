"""Requests that create a game, fork one or take a seat; games, seats, players and listings in responses."""

from typing import Any, Final

from marshmallow import ValidationError, fields, validate, validates_schema

from domain.chance import LONGEST_CLIENT_SEED
from domain.lifecycle import either
from domain.registry import DEFAULT_GAME, GAMES
from events.engine.access import BY_APP, BY_INVITE
from events.engine.remote_seat import is_secret
from events.log.game_secrets import OPEN
from events.log.ratings.unrated import UNRATED
from events.url_guard import URL_LENGTH
from service.http.schemas.clocks import CLOCKS, GameClock
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
    turn_version,
)
from service.http.schemas.fields import (
    Discriminated,
    RequestDocument,
    Strict,
    StrictBool,
    StrictInt,
    invented,
)
from service.http.schemas.of_each_game import (
    OPTIONS,
    RESOLVED_OPTIONS,
    RESULT,
    SETUP,
    STATE,
    OfGame,
    assumed_game,
)
from service.http.schemas.own_data import MetadataField, external_id
from service.http.schemas.players import player
from service.http.schemas.ratings import SeatRating

INVITE_LIMIT = 128  # characters; the code of an invite has fewer
MOST_SEATS = 16  # that a request may name; each game has its own numbers


def client_seed() -> fields.String:
    """A seat's part of every shuffle."""
    text = "Mixed into every shuffle of the game, so that nobody could predict the shuffle without it."
    return fields.String(validate=validate.Length(1, LONGEST_CLIENT_SEED), metadata={"description": text})


def clock() -> Discriminated:
    """The clock that a game is to have."""
    text = "How long people may think, and what comes of a turn whose time is up."
    return Discriminated("kind", CLOCKS, metadata={"description": text})


class NewSeatOfApp(RequestDocument):
    """A seat of a new game."""

    metadata = MetadataField()


class HumanSeat(NewSeatOfApp):
    """A seat for the holder of its token, which is in the response."""

    kind = fields.String(required=True, validate=validate.Equal("human"))
    player = player()
    client_seed = client_seed()


class OpenSeat(NewSeatOfApp):
    """A seat that a player takes later."""

    kind = fields.String(required=True, validate=validate.Equal("open"))


class BotSeat(NewSeatOfApp):
    """A seat that the service plays."""

    kind = fields.String(required=True, validate=validate.Equal("bot"))
    bot = fields.String(
        required=True,
        validate=validate.Length(1, 64),
        metadata={"description": "A name of GET /v1/bots.", "example": "greedy"},
    )


class Secret(fields.String):
    """A secret of Standard Webhooks."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        text = super()._deserialize(value, attr, data, **kwargs)
        if not is_secret(text):
            raise ValidationError("Must be whsec_ and 24 to 64 bytes in base64.")
        return text


class RemoteSeat(NewSeatOfApp):
    """A seat that is played by an external bot over HTTP."""

    kind = fields.String(required=True, validate=validate.Equal("remote"))
    url = fields.String(
        required=True,
        validate=validate.Length(1, URL_LENGTH),
        metadata={
            "description": "The URL of the bot: https, on the public internet, unless the operator allows others."
            f" At most {URL_LENGTH} characters. It is never shown again.",
            "format": "uri",
            "example": "https://bots.example.com/migrato",
        },
    )
    secret = Secret(
        metadata={
            "description": "The secret that signs the requests to the bot (Standard Webhooks: `whsec_` and 24 to 64"
            " bytes in base64). By default the service makes one and returns it.",
            "example": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        }
    )
    player = player()


SEAT_KINDS: dict[str, RequestDocument] = {
    "human": HumanSeat(),
    "open": OpenSeat(),
    "bot": BotSeat(),
    "remote": RemoteSeat(),
}


class NewGame(RequestDocument):
    """A new game. Every member has a default."""

    examples = invented(
        with_a_clock={
            "seats": [{"kind": "human"}, {"kind": "open"}],
            "clock": {"kind": "bank", "seconds": 300, "increment": 5, "when_up": "bot"},
        },
        against_a_bot={"seats": [{"kind": "human", "player": "ada"}, {"kind": "bot", "bot": "greedy"}]},
        by_invite={"seats": [{"kind": "human", "player": "ada"}, {"kind": "open"}], "joining": "invite"},
    )

    game = fields.String(load_default=DEFAULT_GAME, validate=validate.Length(1, 64))
    options = OfGame(
        OPTIONS, load_default=dict, metadata={"description": "The game's options. Every one has a default."}
    )
    seats = fields.List(
        Discriminated("kind", SEAT_KINDS),
        metadata={
            "description": "Who sits where, as many as the game allows. The default is the game's own: "
            "usually a human and a bot.",
            "minItems": 1,
            "maxItems": MOST_SEATS,
        },
    )
    visibility = fields.String(
        load_default="private",
        validate=validate.OneOf(["private", "public"]),
        metadata={"description": "Whether everybody may watch."},
    )
    joining = fields.String(
        load_default=OPEN,
        validate=validate.OneOf([OPEN, BY_INVITE, BY_APP]),
        metadata={
            "description": "Who may take an open seat: with `open` whoever may see the game, with `invite` whoever"
            " sends the code of an invite to the seat, with `app` only the app itself."
        },
    )
    setup = OfGame(
        SETUP,
        metadata={"description": "What is prepared instead of left to chance. Such a game is not rated."},
    )
    clock = clock()
    external_id = external_id(metadata={"description": "An id of the app's own, for one of its games alone."})
    metadata = MetadataField()
    rated = StrictBool(
        metadata={
            "description": "`false`: the game does not count for ratings, and so may have hints, forks while it runs, "
            "and moves that are taken back. `true`: the app says that nobody at the table has chosen the others, for "
            "its own matchmaking has brought them together; this only an app with a key may say. Left out: a person's "
            "game against a bot counts, if everything else allows it, and a game of several people does not. Quick "
            "match makes games of people that count."
        },
    )

    @validates_schema(skip_on_field_errors=True, pass_original=True)
    def as_many_seats_as_the_game_has(self, data: dict[str, Any], sent: dict[str, Any], **_: Any) -> None:
        """A wrong number of seats is refused with the right ones; a game that is not there is refused itself."""
        game = GAMES.get(data["game"])
        if game is None or "seats" not in data or len(data["seats"]) in game.seat_counts:
            return
        counts = either(game.seat_counts)
        message = f"The game {game.name} has {counts} seats, not {len(data['seats'])}.{assumed_game(sent)}"
        raise ValidationError({"seats": [message]})


class NewFork(RequestDocument):
    """A fork of a game."""

    examples = invented(
        what_if={
            "version": 6,
            "resample": True,
            "seats": [{"kind": "human"}, {"kind": "bot", "bot": "heuristic"}],
        }
    )

    version = StrictInt(
        required=True,
        validate=validate.Range(0, 10**9, error="Must be a version: 1 or more."),
        metadata={"description": "The version to continue from. A decision must come next."},
    )
    seats = fields.List(
        Discriminated("kind", {kind: shape for kind, shape in SEAT_KINDS.items() if kind != "open"}),
        validate=validate.Length(1, MOST_SEATS, error="Must be as many seats as the game has."),
        metadata={
            "description": "As for a new game, none of them open. The default is a human in the caller's seat,"
            " or in seat 0, and the game's usual bots elsewhere."
        },
    )
    resample = StrictBool(
        load_default=False,
        metadata={
            "description": "Draw anew what the caller's seat cannot know. A running game can only be forked like that."
        },
    )
    visibility = fields.String(
        load_default="private",
        validate=validate.OneOf(["private", "public"]),
        metadata={"description": "Whether everybody may watch."},
    )

    @validates_schema(skip_on_field_errors=True)
    def no_own_data(self, data: dict[str, Any], **_: Any) -> None:
        """A fork begins without own data: a seat may make one, too."""
        for number, seat in enumerate(data.get("seats", ())):
            if "metadata" in seat:
                message = "A fork has none at first: PATCH /v1/games/{game_id} gives it some."
                raise ValidationError({"seats": {number: {"metadata": [message]}}})


class NewHolder(RequestDocument):
    """The player to whom a seat is given."""

    examples = invented(to_zoe={"player": "zoe"})

    player = player(required=True)


class TakenSeat(RequestDocument):
    """The player who takes an open seat."""

    examples = invented(bob={"player": "bob", "client_seed": "two teals"})

    player = player(required=True)
    client_seed = client_seed()
    invite = fields.String(
        validate=validate.Length(1, INVITE_LIMIT),
        metadata={
            "description": "The code of an invite to this seat. It is needed where `joining` is `invite`, and lets in"
            " whoever may not see the game.",
            "example": "mi_9f8d2c4b6a1e3057_Zk3yQm0vT5sXw8LbN2rJ4hEeUuGgPpAa",
        },
    )


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
        "Who may take an open seat, unless it is whoever may see the game.",
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
    """A seat, for whoever may take it."""

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
        """Members that say which game it is are there. All others may be left out; the line's own schema has words on
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
