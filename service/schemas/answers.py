"""The documents that go out: dumped as they are, described by these schemas in openapi.yaml, held to them in tests."""

from typing import Any, Final

from marshmallow import fields, validate

from service.schemas.fields import Strict, Tagged, TrueFalse, Whole
from service.schemas.moves import MOVE, MOVE_TYPES, SPECIES

LINES: Final = "Events, one a line, each as in the JSON form."
CREATED_MEMBERS: Final = (
    "id", "game", "status", "rated", "setup", "visibility", "created_at", "version", "options", "seats",
)  # fmt: skip


_KEY_ID: Final[dict[str, Any]] = {"validate": validate.Regexp("^[0-9a-f]{16}$")}
_SIGNATURE: Final[dict[str, Any]] = {"validate": validate.Regexp("^[0-9A-Za-z_-]{86}$")}


def _text(description: str = "", **kwargs: Any) -> fields.String:
    metadata = {"description": description} if description else {}
    return fields.String(required=kwargs.pop("required", True), metadata=metadata, **kwargs)


def _count(description: str = "", **kwargs: Any) -> Whole:
    metadata = {"description": description} if description else {}
    return Whole(required=True, validate=validate.Range(0), metadata=metadata, **kwargs)


def _flag(description: str) -> TrueFalse:
    return TrueFalse(required=True, metadata={"description": description})


def _hex(description: str, **kwargs: Any) -> fields.String:
    pattern = validate.Regexp("^[0-9a-f]{64}$")
    return fields.String(
        required=kwargs.pop("required", True),
        validate=pattern,
        metadata={"description": description},
        **kwargs,
    )


def _status() -> fields.String:
    return _text(
        "`waiting` for open seats, `playing`, or `finished`.",
        validate=validate.OneOf(["waiting", "playing", "finished"]),
    )


def _faces(**kwargs: Any) -> fields.List[str]:
    return fields.List(fields.String(), required=True, **kwargs)


def _game_id() -> fields.String:
    return fields.String(
        required=True,
        validate=validate.Regexp("^[0-9A-Za-z]{22}$"),
        metadata={"description": "The game's id."},
    )


def _player_id(*, required: bool = True) -> fields.String:
    return fields.String(
        required=required,
        validate=validate.Regexp("^pl_[0-9a-z]{20}$"),
        metadata={
            "description": "The player's id, which is what the game's events hold; older games have none."
        },
    )


def _time() -> fields.String:
    return fields.String(required=True, metadata={"format": "date-time", "description": "RFC 3339, UTC."})


def _move() -> Tagged:
    return Tagged("type", MOVE_TYPES, required=True, metadata={"description": "Ready to be posted."})


class SeatInfo(Strict):
    """Who sits there."""

    seat = _count()
    kind = _text(validate=validate.OneOf(["human", "open", "bot", "remote"]))
    player = fields.String(
        allow_none=True,
        metadata={"description": "What the player is called; null once the player is erased."},
    )
    player_id = _player_id(required=False)
    bot = fields.String()


class NewSeat(SeatInfo):
    """A seat of a new game; a human's with its token, a remote one with its secret if it came without one."""

    token = fields.String(metadata={"description": "Plays this seat. Keep it: it is never shown again."})
    secret = fields.String(metadata={"description": "Signs what the bot is asked. It is never shown again."})


class Links(Strict):
    """Where a game's resources are."""

    self = _text()
    moves = _text()
    legal_moves = _text()
    events = _text()


class SeatWithToken(NewSeat):
    """A seat just taken."""

    status = _status()
    version = _count()
    links = fields.Nested(Links, required=True)


class ResolvedOptions(Strict):
    """Every option of the game, as it was resolved when the game was created."""

    rules = _text()
    movement = _text("What the rule book lets move.", validate=validate.OneOf(["tail", "split_or_join"]))
    sweep = _text("What goes after an arrival.", validate=validate.OneOf(["seen_columns", "every_card"]))
    return_flight = _flag("With the Return Flight cards.")
    memory_aid = _flag("Players are shown their own buried cards.")
    first_seat = fields.Raw(required=True, metadata={"enum": [0, 1, "random"]})
    turn_limit = Whole(required=True, allow_none=True)
    deck_list = fields.Dict(
        keys=fields.String(), values=Whole(), required=True, metadata={"description": "Cards by face."}
    )
    flight_points = fields.Dict(keys=fields.String(), values=Whole(), required=True)


