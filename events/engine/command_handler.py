# compiled into recording
"""Handling of every command: load the game, decide, append; if the game had changed meanwhile, decide again on its new
state.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from domain.chance import SeededChance
from domain.clocks.clock import Clock as GameClock
from domain.clocks.decide import ClockCommand, time_is_up
from domain.clocks.decide import decide as decide_by_clock
from domain.errors import DomainError
from domain.lifecycle import HandOver
from domain.value import Value
from events.engine.new_game_form import NEW_GAMES
from events.engine.pending_action import pending_action
from events.engine.repository import GameRepository
from events.errors import StoreUnavailable, VersionConflict, VersionMismatch
from events.log.chain import SEALS
from events.log.envelope import RecordedEvent, in_form_2, seal
from events.log.serialisers import standing_json
from events.log.snapshot import Snapshot
from events.log.usage import Thought, used_by
from events.ports import CommandId, EventStore, Repeated, StoredInvite
from events.times import milliseconds_of, time_of, timestamp

ATTEMPTS = 8  # decisions about one command; if the game still changes under each, the answer is a conflict

CREATION = CommandId("create")  # of a game whose id was drawn at random: no other request can have used it

Clock = Callable[[], datetime]


class Played:
    """Events of a command, and the game right after it; `repeated` if an earlier request had carried it out."""

    def __init__(self, snapshot: Snapshot, events: list[RecordedEvent], repeated: bool = False) -> None:
        self.snapshot = snapshot
        self.events = events
        self.repeated = repeated


class Request(Value):
    """A command to a game, with the seat that asks, and the identity of the request.

    `if_match` is the only version, and `if_turn` the only turn_version, at which the command holds; None is any.
    `tokens` are the hashes of the tokens that the command gives to seats. `holder` is the hash of the token by which
    the seat asks. `invite` is the invite by which somebody takes a seat. `thought` is the time that the seat's bot has
    thought.
    """

    __match_args__ = (
        *("seat", "command", "identity", "if_match", "if_turn", "tokens", "holder", "invite"),
        "thought",
    )

    def __init__(
        self,
        seat: int | None,
        command: Any,
        identity: CommandId,
        if_match: int | None = None,
        if_turn: int | None = None,
        tokens: Mapping[int, str] | None = None,
        holder: str | None = None,
        invite: StoredInvite | None = None,
        thought: Thought | None = None,
    ) -> None:
        self.seat = seat
        self.command = command
        self.identity = identity
        self.if_match = if_match
        self.if_turn = if_turn
        self.tokens = tokens
        self.holder = holder
        self.invite = invite
        self.thought = thought


def utc_now() -> datetime:
    """The present time in UTC."""
    return datetime.now(UTC)


class _Now:
    """The present time as text; the part up to the second is made once for all moves of that second."""

    def __init__(self) -> None:
        self._known = (0, "")

    def text(self) -> str:
        """The same text as `timestamp(utc_now())`, made in a fraction of the time that this takes."""
        milliseconds = time.time_ns() // 1_000_000
        second = milliseconds // 1000
        known, text = self._known  # read as one pair: another thread may replace it by that of another second
        if known != second:
            text = datetime.fromtimestamp(second, UTC).isoformat()[:19]
            self._known = (second, text)
        return f"{text}.{str(1000 + milliseconds % 1000)[1:]}Z"


_now: Final = _Now()


class CommandHandler:
    """Carries commands out. Safe to share among threads and greenlets."""

    def __init__(self, store: EventStore, games: GameRepository, now: Clock) -> None:
        self._store = store
        self._games = games
        self._now = now
        self._is_live = now is utc_now
        self._new_games = NEW_GAMES

    def check(self, before: Snapshot, command: Any) -> None:
        """Raise the refusal of a command that no seat makes, if the game refuses it. Nothing is recorded."""
        before.game.decide(before.state, None, command, SeededChance(before.secrets.seed, before.game_id))

    def begin(
        self,
        before: Snapshot,
        command: Any,
        identity: CommandId = CREATION,
        clock: ClockCommand | None = None,
        approve: Callable[[], object] = bool,
    ) -> Played:
        """Create a game, perhaps with a clock. If the same request created it before, return that game.

        `approve` is called once the game accepts the command, before anything is stored.
        """
        before = before._replace(seals=self._new_games.seals)
        after, sealed = self._decide(before, Request(None, command, identity))
        if clock is not None:
            after, more = self._decide_by_clock(after, Request(None, clock, identity), sealed[-1].at)
            sealed += more
        approve()
        outcome = self._store.create(
            before.game_id,
            before.secrets,
            identity,
            sealed,
            pending_action(after.status),
            after.deadline,
            standing_json(after),
            used=used_by(before, None, identity.id, sealed),
        )
        # A repeat may be of a creation that another process began, with another seed. Without a fingerprint the
        # creation is this request's own.
        if isinstance(outcome, Repeated) and identity.fingerprint:
            return self.as_answered(before.game_id, outcome)
        return Played(self._games.keep(after), sealed)

    def carry_out(self, before: Snapshot, request: Request) -> Played:
        """Decide on the state that this process knows, and append the events: usually one round trip to the store.

        A refusal holds only if the latest state of the game gives it, and only if the command was not carried out
        before. Raises Unauthorized, DomainError, VersionMismatch, CommandMismatch, StoreUnavailable, and
        VersionConflict if the game changes under each of ATTEMPTS decisions.
        """
        before = self._held(before, request)
        for _ in range(ATTEMPTS):
            try:
                check_versions(before, request.if_match, request.if_turn)
                return self._appended(before, request, *self._decide(before, request))
            except VersionConflict:
                before = self._held(self._games.refreshed(before), request)
            except (DomainError, VersionMismatch):
                stale, before = before, self._games.refreshed(before)
                self._held(before, request)
                if (done := self._done(before.game_id, request)) is not None:
                    return done
                if before.stream_head == stale.stream_head:
                    raise
        raise VersionConflict(before.version)

    def attempt(
        self, before: Snapshot, request: Request, then: Callable[[Snapshot], Any] | None = None
    ) -> Played:
        """Decide on the given state and append; VersionConflict if it was not the latest.

        `then` may return another command of the same seat for the game after that, and so on until it returns None. All
        their events are appended in one step.
        """
        after, sealed = self._decide(before, request)
        while then is not None and (command := then(after)) is not None:
            after, more = self._decide(after, request._replace(command=command))
            sealed += more
        return self._appended(before, request, after, sealed)

    def record(self, before: Snapshot, request: Request, events: Sequence[Any]) -> Played:
        """Append events that the game's rules have not decided; VersionConflict if the given state was not the latest.

        Raises DomainError "time-is-up" for a seat whose deadline has passed.
        """
        at = timestamp(self._now())
        if before.clock is not None:
            at = _not_before(before.clock, at)
            _check_deadline(before.clock, request, at)
        return self._appended(before, request, *_recorded(before, request, at, events))

    def _appended(
        self, before: Snapshot, request: Request, after: Snapshot, sealed: list[RecordedEvent]
    ) -> Played:
        outcome = self._store.append(
            before.game_id,
            before.stream_head,
            request.identity,
            sealed,
            pending_action(after.status),
            request.tokens,
            request.invite,
            after.deadline,
            standing_json(after),
            used_by(before, request.seat, request.identity.id, sealed, request.thought),
        )
        if isinstance(outcome, Repeated):
            done = self.as_answered(before.game_id, outcome)
            self._held(done.snapshot, request)
            return done
        return Played(self._games.keep(after), sealed)

    def _decide(self, before: Snapshot, request: Request) -> tuple[Snapshot, list[RecordedEvent]]:
        at = _now.text() if self._is_live else timestamp(self._now())
        if before.clock is not None:
            return self._decide_by_clock(before, request, _not_before(before.clock, at))
        game, secrets = before.game, before.secrets
        chance = SeededChance(secrets.seed, before.game_id)
        return _recorded(
            before, request, at, game.decide(before.state, request.seat, request.command, chance)
        )

    def _decide_by_clock(
        self, before: Snapshot, request: Request, at: str
    ) -> tuple[Snapshot, list[RecordedEvent]]:
        """The same for a game with a clock, or for the command that gives it one: the recorded time decides."""
        game, command, clock = before.game, request.command, before.clock
        if isinstance(command, ClockCommand):
            events = decide_by_clock(game, before.state, clock, command, milliseconds_of(at))
            return _recorded(before, request, at, events)
        if clock is not None:
            _check_deadline(clock, request, at)
        chance = SeededChance(before.secrets.seed, before.game_id)
        return _recorded(before, request, at, game.decide(before.state, request.seat, command, chance))

    def _done(self, game_id: str, request: Request) -> Played | None:
        # An identity without a fingerprint was drawn for this very request: no other request can have used it before.
        done = self._store.recorded(game_id, request.identity) if request.identity.fingerprint else None
        return None if done is None else self.as_answered(game_id, done)

    def _held(self, current: Snapshot, request: Request) -> Snapshot:
        """The game, if `request.holder` is still the hash of the seat's token; otherwise raise Unauthorized.

        A process that has not read the event of a new token cannot append, because the game has moved on. When it has
        read that event, it calls this method.
        """
        return self._games.held(current, request.seat, request.holder)

    def as_answered(self, game_id: str, done: Repeated) -> Played:
        """Answer to the first request with this identity: its events, and the game right after them.

        Raises StoreUnavailable if they are not there: then two servers of a cluster disagree, one that knew of the
        request and one that was asked for the events, and it is not known yet which of them is right.
        """
        current = self._games.current(game_id)
        if done.last > current.version:
            raise StoreUnavailable(f"game {game_id} has no version {done.last} at the moment")
        snapshot = self._games.as_of(current, done.last)
        events = self._store.read(game_id, after=done.first - 1, limit=done.last - done.first + 1)
        return Played(snapshot, events, repeated=True)


def check_versions(now: Snapshot, if_match: int | None, if_turn: int | None) -> None:
    """Raise VersionMismatch unless the game has that version, or that turn_version; None is any."""
    if if_match is not None and if_match != now.version:
        raise VersionMismatch(if_match, now.version)
    if if_turn is not None and if_turn != now.turn_version:
        raise VersionMismatch(if_turn, now.version, now.turn_version)


def _check_deadline(clock: GameClock, request: Request, at: str) -> None:
    """DomainError "time-is-up" if a seat acts at its deadline or later."""
    is_in_time = request.seat is None or isinstance(
        request.command, HandOver
    )  # a hand-over is no move, and the clock runs on
    deadline = None if is_in_time else clock.deadline
    if deadline is not None and milliseconds_of(at) >= deadline:
        raise time_is_up(clock.running, time_of(deadline))


def _recorded(
    before: Snapshot, request: Request, at: str, events: Sequence[Any]
) -> tuple[Snapshot, list[RecordedEvent]]:
    """The game after the events, and the events as they are recorded at time `at`."""
    game, secrets, is_closed = before.game, before.secrets, before.seals == SEALS
    records = [game.encode(event) for event in events]
    if is_closed and before.version == 0:
        records[0] = in_form_2(records[0])
    sealed = seal(
        before.game_id,
        secrets.seed,
        before.stream_head,
        at,
        request.identity.id,
        records,
        game if is_closed else None,
    )
    if request.tokens:
        before = before._replace(secrets=secrets.with_tokens(request.tokens))
    return before.after(events, sealed), sealed


def _not_before(clock: GameClock, at: str) -> str:
    """The time `at`, or that of the last event if that is later: when a machine's clock was set back, the game's clock
    stands still.
    """
    return at if milliseconds_of(at) >= clock.at else time_of(clock.at)
