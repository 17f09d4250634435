# compiled into recording
"""Folded games: the state after a stream of events."""

from collections.abc import Sequence
from typing import Any, Final

from domain.annotations import BEFORE_A_MOVE
from domain.clocks import clock as clocks
from domain.clocks.clock import Clock
from domain.clocks.options import recorded_options
from domain.common_events.clocks import SET, UP
from domain.common_events.takebacks import TAKEN_BACK
from domain.errors import DomainError
from domain.game import Game, Rules
from domain.interventions import HAND_OVER, REPLACEMENT
from domain.lifecycle import EventRecord, GameStatus, Json
from domain.value import Value
from events.errors import CorruptStream
from events.log.chain import FORMER
from events.log.envelope import EMPTY, RecordedEvent, StreamHead, seals_of
from events.log.game_secrets import Secrets
from events.log.ratings.unrated import Versions, unrated_because
from events.times import milliseconds_of

SCORED: Final = "game_scored"
NONE_HAS_MOVED: Final[Versions] = {}
MOST: Final = 8  # decisions that a last move shows
POSITIONS: Final = frozenset(("position_set", TAKEN_BACK))
BESIDE_PLAY: Final = frozenset(
    ("seat_taken", HAND_OVER, REPLACEMENT, UP)
)  # events of a seat that are no move of it
UNPLAYED = GameStatus(
    status="waiting",
    seats=(),
    turn=0,
    to_act=None,
    rated=True,
    setup=False,
    options={},
    result=None,
    commitment="",
)


class Unchanging:
    """The part of a running game's document that moves do not change, as JSON, and its sources.

    `opening` is the part before the status, `rest` the part after the result.
    """

    def __init__(
        self,
        status: GameStatus,
        secrets: Secrets,
        names: dict[str, tuple[str | None, str | None]],
        opening: bytes,
        rest: bytes,
    ) -> None:
        """`names`: the names of the game's players, by id."""
        self.status = status
        self.secrets = secrets
        self.names = names
        self.opening = opening
        self.rest = rest

    def is_of(self, status: GameStatus, secrets: Secrets) -> bool:
        """True if this is also the part of a game with such a status and secrets, given the same names of players."""
        made_of = self.status
        return (
            secrets is self.secrets
            and status.seats is made_of.seats
            and status.options is made_of.options
            and status.rated == made_of.rated
            and status.setup == made_of.setup
            and status.commitment == made_of.commitment
        )


class Decision(Value):
    """A decision of a last move: its event. `public`, its data as everybody sees them while the game runs, is there if
    it was found anyway, follows from the record, and so makes no difference.
    """

    __match_args__ = ("version", "record")

    def __init__(self, version: int, record: EventRecord, public: Json | None = None) -> None:
        self.version = version
        self.record = record
        self.public = public


class LastMove(Value):
    """Decisions of the seat that moved last, up to MOST of them, since another seat had moved.

    `written` is its document as everybody sees it while the game runs, as JSON; it is there once somebody has asked for
    it, if nothing is hidden from anybody, and makes no difference.
    """

    __match_args__ = ("seat", "decisions")

    def __init__(self, seat: int, decisions: tuple[Decision, ...]) -> None:
        self.seat = seat
        self.decisions = decisions
        self.written = b""

    def then(self, decision: Decision) -> "LastMove":
        """The last move after a further decision of the same seat."""
        return LastMove(self.seat, (*self.decisions[1 - MOST :], decision))