class Commitment(Strict):
    """What the shuffles can be checked with from the start."""

    commitment = _hex("SHA-256 of the server's seed.")


class Signature(Strict):
    """A head that was signed by Ed25519."""

    key_id = _text("The `kid` of a key at /.well-known/migrato-keys.json.", **_KEY_ID)
    version = _count()
    head = _hex("The chain's head after that version.")
    signature = _text("Of the head, in base64url.", **_SIGNATURE)


class Fairness(Commitment):
    """What the shuffles can be checked with."""

    server_seed = _hex("Revealed when the game is over.", allow_none=True)
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

    id = _game_id()
    game = _text()
    status = _status()
    rated = _flag("False for a game that was set up by hand, or forked.")
    setup = _flag("Whether the deck was set up by hand, or the position taken from another game.")
    visibility = _text(validate=validate.OneOf(["private", "public"]))
    created_at = _time()
    seats = fields.List(fields.Nested(SeatInfo), required=True)


class NewlyCreated(GameSummary):
    """A new game."""

    version = _count("The number of events so far.")
    options = fields.Nested(ResolvedOptions, required=True)
    seats = fields.List(fields.Nested(NewSeat), required=True)
    fairness = fields.Nested(Commitment, required=True)
    links = fields.Nested(Links, required=True)


class Origin(Strict):
    """What a game was forked from."""

    game_id = _game_id()
    version = _count()
    head = _hex("The chain's head after that version.")
    resampled = _flag("Whether what `seat` could not know was drawn anew.")
    seat = Whole(required=True, allow_none=True)


class NewlyForked(NewlyCreated):
    """A new game that goes on from another."""

    origin = fields.Nested(Origin, required=True)


class Result(Strict):
    """How a game ended."""

    winner = Whole(required=True, allow_none=True, metadata={"description": "A seat, or null for a draw."})
    reason = _text(validate=validate.OneOf(["all_arrived", "turn_limit", "resigned", "timeout"]))
    scores = fields.List(Whole(), required=True)
    scored = _flag("Whether the scoring worker has confirmed it; then no event follows any more.")


class SeatDetails(SeatInfo):
    """A seat as whoever may take it can see it."""

    game = _text("The game's name.")
    status = _status()
    version = _count("The game's version.")
    options = fields.Nested(ResolvedOptions, required=True)
    fairness = fields.Nested(Fairness, required=True)
    links = fields.Nested(Links, required=True)


class PlayerLinks(Strict):
    """Where a player is."""

    self = _text()
    games = _text("The app's games in which the player has a seat.")


class Player(Strict):
    """A player of an app."""

    player_id = _player_id()
    player = _text("What the app calls the player.")
    created_at = _time()
    links = fields.Nested(PlayerLinks, required=True)


class GameLine(GameSummary):
    """A game in a listing."""

    result = fields.Nested(Result, required=True, allow_none=True)


class GamesPage(Strict):
    """A page of games, newest first."""

    games = fields.List(fields.Nested(GameLine), required=True)
    next = _text("The cursor of the next page, or null.", allow_none=True)


class ColumnCard(Strict):
    """A card on the table; `face` is null where the viewer may not know it."""

    face = _text(allow_none=True)
    down = _flag("Whether it lies face down.")


class Column(Strict):
    """A column, from its top to its bottom."""

    slot = _count()
    cards = fields.List(fields.Nested(ColumnCard), required=True)


class Side(Strict):
    """A player's side of the table."""

    seat = _count()
    hand = _faces(allow_none=True, metadata={"description": "null where the viewer may not see it."})
    hand_size = _count()
    score = _count()
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

    phase = _text(validate=validate.OneOf(["action", "discard"]))
    deck = _count("The number of cards.")
    discard_pile = _faces()
    players = fields.List(fields.Nested(Side), required=True)
    deck_cards = fields.List(
        fields.String(), metadata={"description": "The deck in its order, once the game is over."}
    )


class GameView(GameSummary):
    """A game as a viewer may see it."""

    version = _count("The number of events so far.")
    viewer = Whole(
        required=True, allow_none=True, metadata={"description": "A seat, or null for a spectator."}
    )
    turn = _count()
    to_act = Whole(
        required=True, allow_none=True, metadata={"description": "The seat whose turn it is, or null."}
    )
    state = fields.Nested(Table, required=True, allow_none=True)
    result = fields.Nested(Result, required=True, allow_none=True)
    options = fields.Nested(ResolvedOptions, required=True)
    fairness = fields.Nested(Fairness, required=True)


