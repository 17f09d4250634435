"""Events as they are answered: an envelope that all have, and the data of those that every game may record."""

from dataclasses import dataclass
from typing import Any, Final

from marshmallow import Schema, fields, validate

from domain.common_events import clocks, takebacks
from domain.interventions import ABORT, ADJUDICATION, CLAIM, HAND_OVER, REPLACEMENT, SILENT, WAITING
from events.log.ratings.unrated import PAIRINGS
from service.http.schemas.clocks import ClockCreditedData, ClockSetData, TurnTimedOutData
from service.http.schemas.common.fields import Strict, StrictInt
from service.http.schemas.common.members import (
    count,
    digest,
    flag,
    game_id,
    integers,
    moment,
    objects,
    player_id,
    seat_or_null,
    text,
)

# in the metadata of a field that may be hidden: the viewers who see it while the game runs
SEEN_BY: Final = "x-seen-by"
NOBODY_SEES: Final = "nobody"
WHILE: Final = "While the game runs,"


@dataclass(frozen=True, slots=True, eq=False)
class EventSchema:
    """Description of one type of event.

    `data`: the schema of its data; what may be hidden there has SEEN_BY in its metadata. `summary`: what has happened,
    in a sentence. `effect`: how the table changes, so that a client can render from events alone. `turn`: who acts
    next. `of_a_seat`: whether the event's `seat` is a number; otherwise it is null. `previewed`: the schema of its
    data in a dry run; None where no move causes it.
    """

    data: Schema
    summary: str
    effect: str = "Nothing on the table changes."
    turn: str = "The turn stays as it is."
    of_a_seat: bool = False
    previewed: Schema | None = None

    @property
    def form(self) -> tuple[object, ...]:
        """The form of the event's document; two events of a type with the same form cannot be told apart."""
        return type(self.data), type(self.previewed), self.of_a_seat


def hidden(description: str, seen_by: str = NOBODY_SEES, *, inside: bool = False) -> dict[str, Any]:
    """The metadata of a field that is hidden from some viewers while the game runs.

    `seen_by`: the viewers who see it nevertheless. `inside`: the field itself is shown, with null in place of its
    hidden parts.
    """
    null = "what is hidden in it is null" if inside else "it is null"
    who = "nobody sees it" if seen_by == NOBODY_SEES else f"only {seen_by} can see it"
    words = f"{who}: {null}" if seen_by == NOBODY_SEES else f"{who}; for others {null}"
    return {"description": f"{description} {WHILE} {words}.", SEEN_BY: seen_by}


def hidden_fields(data: Schema) -> list[str]:
    """The names of the fields that may be hidden, sorted."""
    return sorted(f.data_key or name for name, f in data.fields.items() if SEEN_BY in f.metadata)


def _digests(description: str) -> fields.Dict:
    """32 bytes in lower-case hex each, by JSON pointer."""
    values = fields.String(validate=validate.Regexp("^[0-9a-f]{64}$"))
    return fields.Dict(keys=fields.String(), values=values, metadata={"description": description})


class RecordedEvent(Strict):
    """Members of every event as it is answered."""

    version = count("The event's number in the game, from 1.")
    schema = count("The version of the form of `data`.")
    at = moment()
    commitment = digest("Binds the event.")
    head = digest("SHA-256 of the previous head and this commitment.")
    sealed = _digests("Digests of what a spectator does not see, by JSON pointer into `data`.")
    salts = _digests("The salts of those digests that the viewer can check.")
    salt = digest("In games without `seals`, of an event that hides nothing.", required=False)
    notation = text("The event in one readable line; hidden cards are `?`. In replays only.", required=False)


REDACTED: Final = {"description": "The names of the fields of `data` that are hidden from the viewer."}


def _nothing_redacted() -> fields.List[str]:
    return fields.List(fields.String(), required=True, validate=validate.Length(max=0), metadata=REDACTED)


class EventOfSeat(RecordedEvent):
    """An event of a seat."""

    seat = count("The seat whose event it is.")


