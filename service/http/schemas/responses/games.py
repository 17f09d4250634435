"""Games, seats, players and listings, as they go out."""

from typing import Final

from marshmallow import fields, validate

from service.http.schemas.fields import Strict, StrictInt
from service.http.schemas.moves import SPECIES
from service.http.schemas.responses.members import (
    KEY_ID,
    SIGNATURE,
    count,
    digest,
    faces,
    flag,
    game_id,
    game_status,
    moment,
    player_id,
    text,
)

CREATED_MEMBERS: Final = (
    "id", "game", "status", "rated", "setup", "visibility", "created_at", "version", "options", "seats",
)  # fmt: skip


class SeatInfo(Strict):
    """Who sits there."""

    seat = count()
    kind = text(validate=validate.OneOf(["human", "open", "bot", "remote"]))
    player = fields.String(
        allow_none=True,
        metadata={"description": "What the player is called; null once the player is erased."},
    )
    player_id = player_id(required=False)
    bot = fields.String()


class NewSeat(SeatInfo):
    """A seat of a new game; a human's with its token, a remote one with its secret if it came without one."""

    token = fields.String(metadata={"description": "Plays this seat. Keep it: it is never shown again."})
    secret = fields.String(metadata={"description": "Signs what the bot is asked. It is never shown again."})


class Links(Strict):
    """Where a game's resources are."""

    self = text()
    moves = text()
    legal_moves = text()
    events = text()


class SeatWithToken(NewSeat):
    """A seat just taken."""

    status = game_status()
    version = count()
    links = fields.Nested(Links, required=True)


class ResolvedOptions(Strict):
    """Every option of the game, as it was resolved when the game was created."""

    rules = text()
    movement = text("What the rule book lets move.", validate=validate.OneOf(["tail", "split_or_join"]))
    sweep = text("What goes after an arrival.", validate=validate.OneOf(["seen_columns", "every_card"]))
    return_flight = flag("With the Return Flight cards.")
    memory_aid = flag("Players are shown their own buried cards.")
    first_seat = fields.Raw(required=True, metadata={"enum": [0, 1, "random"]})
    turn_limit = StrictInt(required=True, allow_none=True)
    turn_cap = StrictInt(
        metadata={
            "description": "The last turn where there is no `turn_limit`. Games of former releases have none."
        }
    )
    deck_list = fields.Dict(
        keys=fields.String(), values=StrictInt(), required=True, metadata={"description": "Cards by face."}
    )
    flight_points = fields.Dict(keys=fields.String(), values=StrictInt(), required=True)


class Commitment(Strict):
    """What the shuffles can be checked with from the start."""

    commitment = digest("SHA-256 of the server's seed.")


class Signature(Strict):
    """A head that was signed by Ed25519."""

    key_id = text("The `kid` of a key at /.well-known/migrato-keys.json.", **KEY_ID)
    version = count()
    head = digest("The chain's head after that version.")
    signature = text("Of the head, in base64url.", **SIGNATURE)


class Fairness(Commitment):
    """What the shuffles can be checked with."""

    server_seed = digest("Revealed when the game is over.", allow_none=True)
    client_seeds = fields.List(fields.String(allow_none=True), required=True)
    signature = fields.Nested(
        Signature,
        required=True,
        allow_none=True,
        metadata={
            "description": "Of the final head, once the game is over and scored, if heads are signed here."
        },
    )


class GameSummary(Strict):
    """A game without its state."""

    id = game_id()
    game = text()
    status = game_status()
    rated = flag("False for a game that was set up by hand, or forked.")
    setup = flag("Whether the deck was set up by hand, or the position taken from another game.")
    visibility = text(validate=validate.OneOf(["private", "public"]))
    created_at = moment()
    seats = fields.List(fields.Nested(SeatInfo), required=True)