class PreviewedEvent(Strict):
    """An event that would happen; what its seat may not know yet is null."""

    type = _text()
    schema = _count()
    seat = Whole(required=True, allow_none=True)
    data = fields.Dict(required=True)


class Event(PreviewedEvent):
    """Something that has happened in a game."""

    version = _count()
    at = _time()
    redacted = fields.List(
        fields.String(), required=True, metadata={"description": "The hidden fields of `data`."}
    )
    commitment = _hex("SHA-256 of the salt and the RFC 8785 form of the whole event.")
    head = _hex("SHA-256 of the previous head and this commitment.")
    salt = _hex("Given to a viewer who sees the event whole.", required=False)


class StreamFrame(Strict):
    """A frame of a stream (server-sent events)."""

    id = fields.String(metadata={"description": "The event's version; the frame `end` has none."})
    event = _text("The event's type, or `end`.")
    data = fields.String(
        required=True,
        metadata={"description": "The event as in the JSON form."},
    )


class EventsPage(Strict):
    """Some events of a game."""

    events = fields.List(fields.Nested(Event), required=True)
    next = _count("What `after` is for the events that follow.")
    version = _count("The game's version.")


class ReplayedEvent(Event):
    """Something that happened, also in words."""

    notation = _text("In one readable line; a hidden card is `?`.")


class Step(Strict):
    """What was decided, what followed from it, and the view after that."""

    version = _count("Of the game, after it: what can be asked for as `version`, and forked.")
    at = _time()
    seat = Whole(required=True, allow_none=True, metadata={"description": "Who decided it, or null."})
    events = fields.List(fields.Nested(ReplayedEvent), required=True)
    view = fields.Nested(GameView, required=True)


class ReplayPage(Strict):
    """Some steps of a game."""

    items = fields.List(fields.Nested(Step), required=True)
    next = _count("What `after` is for the steps that follow; there are none yet if it is `version`.")
    version = _count("The game's version.")


class PlayedMove(Strict):
    """What a move caused, and the game right after it."""

    version = _count()
    events = fields.List(fields.Nested(Event), required=True)
    game = fields.Nested(GameView, required=True)


class PreviewedMove(Strict):
    """What a move would cause."""

    dry_run = _flag("Always true.")
    version = _count()
    complete = _flag("Whether this is all that would happen; otherwise the rest depends on what is hidden.")
    events = fields.List(fields.Nested(PreviewedEvent), required=True)


class LegalMoves(Strict):
    """The moves that a seat has."""

    version = _count()
    seat = _count()
    moves = fields.List(MOVE, required=True)


class Strength(Strict):
    """How strong a bot is, in Elo points; only differences between bots mean anything."""

    elo = Whole(required=True)
    low = Whole(required=True, metadata={"description": "The lower bound of the 95% interval."})
    high = Whole(required=True, metadata={"description": "The upper bound of the 95% interval."})


class SpentBudget(Strict):
    """What a search takes."""

    iterations = Whole(validate=validate.Range(0))
    milliseconds = Whole(validate=validate.Range(1))


class BotLine(Strict):
    """A bot."""

    name = _text()
    version = _text("Another one may find other moves.")
    description = _text()
    games = fields.List(fields.String(), required=True)
    rules = fields.Dict(
        keys=fields.String(),
        values=fields.List(fields.String()),
        required=True,
        metadata={"description": "The rule variants that it plays, by game, with every option."},
    )
    strength = fields.Nested(Strength, required=True, allow_none=True)
    budget = fields.Nested(
        SpentBudget,
        required=True,
        allow_none=True,
        metadata={"description": "What it takes for a move; null for a bot that does not search."},
    )
    milliseconds = _count("How long it thinks about a move, on one core in plain Python.")
    remembers = _flag("Whether it makes use of the history.")


class BotCatalogue(Strict):
    """The bots that play here."""

    bots = fields.List(fields.Nested(BotLine), required=True)


class ConsideredMove(Strict):
    """A move that a bot weighed."""

    move = _move()
    visits = _count("How often the search tried it.")
    value = fields.Float(
        required=True, metadata={"description": "The final lead that is expected, in points."}
    )
    win_probability = fields.Float(
        required=True, validate=validate.Range(0, 1), metadata={"description": "A draw counts half."}
    )


class Advice(Strict):
    """What a bot came to."""

    bot = _text()
    version = _text("The bot's version.")
    move = _move()
    considered = fields.List(
        fields.Nested(ConsideredMove),
        required=True,
        metadata={
            "description": "The moves that it weighed, the best first; none from a bot that does not search."
        },
    )
    iterations = _count(
        "The iterations that the search really did: with them and the seed it comes to the same."
    )


