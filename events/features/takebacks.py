"""Takebacks: moves are taken back if everybody at the table agrees and nobody has learnt anything since."""

import secrets as randomness
from dataclasses import dataclass
from typing import Final

from domain.errors import DomainError
from domain.takebacks.decide import (
    AnswerTakeback,
    AskTakeback,
    TakebackCommand,
    decide,
    missing,
    to_take_back,
)
from domain.takebacks.takebacks import NONE, Takebacks, evolve
from events.engine.access import Caller
from events.engine.command_handler import CommandHandler, Played, Request
from events.engine.idempotency import KeyedCommand, KeyedRequest
from events.engine.repository import GameRepository, pages
from events.errors import VersionConflict
from events.features.games.views import Views
from events.log.snapshot import Snapshot
from events.ports import CommandId, EventStore
from events.scheduling import Slices, Steps

ATTEMPTS: Final = 8  # attempts while the game keeps changing
NEAR: Final = 1000  # the most events that are read without waiting in the line for long work


@dataclass(frozen=True, slots=True)
class TakebackStatus:
    """Takebacks at a `version`. `asked_by`: the seat that asks to go back to `to_version`; both None if none does.

    `agreed` and `missing`: the seats that have agreed to that, and those that have not answered. `may_ask`: whether the
    caller's seat may ask now. `refusal`: the code of the reason why not; None if it may, for a caller without a seat,
    and while a seat asks. `left`: how many requests that seat has left; 0 for a caller without one.
    """

    version: int
    asked_by: int | None
    to_version: int | None
    agreed: tuple[int, ...]
    missing: tuple[int, ...]
    may_ask: bool
    refusal: str | None
    left: int


class TakebackRequests:
    """The use cases of takebacks.

    Requests and answers are events of the game. So every page that follows the game sees them, and two answers at the
    same time, or an answer and a move, get an order. What can be taken back is computed from the events each time: it
    is rarely asked, and nothing is stored for it while games are played.
    """

    def __init__(
        self, store: EventStore, games: GameRepository, handler: CommandHandler, views: Views, slices: Slices
    ) -> None:
        self._store = store
        self._games = games
        self._handler = handler
        self._views = views
        self._slices = slices

    def ask(self, game_id: str, seat: int, caller: Caller, sent: KeyedRequest | None = None) -> Played:
        """Ask to take back the seat's last move; it is taken back immediately if no other seat has a say.

        Raises GameNotFound, Unauthorized, CommandMismatch, VersionConflict, StoreUnavailable, Busy, and DomainError
        "game-not-started", "game-over", "time-is-up", "nothing-to-take-back", "something-was-learnt",
        "no-more-takebacks", "rated-game".
        """
        return self._carry_out(game_id, seat, caller, AskTakeback(), sent)

    def answer(
        self, game_id: str, seat: int, said: AnswerTakeback, caller: Caller, sent: KeyedRequest | None = None
    ) -> Played:
        """Agree to another seat's request, or refuse it; or withdraw the seat's own request. Raises the same errors as
        `ask`.
        """
        return self._carry_out(game_id, seat, caller, said, sent)

    def look(self, game_id: str, caller: Caller) -> TakebackStatus:
        """Status of takebacks, for all who may watch the game. Raises GameNotFound, Unauthorized, StoreUnavailable,
        Busy.
        """
        now = self._views.open_game(game_id, caller)
        found = self._takebacks(now)
        refusal = None if caller.seat is None or found.asked else _refusal(now, found, caller.seat)
        last, left = found.last, 0 if caller.seat is None else found.left(caller.seat)
        may_ask = caller.seat is not None and not found.asked and refusal is None
        if last is None or not found.asked or now.status.status != "playing":
            return TakebackStatus(now.version, None, None, (), (), may_ask, refusal, left)
        still = missing(now.game, now.state, last.seat, found.agreed)
        agreed = tuple(sorted(found.agreed))
        return TakebackStatus(now.version, last.seat, last.version, agreed, still, may_ask, refusal, left)

    def _carry_out(
        self, game_id: str, seat: int, caller: Caller, command: TakebackCommand, sent: KeyedRequest | None
    ) -> Played:
        now = self._games.current_for(game_id, caller)
        identity = self._identity(game_id, seat, sent)
        request = Request(seat, command, identity, holder=caller.token_hash)
        for _ in range(ATTEMPTS):
            # Sent after the game was read: what the same request did to the game meanwhile must not refuse it.
            if sent is not None and (done := self._store.recorded(game_id, identity)) is not None:
                return self._handler.as_answered(game_id, done)
            try:
                events = decide(now.game, now.state, self._takebacks(now), seat, command)
                return self._handler.record(now, request, events) if events else Played(now, [])
            except VersionConflict:
                now = self._games.held(self._games.refreshed(now), seat, caller.token_hash)
        raise VersionConflict(now.version)

    def _identity(self, game_id: str, seat: int, sent: KeyedRequest | None) -> CommandId:
        """The identity of the request: from its key if it has one, otherwise drawn for it alone."""
        if sent is None:
            return CommandId(f"takeback~{randomness.token_urlsafe(12)}")
        keyed = KeyedCommand(self._store.requests_secret(), f"takeback:{seat}:{game_id}", sent)
        return keyed.command("takeback")

    def _takebacks(self, now: Snapshot) -> Takebacks:
        """Takebacks of the game as it is `now`; VersionConflict if its stream has another history by now."""
        return self._slices.finish(self._gone_through(now), in_line=now.version > NEAR)

    def _gone_through(self, now: Snapshot) -> Steps[Takebacks]:
        game, state, found, head = now.game, now.game.initial(), NONE, None
        for page in pages(self._store, now.game_id, now.version):
            for recorded in page:
                event = game.decode(recorded.record)
                before, state = state, game.evolve(state, event)
                found = evolve(found, game, (recorded.version, event, recorded.record, before, state))
                head = recorded.stream_head
            yield
        if head != now.stream_head:
            raise VersionConflict(now.version)
        return found


def _refusal(now: Snapshot, found: Takebacks, seat: int) -> str | None:
    """The code of the reason why the seat may not ask now; None if it may."""
    try:
        to_take_back(now.game, now.state, found, seat)
    except DomainError as refused:
        return refused.code
    return None