class NewlyCreated(GameSummary):
    """A new game."""

    version = count("The number of events so far.")
    options = fields.Nested(ResolvedOptions, required=True)
    seats = fields.List(fields.Nested(NewSeat), required=True)
    fairness = fields.Nested(Commitment, required=True)
    links = fields.Nested(Links, required=True)


class Origin(Strict):
    """What a game was forked from."""

    game_id = game_id()
    version = count()
    head = digest("The chain's head after that version.")
    resampled = flag("Whether what `seat` could not know was drawn anew.")
    seat = StrictInt(required=True, allow_none=True)


class NewlyForked(NewlyCreated):
    """A new game that goes on from another."""

    origin = fields.Nested(Origin, required=True)


class Result(Strict):
    """How a game ended."""

    winner = StrictInt(
        required=True, allow_none=True, metadata={"description": "A seat, or null for a draw."}
    )
    reason = text(validate=validate.OneOf(["all_arrived", "turn_limit", "resigned", "timeout"]))
    scores = fields.List(StrictInt(), required=True)
    scored = flag("Whether the scoring worker has confirmed it; then no event follows any more.")


class SeatDetails(SeatInfo):
    """A seat as whoever may take it can see it."""

    game = text("The game's name.")
    status = game_status()
    version = count("The game's version.")
    setup = flag("Whether the deck was set up: then the commitment says nothing of how it lies.")
    options = fields.Nested(ResolvedOptions, required=True)
    fairness = fields.Nested(Fairness, required=True)
    links = fields.Nested(Links, required=True)


class PlayerLinks(Strict):
    """Where a player is."""

    self = text()
    games = text("The app's games in which the player has a seat.")


class Player(Strict):
    """A player of an app."""

    player_id = player_id()
    player = text("What the app calls the player.")
    created_at = moment()
    links = fields.Nested(PlayerLinks, required=True)


class GameLine(GameSummary):
    """A game in a listing."""

    result = fields.Nested(Result, required=True, allow_none=True)


class GamesPage(Strict):
    """A page of games, newest first."""

    games = fields.List(fields.Nested(GameLine), required=True)
    next = text("The cursor of the next page, or null.", allow_none=True)


class ColumnCard(Strict):
    """A card on the table; `face` is null where the viewer may not know it."""

    face = text(allow_none=True)
    down = flag("Whether it lies face down.")


class Column(Strict):
    """A column, from its top to its bottom."""

    slot = count()
    cards = fields.List(fields.Nested(ColumnCard), required=True)


class Side(Strict):
    """A player's side of the table."""

    seat = count()
    hand = faces(allow_none=True, metadata={"description": "null where the viewer may not see it."})
    hand_size = count()
    score = count()
    columns = fields.List(fields.Nested(Column), required=True)
    arrivals = fields.Dict(
        keys=fields.String(validate=validate.OneOf(SPECIES)),
        values=fields.List(fields.String()),
        required=True,
        metadata={"description": "Piles by species; the last card is on top."},
    )
    return_flights = fields.List(fields.String(validate=validate.OneOf(SPECIES)), required=True)


class Table(Strict):
    """The state of a game of Migrato."""

    phase = text(validate=validate.OneOf(["action", "discard"]))
    deck = count("The number of cards.")
    discard_pile = faces()
    players = fields.List(fields.Nested(Side), required=True)
    deck_cards = fields.List(
        fields.String(), metadata={"description": "The deck in its order, once the game is over."}
    )


class GameView(GameSummary):
    """A game as a viewer may see it."""

    version = count("The number of events so far.")
    viewer = StrictInt(
        required=True, allow_none=True, metadata={"description": "A seat, or null for a spectator."}
    )
    turn = count()
    to_act = StrictInt(
        required=True, allow_none=True, metadata={"description": "The seat whose turn it is, or null."}
    )
    state = fields.Nested(Table, required=True, allow_none=True)
    result = fields.Nested(Result, required=True, allow_none=True)
    options = fields.Nested(ResolvedOptions, required=True)
    fairness = fields.Nested(Fairness, required=True)
