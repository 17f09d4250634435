"""Seats: looking at an open seat, taking it, a new token for it, and giving it to another player."""

import secrets as randomness
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace

from domain.errors import DomainError
from domain.lifecycle import HandOver, ReissueToken, TakeSeat
from events.engine import access
from events.engine.access import Caller
from events.engine.command_handler import Clock, CommandHandler, Request
from events.engine.idempotency import KeyedCommand, KeyedRequest
from events.engine.repository import GameRepository
from events.errors import CommandMismatch, Forbidden, GameNotFound, InviteVoid
from events.features.apps.keys import AppKeys
from events.features.invites.invites import NoInvites, good_invite
from events.features.invites.port import InviteStore
from events.features.players.players import Players
from events.features.seats.erased_players import ErasedPlayers
from events.log.player_ids import is_guest_id
from events.log.snapshot import Snapshot
from events.ports import CommandId, EventStore, Repeated, StoredInvite
from events.times import timestamp

# new tokens that a seat can get in one game: each is an event, and their number must be bounded
REISSUES = 20
HAND_OVERS = 20  # times that a seat can be handed over in one game, for the same reason


class Seats:
    """The use-cases of open seats."""

    def __init__(
        self,
        store: EventStore,
        games: GameRepository,
        handler: CommandHandler,
        players: Players,
        app_keys: AppKeys,
        now: Clock,
        erased_players: ErasedPlayers,
        invites: InviteStore | None = None,
    ) -> None:
        self._store = store
        self._games = games
        self._handler = handler
        self._players = players
        self._app_keys = app_keys
        self._now = now
        self._erased_players = erased_players
        self._invites = invites or NoInvites()

    def look(self, game_id: str, seat: int, caller: Caller) -> Snapshot:
        """The game for a caller who may take the seat, or may look at the game anyway.

        Raises GameNotFound, and DomainError "not-found" where it has no such seat.
        """
        now = self._games.current_for(game_id, caller)
        if not self._may_know_of_seats(now, caller):
            raise GameNotFound(game_id)
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
        invite: str | None = None,
    ) -> tuple[Snapshot, str]:
        """Sit down on an open seat; the game after it, and the seat's token. Raises DomainError, GameNotFound.

        An `invite` code admits a caller whom nothing else admits. An invalid or expired code raises GameNotFound for a
        caller who may not know of the game, and InviteVoid for others. Raises Forbidden if the game requires an invite.

        If the same request was `sent` before, it gets the same answer. Raises CommandMismatch for another body, and
        PlayersGone if a player of the game was erased meanwhile: then the game is over.
        """
        invited = None if invite is None else good_invite(self._invites, game_id, seat, invite)
        keyed = None if sent is None else KeyedCommand(self._store.requests_secret(), f"seat:{game_id}", sent)
        try:
            before = self._games.current_for(game_id, caller)
        # after the game, so that a repeat is not refused meanwhile; and also without a game, so that the time is the
        # same
        finally:
            done = None if keyed is None else self._store.recorded(game_id, keyed.command("take"))
        if keyed is not None and done is not None:
            return self._taken_before(game_id, seat, keyed, done)
        if not self._may_know_of_seats(before, caller):
            if invited is None:
                raise GameNotFound(game_id)
            try:
                return self._seat(before, seat, player, client_seed, caller, keyed, invited)
            except (DomainError, InviteVoid) as error:  # the invite was used or revoked just now
                raise GameNotFound(game_id) from error
        if invite is None:
            access.require_may_join(caller, before.secrets, self._app_keys)
        elif invited is None:
            raise InviteVoid
        return self._seat(before, seat, player, client_seed, caller, keyed, invited)

    def _seat(
        self,
        before: Snapshot,
        seat: int,
        player: str,
        client_seed: str | None,
        caller: Caller,
        keyed: KeyedCommand | None,
        invited: StoredInvite | None,
    ) -> tuple[Snapshot, str]:
        game_id = before.game_id
        token = access.new_seat_token(game_id, seat) if keyed is None else keyed.seat_token(game_id, seat)
        command = TakeSeat(seat, player, client_seed)
        self._handler.check(before, command)  # first, so that no name is stored of a player who is refused
        self._erased_players.require_none(before)
        player_id = self._seated(before, seat, player, caller)
        identity = _drawn() if keyed is None else keyed.command("take")
        request = Request(
            None,
            replace(command, player=player_id),
            identity,
            tokens={seat: access.hash_of(token)},
            invite=invited,
        )
        try:
            after = self._handler.carry_out(before, request).snapshot
        except DomainError:
            self._forget_guest(before, seat, player_id)
            raise
        self._erased_players.confirm_none(after)
        return after, token

    def reissue(self, game_id: str, seat: int, caller: Caller) -> tuple[Snapshot, str]:
        """A new token for a person's seat, for the game's own app. The former token becomes void, and an event records
        that.
        """
        before = self._games.current_for(game_id, caller)
        access.require_app_of(caller, game_id, before.secrets, self._app_keys)
        self._handler.check(before, ReissueToken(seat))
        token = access.new_seat_token(game_id, seat)
        tokens = {seat: access.hash_of(token)}
        for identity in self._not_done_yet(game_id, f"token:{seat}", REISSUES, tokens[seat]):
            try:
                request = Request(None, ReissueToken(seat), identity, tokens=tokens)
                return self._handler.carry_out(before, request).snapshot, token
            except CommandMismatch:  # another request has issued a token just now
                continue
        raise DomainError("no-more-tokens", f"Seat {seat} has had {REISSUES} new tokens, which is the most.")

    def hand_over(self, game_id: str, seat: int, player: str, caller: Caller) -> tuple[Snapshot, str]:
        """Give a person's seat to another player, as the seat's own player or the game's app asks. Returns the game
        after it, and the seat's new token.

        The former token is void in the same step, and an event names the new player. At most HAND_OVERS times for a
        seat. Raises GameNotFound, Unauthorized, Forbidden, and DomainError "not-found", "game-over",
        "validation-error", "no-more-tokens".
        """
        before = self._games.current_for(game_id, caller)
        own = caller.seat is not None and caller.seat == seat
        if not own:
            access.require_app_of(caller, game_id, before.secrets, self._app_keys)
        if before.secrets.app == access.OF_A_SEAT:  # then no app could ever erase the name
            raise Forbidden("A seat's fork has no names of players: the holder of a seat's token plays it.")
        command = HandOver(None if own else before.secrets.app, seat, player)
        self._handler.check(before, command)  # first, so that no name is stored of a player who is refused
        token = access.new_seat_token(game_id, seat)
        tokens = {seat: access.hash_of(token)}
        identities = list(self._not_done_yet(game_id, f"hand-over:{seat}", HAND_OVERS, tokens[seat]))
        if identities:
            command = replace(command, player=self._seated(before, seat, player, caller))
        for identity in identities:
            try:
                request = Request(caller.seat, command, identity, tokens=tokens, holder=caller.token_hash)
                after = self._handler.carry_out(before, request).snapshot
            except CommandMismatch:  # another request has handed it over just now
                before = self._games.current_for(game_id, caller)
                continue
            if after.status.status == "waiting":
                self._erased_players.confirm_none(after)
            return after, token
        raise DomainError(
            "no-more-tokens", f"Seat {seat} was handed over {HAND_OVERS} times, which is the most."
        )

    def _not_done_yet(self, game_id: str, kind: str, most: int, token_hash: str) -> Iterator[CommandId]:
        """Identities for the commands of a kind that this game has not had yet: the first, the second, and so on, up to
        `most`.

        Each identity can be used once, in this order, so the store's record of commands is the counter, and a few looks
        find the next one.
        """
        issues = [CommandId(f"{kind}:{number}", token_hash) for number in range(most)]
        yield from issues[bisect_left(issues, True, key=lambda issue: not self._is_done(game_id, issue)) :]

    def _is_done(self, game_id: str, command: CommandId) -> bool:
        try:
            return self._store.recorded(game_id, command) is not None
        except CommandMismatch:
            return True

    def _taken_before(
        self, game_id: str, seat: int, keyed: KeyedCommand, done: Repeated
    ) -> tuple[Snapshot, str]:
        """Answer to the same request that was carried out before, as long as `KeyedCommand.repeated_tokens` gives its
        token.
        """
        repeat = keyed.repeated_tokens(self._store, game_id, [seat], done.last)
        if seat in repeat.void:
            raise DomainError("seat-taken", "This request took the seat, which has got a new token since.")
        if seat in repeat.moved:
            raise DomainError("seat-taken", "This request took the seat, which has moved since.")
        return self._handler.as_answered(game_id, done).snapshot, repeat.tokens[seat]

    def _seated(self, before: Snapshot, seat: int, player: str, caller: Caller) -> str:
        """The id of the player who sits down. A stranger may give any name, and must not learn whether a
        player has it.
        """
        app, at = before.secrets.app, timestamp(self._now())
        if access.is_app_of(caller, before.secrets, self._app_keys):
            return self._players.enrol(app, player, at)
        return self._players.guest(app, before.game_id, seat, player, at)

    def _forget_guest(self, before: Snapshot, seat: int, player_id: str) -> None:
        """Remove the guest who did not get the seat; a guest at another seat is another guest."""
        now = self._games.current(before.game_id).status
        is_lost = now.result is not None or now.seats[seat].kind != "open"
        if is_guest_id(player_id) and is_lost and now.seats[seat].player != player_id:
            self._players.forget_guest(player_id)

    def _may_know_of_seats(self, now: Snapshot, caller: Caller) -> bool:
        return access.may_sit_down(caller, now.secrets, self._app_keys, now.status.status == "waiting")


def _drawn() -> CommandId:
    """An identity that no other request has."""
    return CommandId(f"seat~{randomness.token_urlsafe(12)}")
