"""How every command is handled: load, decide, append; and once more on the game as it is now, if it had moved."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from domain.chance import SeededChance
from domain.errors import DomainError
from domain.value import Value
from events.errors import VersionConflict, VersionMismatch
from events.games.pending_action import pending_action
from events.games.repository import GameRepository
from events.log.envelope import RecordedEvent, seal
from events.log.snapshot import Snapshot
from events.ports import CommandId, EventStore, Repeated

ATTEMPTS = 8  # decisions about one command before a game that keeps moving is answered with a conflict

CREATION = CommandId("create")  # of a game whose id nobody else can have drawn

Clock = Callable[[], datetime]


class Played:
    """What a command caused, and the game right after it; `repeated` if an earlier request had done it."""

    def __init__(self, snapshot: Snapshot, events: list[RecordedEvent], repeated: bool = False) -> None:
        self.snapshot = snapshot
        self.events = events
        self.repeated = repeated


class Request(Value):
    """A command to a game, as somebody asks for it: by which seat, at which version only, under which identity.

    `tokens` are the hashes of the tokens that the command gives to seats, `holder` is the hash of the one by whose
    right the seat asks.
    """

    __match_args__ = ("seat", "command", "identity", "if_match", "tokens", "holder")

    def __init__(
        self,
        seat: int | None,
        command: Any,
        identity: CommandId,
        if_match: int | None = None,
        tokens: Mapping[int, str] | None = None,
        holder: str | None = None,
    ) -> None:
        self.seat = seat
        self.command = command
        self.identity = identity
        self.if_match = if_match
        self.tokens = tokens
        self.holder = holder


def utc_now() -> datetime:
    """The time, with its zone."""
    return datetime.now(UTC)


def timestamp(time: datetime) -> str:
    """RFC 3339 in UTC with milliseconds, as in 2026-11-21T10:00:00.123Z."""
    second = _second(time.year, time.month, time.day, time.hour, time.minute, time.second)
    return f"{second}.{str(1000 + time.microsecond // 1000)[1:]}Z"


@lru_cache(maxsize=4)  # one serves all moves of a second
def _second(year: int, month: int, day: int, hour: int, minute: int, second: int) -> str:
    return datetime(year, month, day, hour, minute, second, tzinfo=UTC).isoformat()[:19]


class CommandHandler:
    """Carries commands out. Safe to share among threads and greenlets."""

    def __init__(self, store: EventStore, games: GameRepository, now: Clock) -> None:
        self._store = store
        self._games = games
        self._now = now

    def check(self, before: Snapshot, command: Any) -> None:
        """Raise what the game has against a command that is nobody's move; nothing is done."""
        before.game.decide(before.state, None, command, SeededChance(before.secrets.seed, before.game_id))

    def begin(self, before: Snapshot, command: Any, identity: CommandId = CREATION) -> Played:
        """Create a game. If the same request created it before, what that one did."""
        after, sealed = self._decide(before, Request(None, command, identity))
        outcome = self._store.create(
            before.game_id, before.secrets, identity, sealed, pending_action(after.status)
        )
        # A repeat may be of what another process began, with another seed; without a fingerprint it is this one's own.
        if isinstance(outcome, Repeated) and identity.fingerprint:
            return self.as_answered(before.game_id, outcome)
        return Played(self._games.keep(after), sealed)

    def carry_out(self, before: Snapshot, request: Request) -> Played:
        """Decide on what is known here and append: one round trip to the store, as a rule.

        A refusal is only believed on the game as it is now, and only if the request was not done before. Raises
        Unauthorized, DomainError, VersionMismatch, CommandMismatch, StoreUnavailable, and VersionConflict if the game
        never rests.
        """
        before = self._held(before, request)
        for _ in range(ATTEMPTS):
            try:
                _check_version(before, request)
                return self.attempt(before, request)
            except VersionConflict:
                before = self._held(self._games.refreshed(before), request)
            except (DomainError, VersionMismatch):
                stale, before = before, self._games.refreshed(before)
                self._held(before, request)
                if (done := self._recorded(before.game_id, request)) is not None:
                    return done
                if before.stream_head == stale.stream_head:
                    raise
        raise VersionConflict(before.version)

    def attempt(
        self, before: Snapshot, request: Request, then: Callable[[Snapshot], Any] | None = None
    ) -> Played:
        """Decide on the game as given and append; VersionConflict if it was not current.

        `then` may give another command of the same seat for the game as it is after that, and so on until it gives
        None: what they all cause is appended as one.
        """
        after, sealed = self._decide(before, request)
        while then is not None and (command := then(after)) is not None:
            after, more = self._decide(after, request._replace(command=command))
            sealed += more
        outcome = self._store.append(
            before.game_id,
            before.stream_head,
            request.identity,
            sealed,
            pending_action(after.status),
            request.tokens,
        )
        if isinstance(outcome, Repeated):
            done = self.as_answered(before.game_id, outcome)
            self._held(done.snapshot, request)
            return done
        return Played(self._games.keep(after), sealed)

    def _decide(self, before: Snapshot, request: Request) -> tuple[Snapshot, list[RecordedEvent]]:
        game, secrets = before.game, before.secrets
        chance = SeededChance(secrets.seed, before.game_id)
        events = game.decide(before.state, request.seat, request.command, chance)
        sealed = seal(
            before.game_id,
            secrets.seed,
            before.stream_head,
            timestamp(self._now()),
            request.identity.id,
            [game.encode(event) for event in events],
        )
        if request.tokens:
            before = before._replace(secrets=secrets.with_tokens(request.tokens))
        return before.after(events, sealed[-1].stream_head), sealed

    def _recorded(self, game_id: str, request: Request) -> Played | None:
        # An identity without a fingerprint was made up for this very request: nobody can have used it before.
        done = self._store.recorded(game_id, request.identity) if request.identity.fingerprint else None
        return None if done is None else self.as_answered(game_id, done)

    def _held(self, current: Snapshot, request: Request) -> Snapshot:
        """The game, if the seat's token is still the one by which the request was let in; else Unauthorized.

        A process that has not heard of a new token cannot append: the event of it makes the game another one than the
        process knows, and to get to know it is to get here.
        """
        return self._games.held(current, request.seat, request.holder)

    def as_answered(self, game_id: str, done: Repeated) -> Played:
        """What the first request with this identity was answered: its events, and the game right after them."""
        snapshot = self._games.as_of(self._games.current(game_id), done.last)
        events = self._store.read(game_id, after=done.first - 1, limit=done.last - done.first + 1)
        return Played(snapshot, events, repeated=True)


def _check_version(before: Snapshot, request: Request) -> None:
    if request.if_match is not None and request.if_match != before.version:
        raise VersionMismatch(request.if_match, before.version)