class EventOfTable(RecordedEvent):
    """An event of the whole table."""

    seat = seat_or_null("Always null.")


class OpenEventOfSeat(EventOfSeat):
    """An event of a seat, of which nothing is ever hidden."""

    redacted = _nothing_redacted()


class OpenEventOfTable(EventOfTable):
    """An event of the whole table, of which nothing is ever hidden."""

    redacted = _nothing_redacted()


class PreviewOfSeat(Strict):
    """An event of a seat that a dry run foresees."""

    schema = count("The version of the form of `data`.")
    seat = count("The seat whose event it is.")


class PreviewOfTable(Strict):
    """An event of the whole table that a dry run foresees."""

    schema = count("The version of the form of `data`.")
    seat = seat_or_null("Always null.")


def recorded(name: str, kind: str, event: EventSchema) -> Schema:
    """The schema, called `name` in openapi.yaml, of events of a type as they are answered.

    It says what has happened; the reference of events also says how the table changes, and who acts next.
    """
    members = {
        "type": text(event.summary, validate=validate.Equal(kind)),
        "data": fields.Nested(event.data, required=True),
    }
    hideable = hidden_fields(event.data)
    if not hideable:
        return _schema(name, OpenEventOfSeat if event.of_a_seat else OpenEventOfTable, members)
    names = fields.String(validate=validate.OneOf(hideable))
    members["redacted"] = fields.List(names, required=True)
    return _schema(name, EventOfSeat if event.of_a_seat else EventOfTable, members)


def previewed(name: str, kind: str, event: EventSchema) -> Schema:
    """The same for events that a dry run foresees."""
    assert event.previewed is not None
    members = {
        "type": text(validate=validate.Equal(kind)),
        "data": fields.Nested(event.previewed, required=True),
    }
    return _schema(name, PreviewOfSeat if event.of_a_seat else PreviewOfTable, members)


def _schema(name: str, base: type[Schema], members: dict[str, Any]) -> Schema:
    schema: Schema = type(name, (base,), members)()
    return schema


# --- what every game may record --------------------------------------------------------------------------------------


class NoData(Strict):
    """The event has no data."""


class SpentBudget(Strict):
    """Size of a search."""

    iterations = StrictInt(
        validate=validate.Range(0), metadata={"description": "The iterations of the search."}
    )
    milliseconds = StrictInt(validate=validate.Range(1), metadata={"description": "The time it takes."})


class RecordedSeat(Strict):
    """A seat as the game was created with it."""

    kind = text("Who plays it.", validate=validate.OneOf(["human", "open", "bot", "remote"]))
    player = text("The player's id; null for an open seat, a bot and a nameless player.", allow_none=True)
    bot = text("The bot's name; null for other seats.", allow_none=True)
    version = text("The bot's version; only of bots, and not in games of former releases.", required=False)
    shares = fields.List(
        fields.List(StrictInt()),
        metadata={"description": "Versions, with per cents, of which this one was drawn."},
    )
    budget = fields.Nested(
        SpentBudget,
        metadata={"description": "For a move, if not the bot's own."},
    )
    elo = fields.Integer(
        metadata={
            "description": "By how many Elo points the bot is stronger than somebody who has not played yet, as was "
            "measured: by this it is rated. Only of bots, in games that count."
        }
    )
    client_seed = text(
        "The client seed, which the seat adds to every shuffle, if it gave one.", allow_none=True
    )


class Origin(Strict):
    """Origin of a forked game."""

    game_id = game_id()
    version = count("The last event of that game before the fork.")
    head = digest("The chain's head after that version.")
    resampled = flag("Whether what `seat` could not know was drawn anew.")
    seat = seat_or_null("The seat that forked a running game; null for a finished one.")


