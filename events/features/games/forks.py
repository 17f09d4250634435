"""Forks: new games that go on from a version of another game.

A fork of a finished game takes the position as it was, with all that was hidden in it. A running game can be forked
only by a seat, and then all cards that the seat cannot know are drawn anew: from what it saw and remembers, and from
the new game's own seed. The true hidden cards never enter the fork, so neither the fork nor its end can show them. Bots
answer in a fork as in any game; so the running game records that the seat has a fork, as it records a hint.
"""

import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from domain.errors import DomainError, invalid
from domain.lifecycle import Json, Origin, Seat, TellFork, must_allow_help
from events.engine.access import OF_A_SEAT, Caller
from events.engine.command_handler import ATTEMPTS, CommandHandler, Request
from events.engine.fork_source import ForkSource
from events.engine.idempotency import KeyedRequest
from events.engine.new_game import Created, NewGame
from events.engine.repository import GameRepository
from events.errors import Forbidden, GameRunning, VersionBeyondEnd, VersionConflict, WithinMove
from events.features.apps.callers import Callers
from events.features.games.create import Creation
from events.features.games.port import SeatForkStore
from events.features.games.views import Views
from events.log.serialisers import is_over
from events.log.snapshot import Snapshot
from events.ports import CommandId, EventStore
from events.times import time_of

log = logging.getLogger("migrato.forks")

AROUND = 64  # events on each side of a version among which the beginning and the end of its move are sought


@dataclass(frozen=True, slots=True)
class WantedFork:
    """Order of a fork. Without `seats`, a person sits where the caller sat (else at seat 0), and the game's fallback
    bot on the other seats. `remotes` as for a new game.
    """

    version: int
    resample: bool = False
    seats: tuple[Seat, ...] | None = None
    visibility: str = "private"
    remotes: Mapping[int, tuple[str, str | None]] = field(default_factory=dict)


def default_seats(current: Snapshot, caller: Caller) -> tuple[Seat, ...]:
    """A person where the caller sits, and the game's fallback bot on the other seats."""
    person = caller.seat or 0
    bot = current.game.fallback_bot
    seats = range(len(current.status.seats))
    return tuple(Seat("human") if seat == person else Seat("bot", bot=bot) for seat in seats)