class ThoughtMove(Advice):
    """What a bot came to in a position."""

    milliseconds = _count("How long it thought.")
    seed = _text("The seed of its chance.", validate=validate.Regexp("^[0-9a-f]{16}$"))


class Hint(Advice):
    """What a bot would do for the seat."""

    game_version = _count("The game's version, a recorded hint included.")
    seat = _count()
    recorded = _flag("Whether everybody gets to know of it: true in a rated game.")


class JobLinks(Strict):
    """Where a job is."""

    self = _text()


class WaitingJob(Strict):
    """A question to a bot that has not been answered yet."""

    id = _text("Nobody can guess it.")
    status = _text(validate=validate.Equal("waiting"))
    links = fields.Nested(JobLinks, required=True)


class Head(Strict):
    """The head of a game, signed."""

    game_id = _game_id()
    version = _count()
    head = _hex("The chain's head after that version.")
    key_id = _text("null where nothing is signed.", allow_none=True, **_KEY_ID)
    signature = _text("In base64url; null where nothing is signed.", allow_none=True, **_SIGNATURE)


class PublicKey(Strict):
    """A public key (RFC 7517, RFC 8037)."""

    kty = _text(validate=validate.Equal("OKP"))
    crv = _text(validate=validate.Equal("Ed25519"))
    x = _text("The public key in base64url.")
    kid = _text("The key's id.", **_KEY_ID)
    use = _text(validate=validate.Equal("sig"))


class PublicKeys(Strict):
    """A JWK set; the first key is the one that signs now."""

    keys = fields.List(fields.Nested(PublicKey), required=True)


class Check(Strict):
    """What came of one check."""

    check = _text("Its name: docs/audit.md tells what each one means.")
    status = _text(
        "`partly`: nothing is wrong, but not all could be checked.",
        validate=validate.OneOf(["passed", "failed", "partly", "not-checked"]),
    )
    count = _count("How much was found right.")
    note = fields.String(required=True, allow_none=True)


class Finding(Strict):
    """What was found wrong first; nothing after it was looked at."""

    check = _text()
    version = Whole(required=True, allow_none=True, metadata={"description": "The event, if it is one."})
    detail = _text()
    expected = fields.String(required=True, allow_none=True)
    found = fields.String(required=True, allow_none=True)


class Audit(Strict):
    """What was checked of a game."""

    game_id = _game_id()
    game = _text()
    version = _count("The events that were checked.")
    complete = _flag("Whether the game is over and was all there to be checked.")
    passed = _flag("Whether nothing was found wrong; `checks` tells what was not checked.")
    checks = fields.List(fields.Nested(Check), required=True)
    wrong = fields.Nested(Finding, required=True, allow_none=True)


class Health(Strict):
    """The process answers."""

    status = _text(validate=validate.Equal("ok"))
    version = _text("The service's version.")
    domain = _text(
        "Whether the rules run as machine code or as plain Python; they say the same.",
        validate=validate.OneOf(["compiled", "plain"]),
    )


class Checks(Strict):
    """What the service needs, and whether it is there."""

    store = _text(validate=validate.OneOf(["ok", "down"]))
    dispatcher = _text(validate=validate.OneOf(["ok", "down"]))
    workers = _text(validate=validate.OneOf(["ok", "down"]))


class Readiness(Strict):
    """All that is needed is there."""

    status = _text(validate=validate.Equal("ok"))
    checks = fields.Nested(Checks, required=True)


class ProblemDocument(Strict):
    """Why a request was refused (RFC 9457); `code` is what programs look at."""

    type = _text("Where the code is explained.")
    title = _text()
    status = Whole(required=True)
    detail = _text("For people; the words may change.")
    code = _text()
    rule = fields.String(metadata={"description": "The section or ruling of the game's rules that says so."})
    version = Whole(metadata={"description": "The game's version."})
    errors = fields.Dict(
        keys=fields.String(),
        values=fields.List(fields.String()),
        metadata={"description": "Messages by field (dotted), parameter or header."},
    )
    to_act = Whole(metadata={"description": "The seat whose turn it is."})
    missing = fields.List(fields.String(), metadata={"description": "Cards that a deck lacks."})
    extra = fields.List(fields.String(), metadata={"description": "Cards that a deck has too many of."})
    checks = fields.Nested(Checks)