class Snapshot(Value):
    """A game as it stands at the end of `stream_head`; immutable, and whole: nothing in it may go out unseen.

    `turn_version` is the version at which the state became what it is: events that only remark on something (a hint, a
    request to take a move back, time that is given back, a new token) come later. `clock` is None in a game without
    one. `updated_at` is the time of the last event. `versions` are those of the bots that have moved. `finished_at` is
    the time at which the game was over, None before. `last_move` is None before the first one, and after one was taken
    back. `seals` is the form of its commitments (`events.log.chain`). `unchanging` is there once somebody has asked for
    it, and makes no difference.
    """

    __match_args__ = (
        "game_id", "game", "state", "stream_head", "secrets", "status", "turn_version", "clock", "updated_at",
        "versions", "finished_at", "last_move", "seals",
    )  # fmt: skip

    def __init__(
        self,
        game_id: str,
        game: Game,
        state: Any,
        stream_head: StreamHead,
        secrets: Secrets,
        status: GameStatus,
        turn_version: int = 0,
        clock: Clock | None = None,
        updated_at: str = "",
        versions: Versions = NONE_HAS_MOVED,
        finished_at: str | None = None,
        last_move: LastMove | None = None,
        seals: int = FORMER,
    ) -> None:
        self.game_id = game_id
        self.game = game
        self.state = state
        self.stream_head = stream_head
        self.secrets = secrets
        self.status = status
        self.turn_version = turn_version
        self.clock = clock
        self.updated_at = updated_at
        self.versions = versions
        self.finished_at = finished_at
        self.last_move = last_move
        self.seals = seals
        self.unchanging: Unchanging | None = None

    @property
    def version(self) -> int:
        """The number of events so far."""
        return self.stream_head.version

    @property
    def is_rated(self) -> bool:
        """True if the result counts for ratings once it is confirmed, as far as is known now."""
        return self.unrated_because is None

    @property
    def unrated_because(self) -> str | None:
        """The reason why the result does not count for ratings, one of `UNRATED`; None if it does."""
        return unrated_because(self.status, self.secrets, self.versions)

    @property
    def is_settled(self) -> bool:
        """True if no event follows any more: the game is over and its result is confirmed."""
        result = self.status.result
        return result is not None and result.scored

    @property
    def deadline(self) -> int | None:
        """End of the time of the seat to act, in milliseconds; 0 where nobody's runs, None without a clock."""
        return None if self.clock is None else self.clock.deadline or 0

    def after(self, events: Sequence[Any], recorded: Sequence[RecordedEvent]) -> "Snapshot":
        """The game after the events, of which there is at least one, as they were recorded."""
        game, state, clock, versions = self.game, self.state, self.clock, self.versions
        changed, last_move = self.turn_version, self.last_move
        for version, event in enumerate(events, self.version + 1):
            before, state = state, game.evolve(state, event)
            stored = recorded[version - self.version - 1]
            record = stored.record
            if state is not before:
                changed = version
                last_move = _moved(last_move, game, stored)
            else:
                if record.type == BEFORE_A_MOVE:
                    versions = _with_choice(versions, record)
                elif clock is None and record.type == SET:
                    clock = _clock_set(game, state, stored)
            if clock is not None:
                clock = _clock_after(clock, game, state, stored)
        head, status = recorded[-1].stream_head, game.status(state)
        at, ended = recorded[-1].at, self.finished_at
        if ended is None and status.result is not None:
            ended = _end_of(recorded)
        after = Snapshot(
            self.game_id,
            game,
            state,
            head,
            self.secrets,
            status,
            changed,
            clock,
            at,
            versions,
            ended,
            last_move,
            self.seals if self.version else seals_of(recorded[0].record),
        )
        after.unchanging = self.unchanging
        return after


def _end_of(recorded: Sequence[RecordedEvent]) -> str:
    """The time of the event that ended the game; only the confirmation of the result can follow that event."""
    return next((event.at for event in reversed(recorded) if event.type != SCORED), recorded[-1].at)


def _moved(last: LastMove | None, game: Game, stored: RecordedEvent) -> LastMove | None:
    """The last move after an event that changed the state."""
    record = stored.record
    if record.type in POSITIONS:
        return None
    seat = record.seat
    if seat is None or record.type in BESIDE_PLAY or game.is_consequence(record, record):
        return last
    closed = stored.closed_to
    decision = Decision(stored.version, record, None if closed is None else closed.public)
    if last is None or last.seat != seat:
        return LastMove(seat, (decision,))
    return last.then(decision)


def _with_choice(versions: Versions, chosen: EventRecord) -> Versions:
    seat, bot = chosen.seat or 0, (chosen.data["bot"], chosen.data["version"])
    return versions if versions.get(seat) == bot else {**versions, seat: bot}


def _clock_set(game: Rules, state: Any, recorded: RecordedEvent) -> Clock:
    options = recorded_options(recorded.data, recorded.schema)
    return clocks.clock_set(options, game.status(state), milliseconds_of(recorded.at))


def _clock_after(clock: Clock, game: Rules, state: Any, recorded: RecordedEvent) -> Clock:
    return clocks.evolve(clock, recorded.record, game.status(state), milliseconds_of(recorded.at))


def unplayed(game_id: str, game: Game, secrets: Secrets) -> Snapshot:
    """The game before its first event."""
    return Snapshot(game_id, game, game.initial(), EMPTY, secrets, UNPLAYED)


def fold(before: Snapshot, stored: Sequence[RecordedEvent]) -> Snapshot:
    """The game after the recorded events, which must follow on; CorruptStream where they cannot be understood."""
    if not stored:
        return before
    for version, event in enumerate(stored, before.version + 1):
        if event.version != version:
            raise CorruptStream(f"Event {version} of game {before.game_id} is missing.")
    try:
        events = [before.game.decode(event.record) for event in stored]
    except DomainError as error:
        raise CorruptStream(
            f"Game {before.game_id} holds an event that is not known: {error.detail}"
        ) from error
    return before.after(events, stored)