class CreationData(Strict):
    """Record of every game's creation; each game adds its name as `game`, and its `options`."""

    id = game_id()
    commitment = digest("SHA-256 of the server's seed.")
    seats = objects(RecordedSeat, "The seats, in order.")
    setup = flag("Whether the game was set up by hand, or forked.")
    origin = fields.Nested(
        Origin, metadata={"description": "The game from which it was forked; in forks only."}
    )
    unrated_because = text(
        "Why the game does not count for ratings, where that was known, as the game's own member says it.",
        required=False,
    )
    pairing = text(
        "Only if the game counts: who has brought its players together; "
        + "; ".join(f"`{code}`: {who}" for code, who in PAIRINGS.items())
        + ".",
        validate=validate.OneOf(PAIRINGS),
        required=False,
    )
    seals = count("2: each member of an event is bound when it is shown.", required=False)


class SeatTakenData(Strict):
    """The player who took the seat."""

    player = text("The player's id.")
    client_seed = text(
        "The client seed, which the seat adds to every shuffle, if it gave one.", allow_none=True
    )


class DecisionData(Strict):
    """The app that decided about the game."""

    app = text("The name of the game's app; `anonymous` if the service has no app keys.")


class AbortData(DecisionData):
    """The app or the engine aborted the game, for a reason."""

    reason = text(
        "Of schema 2, where the engine did so: its open seats were not taken for too long (`waiting`), or nobody moved "
        "(`silent`).",
        validate=validate.OneOf([WAITING, SILENT]),
        required=False,
    )


class AdjudicationData(DecisionData):
    """Verdict of the app or the engine on the game."""

    places = integers("The place of each seat; 1 is the best.")
    reason = text(
        "Of schema 2, if the engine did so: the player who was to move in a game that counts did not for too long "
        "(`silent`).",
        validate=validate.Equal(SILENT),
        required=False,
    )


class WinClaimedData(Strict):
    """The seat from which the win was claimed."""

    absent = count("The seat to act, which was away.")
    since = moment("Since when nobody was connected there and nothing happened.")


class ReplacementData(DecisionData):
    """The bot in a person's place."""

    bot = text("The bot's name.")


class HandOverData(Strict):
    """To whom a seat was given."""

    app = text("The app that decided so; null if the seat's own player gave it away.", allow_none=True)
    player = player_id()


class TakebackRequestedData(Strict):
    """The move to be taken back."""

    to_version = count("The last event before the move: the table would be the one after this event.")


class TakebackAnsweredData(Strict):
    """Answer of a seat to it."""

    agree = flag("Whether the seat agrees. False from the asking seat: it withdraws.")


class ScoreData(Strict):
    """The confirmed result."""

    places = integers("The place of each seat; 1 is the best.")


class EndData(ScoreData):
    """Result of the game."""

    reason = text("Why the game ended.")
    scores = integers("The score of each seat.")


class HintGivenData(Strict):
    """Search behind a hint."""

    bot = text("The bot's name.")
    version = text("The bot's version.")
    budget = fields.Nested(
        SpentBudget,
        required=True,
        allow_none=True,
        metadata=hidden("The budget that the search used; null for a bot that does not search."),
    )
    seed = text(
        allow_none=True,
        validate=validate.Regexp("^[0-9a-f]{16}$"),
        metadata=hidden("The seed of the bot's chance; null for a bot that was given none."),
    )


class GameForkedData(Strict):
    """A seat has forked a position."""

    version = count("The version at which the position came about that the fork goes on from.")


class MoveChosenData(HintGivenData):
    """Search behind a bot's move."""

    fallback = text(
        "Why another bot moved in the seat's place; null if its own did.",
        allow_none=True,
        validate=validate.OneOf(
            [
                *("failed", "overran", "unreachable", "timeout", "bad-answer", "illegal-move", "suspended"),
                clocks.INSTEAD,
            ]
        ),
    )
    replaces = text(
        "The bot that was replaced, `remote` for a remote one, `human` for a person; null if none was.",
        allow_none=True,
    )


