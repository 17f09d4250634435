"""Open seats: what there is to know before taking one, taking it, and a new token for one that is taken."""

import secrets as randomness
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import replace

from domain.errors import DomainError
from domain.lifecycle import ReissueToken, TakeSeat
from events.errors import CommandMismatch, Forbidden, GameNotFound
from events.games import access
from events.games.access import Caller
from events.games.command_handler import Clock, CommandHandler, Request, timestamp
from events.games.idempotency import KeyedCommand, KeyedRequest
from events.games.repository import GameRepository
from events.log.snapshot import Snapshot
from events.players.players import Players
from events.ports import CommandId, EventStore, Repeated

REISSUES = 20  # new tokens that a seat can have in one game: each is an event, and a game must have an end


class Seats:
    """The use-cases of open seats."""

    def __init__(
        self,
        store: EventStore,
        games: GameRepository,
        handler: CommandHandler,
        players: Players,
        app_keys: Mapping[str, str],
        now: Clock,
    ) -> None:
        self._store = store
        self._games = games
        self._handler = handler
        self._players = players
        self._app_keys = app_keys
        self._now = now

    def look(self, game_id: str, seat: int, caller: Caller) -> Snapshot:
        """The game for a caller who may take the seat, or may look at the game anyway.

        Raises GameNotFound, and DomainError "not-found" where it has no such seat.
        """
        now = self._games.current_for(game_id, caller)
        self._require_may_sit_down(now, caller)
        if seat >= len(now.status.seats):
            raise DomainError("not-found", f"There is no seat {seat}.")
        return now

    def take(
        self,
        game_id: str,
        seat: int,
        player: str,
        client_seed: str | None,
        caller: Caller,
        sent: KeyedRequest | None = None,
    ) -> tuple[Snapshot, str]:
        """Sit down on an open seat; the game after it, and the seat's token. Raises DomainError, GameNotFound.

        If the same request was `sent` before, the same is answered again. Raises CommandMismatch for another body.
        """
        before = self._games.current_for(game_id, caller)
        keyed = None if sent is None else KeyedCommand(self._store.requests_secret(), f"seat:{game_id}", sent)
        done = None if keyed is None else self._store.recorded(game_id, keyed.command("take"))
        if keyed is not None and done is not None:
            return self._taken_before(game_id, seat, keyed, done)
        self._require_may_sit_down(before, caller)
        token = access.new_seat_token(game_id, seat) if keyed is None else keyed.seat_token(game_id, seat)
        command = TakeSeat(seat, player, client_seed)
        self._handler.check(before, command)  # so that no name is kept of who is refused
        player_id = self._seated(before, seat, player, caller)
        identity = _drawn() if keyed is None else keyed.command("take")
        request = Request(
            None, replace(command, player=player_id), identity, tokens={seat: access.hash_of(token)}
        )
        return self._handler.carry_out(before, request).snapshot, token

    def reissue(self, game_id: str, seat: int, caller: Caller) -> tuple[Snapshot, str]:
        """A new token for a person's seat, for the game's own app; the former one is void, and an event tells so.

        At most REISSUES times for a seat. Raises GameNotFound, Forbidden, and DomainError "not-found", "game-over",
        "no-more-tokens".
        """
        before = self._games.current_for(game_id, caller)
        if not access.is_app_of(caller, before.secrets, self._app_keys):
            if not access.may_watch(caller, before.secrets, self._app_keys):
                raise GameNotFound(game_id)
            raise Forbidden("Only the game's own app may have a seat's token issued anew.")
        self._handler.check(before, ReissueToken(seat))
        token = access.new_seat_token(game_id, seat)
        tokens = {seat: access.hash_of(token)}
        for identity in self._not_done_yet(game_id, seat, tokens[seat]):
            try:
                request = Request(None, ReissueToken(seat), identity, tokens=tokens)
                return self._handler.carry_out(before, request).snapshot, token
            except CommandMismatch:  # somebody else had a token issued just now
                continue
        raise DomainError("no-more-tokens", f"Seat {seat} has had {REISSUES} new tokens, which is the most.")

    def _not_done_yet(self, game_id: str, seat: int, token_hash: str) -> Iterator[CommandId]:
        """The commands by which the seat can still get a new token: its first, its second ... in this game.

        Each can be done once and they are done in turn, so the store itself holds the count, and a few looks find it.
        """
        issues = [CommandId(f"token:{seat}:{number}", token_hash) for number in range(REISSUES)]
        yield from issues[bisect_left(issues, True, key=lambda issue: not self._is_done(game_id, issue)) :]

    def _is_done(self, game_id: str, command: CommandId) -> bool:
        try:
            return self._store.recorded(game_id, command) is not None
        except CommandMismatch:
            return True

    def _taken_before(
        self, game_id: str, seat: int, keyed: KeyedCommand, done: Repeated
    ) -> tuple[Snapshot, str]:
        """What the same request was answered, as long as `KeyedCommand.repeated_tokens` gives it."""
        repeat = keyed.repeated_tokens(self._store, game_id, [seat], done.last)
        if seat in repeat.void:
            raise DomainError("seat-taken", "The seat was taken by this request, but has a new token since.")
        if seat in repeat.moved:
            raise DomainError("seat-taken", "The seat was taken by this request, and has moved since.")
        return self._handler.as_answered(game_id, done).snapshot, repeat.tokens[seat]

    def _seated(self, before: Snapshot, seat: int, player: str, caller: Caller) -> str:
        """The id of whoever sits down. A stranger may give any name, and must learn nothing about who has it."""
        app, at = before.secrets.app, timestamp(self._now())
        if access.is_app_of(caller, before.secrets, self._app_keys):
            return self._players.enrol(app, player, at)
        return self._players.guest(app, before.game_id, seat, player, at)

    def _require_may_sit_down(self, now: Snapshot, caller: Caller) -> None:
        waiting = now.status.status == "waiting"
        if not access.may_sit_down(caller, now.secrets, self._app_keys, waiting):
            raise GameNotFound(now.game_id)


def _drawn() -> CommandId:
    """An identity that no other request has."""
    return CommandId(f"seat~{randomness.token_urlsafe(12)}")
