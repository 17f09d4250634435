"""Rematches: the same game again, each player one seat further, once everybody agrees or the app decides.

A finished game gets no more events, because its head may be signed and the game archived. So the agreements are stored
beside it, for a while. The id of the rematch is derived from the game's, so there is only one, no matter which process
creates it. Its tokens are derived from the tokens of the first game's seats, which only their holders have.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from domain.clocks.options import LIVE, RAPID, options_document, time_class
from domain.errors import DomainError
from domain.lifecycle import ReissueToken, Seat
from events.engine import access
from events.engine.access import Caller
from events.engine.command_handler import CommandHandler, Request
from events.engine.idempotency import KeyedCommand, KeyedRequest
from events.engine.new_game import NewGame
from events.engine.repository import GameRepository
from events.errors import (
    CommandMismatch,
    CorruptStream,
    EngineError,
    Forbidden,
    GameEnded,
    GameNotFound,
    PlayersGone,
    StoreUnavailable,
    VersionConflict,
)
from events.features.apps.keys import AppKeys
from events.features.games.create import Creation
from events.features.players.players import Players
from events.features.rematches.port import ConsentStore
from events.features.seats.erased_players import ids_of
from events.log.ratings.unrated import FRIENDLY
from events.log.snapshot import Snapshot
from events.ports import CommandId, EventStore

ATTEMPTS = 3  # attempts to issue a token while the game changes
WEEK = 7 * 86_400  # seconds for which an agreement lasts
SOON = 300  # seconds for which it lasts if the rematch has a fast clock


@dataclass(frozen=True, slots=True)
class RematchStatus:
    """Status of a rematch: the seats of the first game that have agreed, those that have not, and the new game's id.

    `seat` is the caller's seat in the new game, and `token` plays it; None for a caller without a seat, or one who has
    to ask for the token. `first_origin`: the new game's, as in `Secrets`.
    """

    agreed: tuple[int, ...]
    missing: tuple[int, ...]
    game_id: str | None = None
    seat: int | None = None
    token: str | None = field(default=None, repr=False)
    first_origin: str | None = None


class Rematches:
    """The use cases of rematches. Each is safe to repeat. All raise GameNotFound, StoreUnavailable."""

    def __init__(
        self,
        store: EventStore,
        consents: ConsentStore | None,
        games: GameRepository,
        handler: CommandHandler,
        creation: Creation,
        app_keys: AppKeys,
        players: Players,
    ) -> None:
        """`consents`: None if the store has no rematches."""
        self._store = store
        self._given = consents
        self._games = games
        self._handler = handler
        self._creation = creation
        self._app_keys = app_keys
        self._players = players

    def ask(self, game_id: str, caller: Caller, bearer: str | None = None) -> RematchStatus:
        """Record that a seat, or the game's app, agrees; the last agreement creates the game. Raises Forbidden, and
        DomainError "game-running", "no-rematch", or what speaks against the new game.

        `bearer`: the caller's token. A seat that asks gets its own new token, as often as it asks.
        """
        former = self._games.current_for(game_id, caller)
        if caller.kind != "seat" and not access.is_app_of(caller, former.secrets, self._app_keys):
            self._require_seen(former, caller)
            raise Forbidden("Only a seat of the game or its own app may ask for a rematch.")
        _require_over(former)
        seats = _people(former)
        if caller.seat is not None and caller.seat not in seats:
            raise Forbidden("A bot has this seat now, and bots agree by themselves.")
        rematch = self._rematch(game_id)
        if self._begun(former, rematch.game_id):
            return self._claimed(former, rematch.game_id, caller, bearer)
        self._require_key(former)
        self._require_players(former)
        if caller.seat is None:
            agreement = self._consents.begin(game_id, former.version, _lasts(former))
        else:
            hashed = access.hash_of(self._token(former, caller.seat, rematch.game_id, bearer))
            agreement = self._consents.agree(
                game_id, former.version, caller.seat, hashed, _lasts(former), seats
            )
        if not agreement.begun:
            return _waiting(seats, agreement.hashes)
        self._begin(former, rematch, agreement.hashes)
        return self._claimed(former, rematch.game_id, caller, bearer)

    def look(self, game_id: str, caller: Caller, bearer: str | None = None) -> RematchStatus:
        """Status of a rematch, for all who may watch the game. Raises DomainError "game-running", "no-rematch"."""
        former = self._former(game_id, caller)
        _require_over(former)
        rematch = self._rematch(game_id)
        if not self._begun(former, rematch.game_id):
            self._require_players(former)
            return _waiting(_people(former), self._consents.agreement(game_id, _lasts(former)).hashes)
        return self._status(former, rematch.game_id, caller, bearer)

    def withdraw(self, game_id: str, caller: Caller) -> None:
        """Withdraw a seat's agreement; too late once everybody agrees. Raises Forbidden, DomainError "conflict"."""
        former = self._former(game_id, caller)
        if caller.seat is None:
            raise Forbidden("Only a seat of the game can withdraw its word.")
        _require_over(former)
        rematch = self._rematch(game_id)
        while not self._begun(former, rematch.game_id):
            if self._consents.withdraw(game_id, former.version, caller.seat, _lasts(former)):
                return
            # Everybody has agreed: the game is being created now, or its creator died before that.
            agreed = self._consents.agreement(game_id, _lasts(former)).hashes
            try:
                self._begin(former, rematch, agreed)
            except StoreUnavailable:
                raise
            except (DomainError, EngineError):  # the game was refused, so the request can be withdrawn
                continue
        raise DomainError("conflict", "The rematch has begun.")

    def end_requests(self) -> None:
        """Record the expiry of some requests in the feed. Call it now and then. Raises StoreUnavailable."""
        for request in () if self._given is None else self._given.ending():
            try:
                former = self._games.current(request.game_id)
            except (GameNotFound, CorruptStream):
                self._consents.unlist(request)
                continue
            left = self._consents.end(request.game_id, former.version, _lasts(former))
            if left.begun or request.seat not in left.hashes:
                self._consents.unlist(request)

    def _begin(self, former: Snapshot, rematch: KeyedCommand, agreed: Mapping[int, str]) -> None:
        """Create the game once; if it is refused, seats may withdraw their requests or ask again."""
        hashes = {_next_seat(former, seat): agreed[seat] for seat in agreed}
        app, identity = former.secrets.app, rematch.creation
        try:
            self._require_key(former)
            self._creation.begin_once(app, _again(former), rematch.game_id, hashes, identity)
        except StoreUnavailable:  # the creation may have succeeded
            raise
        except (DomainError, EngineError) as error:
            self._consents.reopen(former.game_id)
            if isinstance(error, PlayersGone):
                raise _nobody() from error
            if isinstance(error, GameEnded):
                raise _ended() from error
            raise

    def _require_key(self, former: Snapshot) -> None:
        if self._app_keys.is_revoked(former.secrets.app, is_everybody=former.secrets.app == access.ANONYMOUS):
            raise Forbidden("The app of this game has no valid key any more, so it gets no new games.")

    def _require_players(self, former: Snapshot) -> None:
        if self._players.erased(ids_of(former.status.seats)):
            raise _nobody()

    @property
    def _consents(self) -> ConsentStore:
        assert self._given is not None, "this application was wired without rematches"
        return self._given

    def _former(self, game_id: str, caller: Caller) -> Snapshot:
        former = self._games.current_for(game_id, caller)
        self._require_seen(former, caller)
        return former

    def _require_seen(self, former: Snapshot, caller: Caller) -> None:
        if not access.may_watch(caller, former.secrets, self._app_keys):
            raise GameNotFound(former.game_id)

    def _rematch(self, game_id: str) -> KeyedCommand:
        """Identity of the game's rematch, derived from the game alone."""
        sent = KeyedRequest("rematch", None, {})
        return KeyedCommand(self._store.requests_secret(), f"rematch:{game_id}", sent)

    def _begun(self, former: Snapshot, rematch_id: str) -> bool:
        """True once the rematch exists; DomainError "no-rematch" if it did and was removed, because there is no second
        one.
        """
        if self._store.version(rematch_id) > 0:
            return True
        if former.secrets.app == access.OF_A_SEAT and self._store.has_ended(rematch_id):
            raise _ended()
        return False

    def _token(self, former: Snapshot, seat: int, rematch_id: str, bearer: str | None) -> str:
        """The seat's token in the rematch. It is derived from the seat's token in the first game; the store has
        neither.
        """
        keyed = KeyedCommand(
            self._store.requests_secret(), f"rematch:{former.game_id}", KeyedRequest("token", bearer, {})
        )
        return keyed.seat_token(rematch_id, _next_seat(former, seat))

    def _claimed(
        self, former: Snapshot, rematch_id: str, caller: Caller, bearer: str | None
    ) -> RematchStatus:
        """Status for the caller, whose seat gets its token now if the app decided without the seat."""
        status = self._status(former, rematch_id, caller, bearer)
        if caller.seat is None or status.seat is None or status.token is not None:
            return status
        token = self._token(former, caller.seat, rematch_id, bearer)
        hashed = access.hash_of(token)
        for _ in range(ATTEMPTS):
            rematch = self._games.current(rematch_id)
            if rematch.secrets.tokens.get(status.seat):
                break  # another token plays the seat: the app reissued it
            command = ReissueToken(status.seat)
            identity = CommandId(f"claim:{status.seat}", hashed)
            try:
                self._handler.attempt(rematch, Request(None, command, identity, tokens={status.seat: hashed}))
            except VersionConflict:
                continue
            except (CommandMismatch, DomainError):  # the rematch is over, or a bot plays the seat
                break
            return self._status(former, rematch_id, caller, bearer)
        return status

    def _status(self, former: Snapshot, rematch_id: str, caller: Caller, bearer: str | None) -> RematchStatus:
        """Status of a rematch that has begun."""
        seats = _people(former)
        everybody = tuple(sorted(seats))
        if caller.seat is None or caller.seat not in seats:
            return RematchStatus(everybody, (), rematch_id, first_origin=_first_origin(former))
        seat, token = _next_seat(former, caller.seat), self._token(former, caller.seat, rematch_id, bearer)
        known = self._store.secrets(rematch_id).tokens.get(seat)
        held = known == access.hash_of(token)
        return RematchStatus(everybody, (), rematch_id, seat, token if held else None, _first_origin(former))