CREATION: Final = "game_created"
CREATED: Final = "A game was created. It waits for players if a seat is open."
OVER: Final = (
    "From now on everything is shown to everybody: "
    "read the events again from the first one to learn what was hidden."
)
NOBODY: Final = "Nobody acts any more."

COMMON_EVENTS: Final[dict[str, EventSchema]] = {
    "seat_taken": EventSchema(
        SeatTakenData(),
        "An open seat was taken by a player.",
        turn="The game starts with its last open seat.",
        of_a_seat=True,
    ),
    "move_chosen": EventSchema(
        MoveChosenData(),
        "A bot chose the move whose events follow.",
        of_a_seat=True,
    ),
    "hint_given": EventSchema(
        HintGivenData(), "A seat was given a hint in a game that nobody prepared.", of_a_seat=True
    ),
    "game_forked": EventSchema(
        GameForkedData(),
        "The seat got a fork of the running game. Cards that it cannot know were drawn anew there, and bots answer it.",
        of_a_seat=True,
    ),
    "seat_token_reissued": EventSchema(
        NoData(), "A seat got a new token; its old one is void.", of_a_seat=True
    ),
    clocks.SET: EventSchema(
        ClockSetData(),
        "The game has a clock, which runs once the game has started. "
        "With a clock of schema 1, of older releases, every turn that begins again has its whole time.",
    ),
    clocks.UP: EventSchema(
        TurnTimedOutData(),
        "The seat's time was up before it moved.",
        turn="As `when_up` says, `game_ended`, a bot's move or `player_replaced` follows.",
        of_a_seat=True,
    ),
    clocks.CREDIT: EventSchema(
        ClockCreditedData(),
        "The seat got back the time that it lost while the service's store did not answer, up to `until`.",
        of_a_seat=True,
    ),
    ABORT: EventSchema(
        AbortData(),
        "The game's app aborted the game, or the engine because nobody played it. "
        "It is over without a result: `result` stays null. No event follows.",
        OVER,
        NOBODY,
    ),
    ADJUDICATION: EventSchema(
        AdjudicationData(),
        "The game's app decided the result, or the engine because a person did not move in a game that counts.",
        turn="`game_ended` follows.",
    ),
    REPLACEMENT: EventSchema(
        ReplacementData(),
        "The game's app put a bot in the place of the seat's player, whose token is void. "
        "The game is not rated, unless the player's time was up.",
        turn="The turn stays as it is: if it is the seat's, the bot moves.",
        of_a_seat=True,
    ),
    HAND_OVER: EventSchema(
        HandOverData(),
        "The seat was given to another player, by a new token; the former one is void. "
        "For ratings a player who gives it up has lost.",
        turn="The turn stays as it is.",
        of_a_seat=True,
    ),
    CLAIM: EventSchema(
        WinClaimedData(),
        "A player claimed the win, as the seat to act was away for `claim_after`.",
        turn="`game_ended` follows.",
        of_a_seat=True,
    ),
    takebacks.REQUESTED: EventSchema(
        TakebackRequestedData(),
        "A player asks to take its last move back. Any move, and another player on a seat, ends the request.",
        turn="The turn stays as it is. Everybody else at the table may answer.",
        of_a_seat=True,
    ),
    takebacks.ANSWERED: EventSchema(
        TakebackAnsweredData(),
        "A player agreed that the move is taken back, or refused, which ends the request.",
        turn="The turn stays as it is. If all have agreed, `moves_taken_back` follows.",
        of_a_seat=True,
    ),
    "player_resigned": EventSchema(
        NoData(),
        "A player resigned.",
        "Between two, nothing on the table changes; among more, the game's rules say where the seat's cards go.",
        "If one seat is left, `game_ended` follows.",
        of_a_seat=True,
        previewed=NoData(),
    ),
    "game_ended": EventSchema(
        EndData(),
        "The game is over.",
        OVER,
        NOBODY,
        previewed=EndData(),
    ),
    "game_scored": EventSchema(
        ScoreData(), "The result was counted again and confirmed. No event follows.", turn=NOBODY
    ),
}
