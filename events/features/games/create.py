"""Creating games, once for each request with an `Idempotency-Key`."""

import secrets as randomness
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Final

from domain.chance import commitment_of
from domain.clocks.decide import SetClock
from domain.clocks.options import options_of
from domain.errors import invalid
from domain.game import Game
from domain.lifecycle import Create, Fork, Seat
from events.engine import access, eligibility
from events.engine.command_handler import CREATION, Clock, CommandHandler, Played
from events.engine.idempotency import KeyedCommand, KeyedRequest
from events.engine.new_game import Created, NewGame
from events.engine.new_game_form import NEW_GAMES
from events.engine.remote_seat import new_secret
from events.engine.repository import GameRepository
from events.errors import GameEnded, GameNotFound, StoreUnavailable, UrlRefused
from events.features.apps.port import RunningGames
from events.features.games.port import SeatForkStore
from events.features.listings.projection import Listings
from events.features.own_data.own_data import OwnDataOfGames
from events.features.own_data.records import NOTHING, OwnData
from events.features.players.players import Players
from events.features.ratings.port import CountingGames
from events.features.registered_bots.seating import Seating, drawn
from events.features.seats.erased_players import ErasedPlayers
from events.features.usage.quotas import GAMES, Admission
from events.log.game_secrets import Remote, Secrets
from events.log.player_ids import is_player_id
from events.log.ratings.scale import bot_elo
from events.log.ratings.unrated import AT_ONCE, MANY
from events.log.snapshot import Snapshot, unplayed
from events.ports import CommandId, EventStore, UrlGuard
from events.times import timestamp

BEGINS: Final = 10.0  # seconds after which a game that took a place and does not exist will never exist

Remotes = Mapping[int, tuple[str, str | None]]


