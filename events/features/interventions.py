"""Decisions of a game's own app: to abort it, to adjudicate it, or to put a bot in a player's place."""

import secrets as randomness
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from domain.errors import invalid
from domain.interventions import Decision
from domain.lifecycle import AbortGame, Adjudicate, ReplacePlayer, places_with_loser, places_with_winner
from events.engine import access
from events.engine.access import Caller
from events.engine.bot_decision import present_bot
from events.engine.command_handler import CommandHandler, Request
from events.engine.idempotency import KeyedCommand, KeyedRequest
from events.engine.repository import GameRepository
from events.features.apps.keys import AppKeys
from events.features.records.signed_heads import SignedHeads
from events.log.snapshot import Snapshot
from events.ports import CommandId, EventStore

Decide = Callable[[Snapshot], Decision]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict on a game, given in one of three ways: the seat that wins, the seat that loses, or the places of all
    seats.
    """

    winner: int | None = None
    loser: int | None = None
    places: tuple[int, ...] | None = None

    def for_seats(self, seats: int) -> tuple[int, ...]:
        """The places of so many seats; DomainError "validation-error" for a seat that does not exist."""
        if self.places is not None:
            return self.places
        for name, seat, places in (
            ("winner", self.winner, places_with_winner),
            ("loser", self.loser, places_with_loser),
        ):
            if seat is not None:
                if not 0 <= seat < seats:
                    raise invalid(name, f"There is no seat {seat}; the last one is {seats - 1}.")
                return places(seats, seat)
        raise AssertionError("a verdict says something")


class Interventions:
    """The use cases of the app's own decisions.

    The event of each decision names the app. A request that is `sent` again with its key gets the same answer; without
    a key the second request meets the game as the first has left it. All raise GameNotFound, Forbidden,
    CommandMismatch, StoreUnavailable, VersionConflict, and DomainError "game-over".
    """

    def __init__(
        self,
        store: EventStore,
        games: GameRepository,
        handler: CommandHandler,
        heads: SignedHeads,
        app_keys: AppKeys,
    ) -> None:
        self._store = store
        self._games = games
        self._handler = handler
        self._heads = heads
        self._app_keys = app_keys

    def abort(self, game_id: str, caller: Caller, sent: KeyedRequest | None = None) -> Snapshot:
        """End the game without a result. Returns the game after that, with its final head signed."""
        after = self._carry_out(game_id, caller, "abort", sent, lambda now: AbortGame(now.secrets.app))
        return self._heads.with_final(after)

    def adjudicate(
        self, game_id: str, verdict: Verdict, caller: Caller, sent: KeyedRequest | None = None
    ) -> Snapshot:
        """End the running game by a verdict. Raises DomainError "game-not-started", "validation-error" as well."""

        def decide(now: Snapshot) -> Decision:
            return Adjudicate(now.secrets.app, verdict.for_seats(len(now.status.seats)))

        return self._carry_out(game_id, caller, "adjudicate", sent, decide)

    def replace_player(
        self, game_id: str, seat: int, bot: str, caller: Caller, sent: KeyedRequest | None = None
    ) -> Snapshot:
        """Put a bot in the place of the seat's person; the seat's token becomes void in the same step.

        Raises DomainError "not-found" for a seat that no person has, "unknown-bot" as well.
        """

        def decide(now: Snapshot) -> Decision:
            return ReplacePlayer(now.secrets.app, seat, present_bot(now.game, bot).name)

        kind = f"replace:{seat}"
        return self._carry_out(game_id, caller, kind, sent, decide, tokens={seat: access.NO_TOKEN})

    def _carry_out(
        self,
        game_id: str,
        caller: Caller,
        kind: str,
        sent: KeyedRequest | None,
        decide: Decide,
        tokens: Mapping[int, str] | None = None,
    ) -> Snapshot:
        """The game right after the decision, which needs nothing but the app's right to decide."""
        before = self._games.current_for(game_id, caller)
        access.require_app_of(caller, game_id, before.secrets, self._app_keys)
        identity = self._identity(game_id, kind, sent)
        request = Request(None, decide(before), identity, tokens=tokens)
        return self._handler.carry_out(before, request).snapshot

    def _identity(self, game_id: str, kind: str, sent: KeyedRequest | None) -> CommandId:
        """The identity of the request: from its key if it has one, otherwise drawn for it alone."""
        if sent is None:
            return CommandId(f"{kind}~{randomness.token_urlsafe(12)}")
        return KeyedCommand(self._store.requests_secret(), f"{kind}:{game_id}", sent).command(kind)