def _require_over(former: Snapshot) -> None:
    result = former.status.result
    if result is None:
        raise DomainError("game-running", "The game is not over: a rematch comes after it.")
    if result.is_void:
        raise DomainError("no-rematch", "The game was aborted: there is nothing to be played again.")


def _nobody() -> DomainError:
    return DomainError("no-rematch", "A player of this game was erased: a rematch has nobody in that seat.")


def _ended() -> DomainError:
    return DomainError("no-rematch", "The rematch was removed: there is no second one.")


def _lasts(former: Snapshot) -> int:
    """The seconds for which an agreement lasts: few if the clock is so fast that an absent player would lose by it."""
    hasty = former.clock is not None and time_class(former.clock.options) in (RAPID, LIVE)
    return SOON if hasty else WEEK


def _people(former: Snapshot) -> set[int]:
    """The seats that must agree; bots need not."""
    return {number for number, seat in enumerate(former.status.seats) if seat.kind == "human"}


def _waiting(seats: set[int], agreed: Mapping[int, str]) -> RematchStatus:
    return RematchStatus(tuple(sorted(agreed)), tuple(sorted(seats - set(agreed))))


def _next_seat(former: Snapshot, seat: int) -> int:
    return (seat + 1) % len(former.status.seats)


def _first_origin(former: Snapshot) -> str | None:
    """The first origin of a rematch of a seat's fork; None if the game is an app's."""
    secrets = former.secrets
    return (secrets.first_origin or former.game_id) if secrets.app == access.OF_A_SEAT else None


def _again(former: Snapshot) -> NewGame:
    """The same game for the same players, each one seat further."""
    status, secrets = former.status, former.secrets
    seats = [
        Seat("bot" if seat.bot else seat.kind, seat.player, seat.bot, budget=seat.budget)
        for seat in status.seats
    ]
    remotes = {
        _next_seat(former, seat): (one.url, one.secret)
        for seat, one in secrets.remotes.items()
        if status.seats[seat].bot is None
    }
    return NewGame(
        former.game.name,
        status.options,
        (seats[-1], *seats[:-1]),
        secrets.visibility,
        remotes=remotes,
        rematch_of=former.game_id,
        joining=secrets.joining,
        clock=None if former.clock is None else options_document(former.clock.options),
        first_origin=_first_origin(former),
        rated=status.unrated != FRIENDLY,
    )