class Forks:
    """The use cases of forks: judges which version a caller may fork; the new game is then created like any other."""

    def __init__(
        self,
        store: EventStore,
        games: GameRepository,
        views: Views,
        callers: Callers,
        creation: Creation,
        handler: CommandHandler,
        of_seats: SeatForkStore | None = None,
    ) -> None:
        """`of_seats` lists the forks that seats made, and removes them in time; without it they are kept forever."""
        self._store = store
        self._games = games
        self._views = views
        self._callers = callers
        self._creation = creation
        self._handler = handler
        self._of_seats = of_seats

    def kept_until(self, game_id: str, first_origin: str | None) -> str | None:
        """The time (RFC 3339 UTC) until which a game is kept that goes back to `first_origin`; None: forever."""
        if self._of_seats is None or first_origin is None:
            return None
        until = self._of_seats.until(first_origin, game_id)
        return None if until is None else time_of(until)

    def end_expired(self) -> None:
        """Remove some of the seats' forks whose time is up. Call it now and then. Raises StoreUnavailable."""
        if self._of_seats is not None and (ended := self._of_seats.end_expired()):
            log.info("%d forks of seats have expired and are removed", ended)

    def fork(
        self,
        game_id: str,
        caller: Caller,
        wanted: WantedFork,
        sent: KeyedRequest | None = None,
        *,
        approve: Callable[[str], object] = bool,
    ) -> tuple[Created, Json]:
        """A new unrated game that goes on from a version of one that the caller may watch, and its origin.

        A fork that a seat makes belongs to the seat and to no app; any other belongs to the caller's app. `approve` is
        called, once nothing else speaks against the fork, with the id of the forked game, or with the first origin if
        that game is itself a seat's fork. The same request leads to the same fork, and to GameEnded once that is gone,
        because another fork with its id would contradict it. Raises GameNotFound, Unauthorized, and the errors of
        `judged`, `Creation.begin` and `approve`.
        """
        current = self._views.open_game(game_id, caller)
        app = OF_A_SEAT if caller.kind == "seat" else self._callers.acting_app(caller)
        first = current.secrets.first_origin or game_id
        keyed, created = self._creation.asked_before(f"fork:{game_id}", sent, wanted.remotes)
        if created is None:
            new = self.judged(current, caller, wanted)
            if app == OF_A_SEAT:
                new = replace(new, first_origin=first)

            def admit() -> None:
                approve(first)
                self._tell(current, caller, wanted.version)

            created = self._creation.begin(app, new, keyed, admit)
        (creation,) = self._store.read(created.snapshot.game_id, limit=1)
        return created, creation.data["origin"]

    def _tell(self, current: Snapshot, caller: Caller, version: int) -> None:
        """Record in a running game, as for a hint, that the seat gets a fork of it: once for each state that is forked.

        So everybody at the table knows of the fork, whose bots answer any question, before the seat has it. If the fork
        fails after that, the same request tries it again. Raises VersionConflict, Unauthorized.
        """
        if caller.seat is None:
            return
        since = self._games.as_of(current, version).turn_version
        request = Request(
            caller.seat,
            TellFork(since),
            CommandId(f"fork:{since}:{caller.seat}"),
            holder=caller.token_hash,
        )
        now = current
        for _ in range(ATTEMPTS):
            now = self._games.current(current.game_id)
            if is_over(now) or not now.status.rated:
                return
            with suppress(VersionConflict):
                self._handler.attempt(now, request)
                return
        raise VersionConflict(now.version)

    def judged(self, current: Snapshot, caller: Caller, wanted: WantedFork) -> NewGame:
        """The order of the new game that goes on from a version of a game that the caller may watch."""
        source = self._fork_source(current, caller, wanted)
        seats = wanted.seats or default_seats(current, caller)
        if caller.kind == "seat":
            _require_own(current, wanted, seats)
        return NewGame(current.game.name, {}, seats, wanted.visibility, remotes=wanted.remotes, fork=source)

    def _fork_source(self, current: Snapshot, caller: Caller, wanted: WantedFork) -> ForkSource:
        """Source of a fork for the caller, who may watch the game."""
        seat = _drawn_for(current, caller, wanted)
        if not 1 <= wanted.version <= current.version:
            raise VersionBeyondEnd(wanted.version, current.version)
        then = self._games.as_of(current, wanted.version)
        if then.status.status == "waiting":
            raise DomainError(
                "game-not-started",
                f"At version {then.version} the game had not begun: fork a later one.",
            )
        if then.status.status == "finished":
            raise DomainError(
                "game-over", f"At version {then.version} the game was over: fork an earlier one."
            )
        self._require_a_decision(then)
        origin = Origin(then.game_id, then.version, then.stream_head.head, seat is not None, seat)
        knowledge = None if seat is None else self._games.knowledge(then, seat)
        return ForkSource(origin, then.game, then.state, knowledge)

    def _require_a_decision(self, then: Snapshot) -> None:
        """Raise WithinMove unless a player has to decide something next: otherwise the version lies within a move."""
        follows, version = then.game.is_consequence, then.version
        first = max(0, version - AROUND)
        records = [stored.record for stored in self._store.read(then.game_id, first, 2 * AROUND)]

        def is_amid(at: int) -> bool:
            """True if the event after version `at` only follows from it."""
            position = at - first
            return 0 < position < len(records) and follows(records[position - 1], records[position])

        if not is_amid(version):
            return
        before = after = version
        while is_amid(before):
            before -= 1
        while is_amid(after):
            after += 1
        raise WithinMove(version, before, after)


def _require_own(current: Snapshot, wanted: WantedFork, seats: tuple[Seat, ...]) -> None:
    """DomainError "validation-error" for a seat's fork that gives more than the seat's own power to play.

    Only a token opens such a fork, so it needs a human seat. A fork of a running game shows what the seat holds, so no
    stranger may watch it.
    """
    if not any(seat.kind == "human" for seat in seats):
        raise invalid(
            "seats", "A seat's fork needs a human seat: its token is what the fork can be seen with."
        )
    if any(seat.kind == "remote" for seat in seats):
        raise invalid("seats", "A seat's fork has no remote bots: only an app may have them called.")
    if any(seat.player is not None for seat in seats):
        raise invalid("seats", "A seat's fork has no names of players: they are the app's to give.")
    if wanted.visibility == "public" and not is_over(current):
        raise invalid("visibility", "While a game runs its forks are private: they show what the seat holds.")


def _drawn_for(current: Snapshot, caller: Caller, wanted: WantedFork) -> int | None:
    """The seat whose unknown cards are to be drawn anew; None if no cards are."""
    if current.status.status == "waiting":
        raise DomainError(
            "game-not-started", "The game waits for players: there is no position to go on from."
        )
    if not is_over(current):
        if caller.seat is None:
            raise Forbidden(
                "While a game runs only its seats may fork it: what is hidden from the seat is drawn anew."
            )
        must_allow_help(current.status)
        if not wanted.resample:
            raise GameRunning
    elif wanted.resample and caller.seat is None:
        raise Forbidden("`resample` draws anew what a seat cannot know: it needs that seat's token.")
    return caller.seat if wanted.resample else None