class Creation:
    """The use case of creating a game, from its beginning or from a position."""

    def __init__(
        self,
        store: EventStore,
        games: GameRepository,
        handler: CommandHandler,
        players: Players,
        listings: Listings,
        erased_players: ErasedPlayers,
        guard: UrlGuard,
        own_data: OwnDataOfGames,
        seating: Seating,
        now: Clock,
        running: RunningGames | None = None,
        seat_forks: SeatForkStore | None = None,
        counting: CountingGames | None = None,
        admission: Admission | None = None,
    ) -> None:
        """`running` limits how many unfinished games an app may have. `seat_forks` lists forks that seats made.
        `counting` limits how many of a player's games count at the same time. `admission` enforces the quotas of apps.
        """
        self._store = store
        self._games = games
        self._handler = handler
        self._players = players
        self._listings = listings
        self._erased_players = erased_players
        self._guard = guard
        self._own_data = own_data
        self._seating = seating
        self._now = now
        self._running = running
        self._seat_forks = seat_forks
        self._counting = counting
        self._admission = admission

    def asked_before(
        self, purpose: str, sent: KeyedRequest | None, remotes: Remotes
    ) -> tuple[KeyedCommand | None, Created | None]:
        """Identity of a request with a key, None without one; and, if the same request created a game before, the
        answer to it, with the game as it was then.

        The answer has the tokens that `KeyedCommand.repeated_tokens` still gives. Raises CommandMismatch for another
        body.
        """
        if sent is None:
            return None, None
        made = dict[bytes, KeyedCommand]()

        def identity(secret: bytes) -> tuple[str, CommandId]:
            keyed = made[secret] = made.get(secret) or KeyedCommand(secret, purpose, sent)
            return keyed.game_id, keyed.creation

        secret, done = self._store.recorded_of(identity)
        keyed = made.get(secret) or KeyedCommand(secret, purpose, sent)
        if done is None:
            return keyed, None
        return keyed, self._answer(self._handler.as_answered(keyed.game_id, done).snapshot, keyed, remotes)

    def create(
        self, app: str, new: NewGame, sent: KeyedRequest | None = None, own: OwnData = NOTHING
    ) -> Created:
        """Create a game for an app, with the app's own data, once for each request that was `sent` with a key."""
        keyed, created = self.asked_before("game", sent, new.remotes)
        if created is None:
            return self.begin(app, new, keyed, own=own)
        if own:  # the process that created it may have died right after that
            self._own_data.settle(app, created.snapshot)
        return created

    def begin(
        self,
        app: str,
        new: NewGame,
        keyed: KeyedCommand | None = None,
        approve: Callable[[], object] = bool,
        own: OwnData = NOTHING,
    ) -> Created:
        """Create a game for an app. `approve` is called once nothing else speaks against the game. Raises DomainError,
        with "validation-error" also for a URL that may not be called; ExternalIdTaken, TooManyGames, TooManyForks;
        PlayersGone if a player was erased meanwhile; GameEnded if the request created a game that is gone; and the
        errors of `approve`.

        The store has nothing about the request until its game exists; then the game itself is its record.
        """
        seats = new.seats or self._games.kind(new.game).default_seats
        game_id = access.new_game_id() if keyed is None else keyed.game_id
        tokens = _tokens(game_id, seats, keyed)
        hashes = {seat: access.hash_of(token) for seat, token in tokens.items()}
        remotes = {seat: self._remote(seat, *place) for seat, place in new.remotes.items()}
        identity = CREATION if keyed is None else keyed.creation
        begun = self._begun(
            app, replace(new, seats=seats), game_id, hashes, remotes, identity, approve=approve, own=own
        )
        # another process has created it for the same request just now
        if keyed is not None and begun.repeated:
            return self._answer(begun.snapshot, keyed, new.remotes)
        return Created(begun.snapshot, tokens, _new_secrets(remotes, new.remotes))

    def begin_once(
        self,
        app: str,
        new: NewGame,
        game_id: str,
        hashes: Mapping[int, str],
        identity: CommandId,
        *,
        is_promised: bool = False,
    ) -> Snapshot:
        """Create a game whose id and hashes of tokens (by seat) are known, once for the identity. Returns the game as
        created.

        A promised game has taken its place before (`take_place`), so it is not refused for lack of room.
        """
        remotes = {seat: self._remote(seat, *place) for seat, place in new.remotes.items()}
        return self._begun(app, new, game_id, hashes, remotes, identity, is_promised=is_promised).snapshot

    def take_place(self, app: str, game_id: str) -> None:
        """Take a place for a game that a player is about to be promised. Raises TooManyGames, QuotaSpent."""
        if self._admission is not None:
            self._admission.take(GAMES, app, game_id)
        if self._running is not None:
            self._running.take_place(app, game_id)

    def _begun(
        self,
        app: str,
        new: NewGame,
        game_id: str,
        hashes: Mapping[int, str],
        remotes: Mapping[int, Remote],
        identity: CommandId,
        *,
        is_promised: bool = False,
        approve: Callable[[], object] = bool,
        own: OwnData = NOTHING,
    ) -> Played:
        game, seed = self._games.kind(new.game), randomness.token_bytes(32)
        seats, bots = self._seating.seated(app, game, new.seats, NEW_GAMES.has_bots)
        found = eligibility.judged(game, replace(new, seats=seats))
        seats, registered = drawn(seats, bots, seed, game_id)
        remotes = {**remotes, **registered}
        created_at = timestamp(self._now())
        secrets = Secrets(
            seed,
            app,
            new.visibility,
            game.name,
            created_at,
            hashes,
            remotes,
            rematch_of=new.rematch_of,
            joining=new.joining,
            first_origin=new.first_origin,
        )
        create: Create | Fork = Create(
            game_id, commitment_of(seed), new.options, seats, new.setup, found.unrated
        )
        if new.fork is not None:
            create = new.fork.command(game_id, seed, seats)
        clock = None if new.clock is None else SetClock(options_of(new.clock, game))
        before = unplayed(game_id, game, secrets)
        entry = self._own_data.entry(app, game_id, created_at, own, identity.fingerprint)

        # called once at most, and before a name or anything else is stored: a refused request leaves nothing behind
        @cache
        def admitted() -> None:
            if (forks := self._seat_forks) is not None and (origin := new.first_origin) is not None:
                if identity.fingerprint and self._store.has_ended(game_id):
                    raise GameEnded(game_id)
                forks.look(origin, game_id)
                approve()
                forks.enter(origin, game_id)
            else:
                approve()
                if not is_promised:
                    self.take_place(app, game_id)
                entry.make()

        def new_names() -> None:
            self._handler.check(before, create)
            admitted()

        with entry:
            seated = self._players.seated(app, seats, created_at, approve=new_names)
            create = replace(create, seats=seated)
            if found.pairing is not None and isinstance(create, Create):
                create = self._counting_if_it_may(game, app, create, found.pairing)
            begun = self._handler.begin(before, create, identity, clock, admitted)
        entry.settle(begun)
        self._erased_players.confirm_none(begun.snapshot)
        self._list_at_once(begun.snapshot)
        return begun

    def _counting_if_it_may(self, game: Game, app: str, create: Create, pairing: str) -> Create:
        """The command for a game that counts for ratings, or, if a player in it has too many such games, for one that
        does not.
        """
        players = [
            seat.player for seat in create.seats if seat.player is not None and is_player_id(seat.player)
        ]
        if not all(self._has_place(app, player, create.game_id) for player in players):
            return replace(create, unrated=MANY)
        rated = [
            replace(seat, elo=bot_elo(game, seat.bot, len(create.seats)))
            if seat.bot and seat.kind == "bot"
            else seat
            for seat in create.seats
        ]
        return replace(create, seats=tuple(rated), pairing=pairing)

    def _has_place(self, app: str, player: str, game_id: str) -> bool:
        """True if the game has one of the player's few places for unfinished games that count. The games themselves
        decide.
        """
        if self._counting is None:
            return True
        there = self._counting.take_place(app, player, game_id, AT_ONCE)
        free = [other for other, seconds in there.items() if not self._counts_still(other, seconds)]
        if free:
            there = self._counting.take_place(app, player, game_id, AT_ONCE, free)
        return not there

    def _counts_still(self, game_id: str, seconds: float) -> bool:
        """True if the game, which took its place so many seconds ago, counts and is not over, as far as the store
        knows.
        """
        try:
            now = self._games.current(game_id)
        except GameNotFound:
            return seconds < BEGINS
        return now.status.status != "finished" and now.is_rated

    def _answer(self, created: Snapshot, keyed: KeyedCommand, remotes: Remotes) -> Created:
        repeat = keyed.repeated_tokens(
            self._store, created.game_id, _humans(created.status.seats), created.version
        )
        return Created(created, repeat.tokens, _new_secrets(created.secrets.remotes, remotes))

    def _remote(self, seat: int, url: str, secret: str | None) -> Remote:
        try:
            self._guard.check(url)
        except UrlRefused as refusal:
            raise invalid(f"seats.{seat}.url", str(refusal)) from refusal
        return Remote(url, secret or new_secret())

    def _list_at_once(self, created: Snapshot) -> None:
        # So the creator finds the game in the list immediately; the feed lists it in any case.
        try:
            self._listings.update(created)
        except StoreUnavailable:
            return


def _tokens(game_id: str, seats: tuple[Seat, ...], keyed: KeyedCommand | None) -> dict[int, str]:
    draw = access.new_seat_token if keyed is None else keyed.seat_token
    return {number: draw(game_id, number) for number in _humans(seats)}


def _humans(seats: tuple[Seat, ...]) -> list[int]:
    return [number for number, seat in enumerate(seats) if seat.kind == "human"]


def _new_secrets(made: Mapping[int, Remote], requested: Remotes) -> dict[int, str]:
    """The secrets that were made for remote seats whose request gave none."""
    return {seat: made[seat].secret for seat, (_, secret) in requested.items() if secret is None}
