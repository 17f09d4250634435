"""The use-cases: all that the service and the workers may ask for."""

import secrets as randomness
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from domain.game import Game
from domain.lifecycle import EventRecord, Json, PlayBotMove, Score, Viewer
from events.caching.byte_cache import MIB
from events.caching.snapshot import Snapshot
from events.errors import (
    Forbidden,
    GameNotFound,
    Unauthorized,
    VersionConflict,
    VersionMismatch,
)
from events.games import access, serialisers
from events.games.access import Caller
from events.games.bot_decision import move_seed, think
from events.games.command_handler import Clock, CommandHandler, Played, Request, bot_to_act, due_of, utc_now
from events.games.idempotency import Sent
from events.games.new_game import Created, NewGame
from events.games.remote_seat import KIND as REMOTE
from events.games.repository import NEAR, GameRepository, pages
from events.games.viewpoint import Viewpoint, viewpoint_of
from events.log import chain
from events.log.envelope import RecordedEvent
from events.log.signing import Keyring
from events.players.players import Players
from events.ports import CommandId, EventStore
from events.projections.listings import Listings, Page
from events.runtime import metrics
from events.runtime.slices import Slices, Steps
from events.runtime.url_guard import Allowed, Guard
from events.use_cases.create import Creation
from events.use_cases.exports import Exports
from events.use_cases.forks import Forks, WantedFork
from events.use_cases.hints import Hints
from events.use_cases.remote_play import RemotePlay
from events.use_cases.replay import Replays
from events.use_cases.seats import Seats
from events.use_cases.signed_heads import SignedHeads

__all__ = [
    "Application",
    "Caller",
    "Created",
    "NewGame",
    "Page",
    "Played",
    "Preview",
    "RecordedEvent",
    "Snapshot",
]


# Of what a process keeps in memory: games as they are, as they were, to take away, and where bots are. The rest is the
# archive's and the streams'.
GAMES_SHARE, PAST_SHARE, EXPORTS_SHARE, REMOTES_SHARE = 0.48, 0.15, 0.2, 0.02


@dataclass(frozen=True, slots=True)
class Preview:
    """What a move would cause at a version, as far as its seat may know; `complete` if that is all."""

    version: int
    events: Sequence[EventRecord]
    complete: bool


class Application:
    """The engine as its drivers see it. Safe to share among threads and greenlets."""

    def __init__(
        self,
        store: EventStore,
        listings: Listings,
        games: Mapping[str, Game],
        *,
        players: Players,
        app_keys: Mapping[str, str] | None = None,
        cache_mb: float = 128,
        slices: Slices | None = None,
        now: Clock = utc_now,
        guard: Guard | None = None,
        keyring: Callable[[], Keyring] = Keyring,
    ) -> None:
        """`guard` says which remote bots may be called; without one, those on the public internet.

        `keyring` gives the keys that sign heads; without one nothing is signed. `cache_mb`: MiB that may be kept in
        memory. `slices` does what takes long, without pauses unless it is given.
        """
        self._store = store
        self._listings = listings
        most = cache_mb * MIB
        self._slices = slices or Slices()
        self._games = GameRepository(store, games, self._slices, most * GAMES_SHARE, most * PAST_SHARE)
        self._handler = CommandHandler(store, self._games, now)
        self.players = players
        self.hints = Hints(store, self._games, self._handler)
        self.remote = RemotePlay(store, self._games, self._handler, now, most * REMOTES_SHARE)
        self.heads = SignedHeads(store, self._games, keyring)
        self.exports = Exports(store, self.heads, self._slices, most * EXPORTS_SHARE)
        self.replays = Replays(store, self._games, self._slices)
        self._forks = Forks(store, self._games)
        guard = guard or Guard(Allowed())
        self._creating = Creation(store, self._games, self._handler, players, listings, guard, now)
        self._app_keys = app_keys or {}
        self.seating = Seats(store, self._games, self._handler, players, self._app_keys, now)

    # Who asks

    def who_asks(self, token: str | None, game_id: str | None = None) -> Caller:
        """The caller that a bearer token stands for; no token is a spectator. Raises Unauthorized, Forbidden."""
        if token is None:
            return access.STRANGER
        claim = access.read_seat_token(token)
        if claim is None:
            return access.app_with_key(token, self._app_keys)
        if game_id is not None and claim.game_id != game_id:
            raise Forbidden("This token is for another game.")
        try:
            known = self._games.known(claim.game_id)
            held = self._games.held(known, claim.seat, claim.secret_hash)
        except GameNotFound:
            raise Unauthorized("This token is not known.") from None
        return access.holds_seat(claim, held.secrets)

    def acting_app(self, asker: Caller) -> str:
        """The app that creates or lists games for this caller. Raises Unauthorized, Forbidden."""
        return access.acting_app(asker, self._app_keys)

    # Looking

    def game_of(self, game_id: str) -> Game:
        """Which game it is; the store is only asked where the game was never seen here. Raises GameNotFound."""
        return self._games.known(game_id).game

    def open_game(self, game_id: str, asker: Caller, version: int | None = None) -> Snapshot:
        """The game for a caller, as `snapshot`; GameNotFound also where the caller may not know of it.

        Raises Unauthorized for a seat whose token was issued anew.
        """
        current = self._games.current_for(game_id, asker)
        if not access.may_watch(asker, current.secrets, self._app_keys):
            raise GameNotFound(game_id)
        current = self.heads.with_final(current)
        return current if version is None else self._games.as_of(current, version)

    def confirm_holder(self, current: Snapshot, asker: Caller) -> None:
        """Raise Unauthorized if the caller holds a seat of the current game whose token was issued anew."""
        self._games.held(current, asker.seat, asker.token_hash)

    def snapshot(self, game_id: str, version: int | None = None) -> Snapshot:
        """The game as it is now, whoever moved last, or as it was after event `version` (VersionBeyondEnd)."""
        current = self.heads.with_final(self._games.current(game_id))
        return current if version is None else self._games.as_of(current, version)

    def look(
        self, game_id: str, asker: Caller, version: int | None = None, seat: int | str | None = None
    ) -> Viewpoint:
        """The game at a version, seen as `events.games.viewpoint` tells; else as `open_game`.

        Raises Forbidden, DomainError.
        """
        current = self.open_game(game_id, asker)
        then = current if version is None else self._games.as_of(current, version)
        return viewpoint_of(current, then, asker, seat)

    def history(self, game_id: str, after: int = 0, limit: int | None = None) -> list[RecordedEvent]:
        """The events after a version, whole: show them through `visible_event`."""
        return self._store.read(game_id, after, limit)

    def wait_for(self, game_id: str, after: int, seconds: float) -> int:
        """Wait until the game goes beyond version `after`, at most so long; the version it has then."""
        return self._store.wait(game_id, after, seconds)

    def visible_event(
        self, snapshot: Snapshot, stored: RecordedEvent, viewer: Viewer, *, whole: bool = False
    ) -> Json:
        """The event's public document for a viewer, as long as the game stands as in `snapshot`."""
        return serialisers.event_document(snapshot, stored, viewer, whole=whole)

    def visible_events(
        self, snapshot: Snapshot, viewer: Viewer, after: int, limit: int, *, whole: bool = False
    ) -> list[Json]:
        """At most `limit` events after a version as the viewer may see them, none of them later than the snapshot.

        Raises StoreUnavailable, Busy.
        """
        until = min(after + limit, snapshot.version)

        def shown() -> Steps[list[Json]]:
            found = list[Json]()
            for page in pages(self._store, snapshot.game_id, until, after):
                found += [serialisers.event_document(snapshot, event, viewer, whole=whole) for event in page]
                yield
            return found

        return self._slices.finish(shown(), in_line=until - after > NEAR)

    def game_document(self, snapshot: Snapshot, viewer: Viewer, *, whole: bool = False) -> Json:
        """The game's view document for a viewer, with the names of its players."""
        document = serialisers.game_document(snapshot, viewer, whole=whole)
        self.players.show(document["seats"])
        return document

    def legal_moves(self, snapshot: Snapshot, seat: int) -> list[Json]:
        """Every legal move of the seat, ready to be posted."""
        return snapshot.game.legal_moves(snapshot.state, seat)

    def list_games(
        self,
        app: str,
        *,
        status: str | None = None,
        game: str | None = None,
        player: str | None = None,
        limit: int = 20,
        cursor: str | None = None,
    ) -> Page:
        """The app's games, newest first, a page at a time; `player` is a name or an id. Raises BadCursor."""
        players = None if player is None else self.players.listed_as(app, player)
        page = self._listings.page(app, status=status, game=game, players=players, limit=limit, cursor=cursor)
        self.players.show(seat for line in page.games for seat in line["seats"])
        return page

    def update_listing(self, game_id: str) -> None:
        """Bring the game's line in its app's listing up to date; harmless when doubled or late."""
        self._listings.update(self._games.current(game_id))

    # Playing

    def create_game(self, app: str, new: NewGame, sent: Sent | None = None) -> Created:
        """Set a game up for an app, once for each request that was `sent` with a key; see `Creation.create`."""
        once = self._creating.once("game", sent)
        return self._creating.created_before(once, new.remotes) or self._creating.create(app, new, once)

    def fork_game(
        self, game_id: str, asker: Caller, wanted: WantedFork, sent: Sent | None = None
    ) -> tuple[Created, Json]:
        """A new unrated game that goes on from a version of one that the caller may watch, and its origin.

        What a seat forks is the seat's own, and of no app; otherwise it is the caller's. Raises GameNotFound,
        Unauthorized, and what `Forks.judged` and `create_game` raise.
        """
        current = self.open_game(game_id, asker)
        once = self._creating.once(f"fork:{game_id}", sent)
        created = self._creating.created_before(once, wanted.remotes)
        if created is None:
            new = self._forks.judged(current, asker, wanted)
            app = access.OF_A_SEAT if asker.kind == "seat" else self.acting_app(asker)
            created = self._creating.create(app, new, once)
        (first,) = self._store.read(created.snapshot.game_id, limit=1)
        return created, first.data["origin"]

    def take_seat(
        self,
        game_id: str,
        seat: int,
        player: str,
        client_seed: str | None,
        asker: Caller,
        sent: Sent | None = None,
    ) -> tuple[Snapshot, str]:
        """Sit down on an open seat; the game after it, and the seat's token. See `Seats.take`."""
        return self.seating.take(game_id, seat, player, client_seed, asker, sent)

    def play(
        self,
        game_id: str,
        seat: int,
        document: Json,
        *,
        key: str | None = None,
        if_match: int | None = None,
        holder: str | None = None,
    ) -> Played:
        """Make a posted move for a seat, once for each `key`, and only at version `if_match` if that is given.

        `holder` is the hash of the token by which the seat asks. Raises Unauthorized, DomainError, VersionMismatch,
        VersionConflict, CommandMismatch, GameNotFound, StoreUnavailable.
        """
        before = self._games.known(game_id)
        move = before.game.parse_move(document)
        identity = _identity(str(seat)) if key is None else _keyed(seat, key, document)
        return self._handler.carry_out(before, Request(seat, move, identity, if_match, holder=holder))

    def preview(self, game_id: str, seat: int, document: Json, *, if_match: int | None = None) -> Preview:
        """What a posted move would cause, as far as the seat may know; nothing is appended.

        Raises DomainError, VersionMismatch.
        """
        current = self._games.current(game_id)
        if if_match is not None and if_match != current.version:
            raise VersionMismatch(if_match, current.version)
        command = current.game.parse_move(document)
        return Preview(current.version, *current.game.preview(current.state, seat, command))

    def bot_move(self, game_id: str, version: int) -> Played | None:
        """Let the bot whose turn it is at `version` move; None if the game has moved on. Harmless when doubled.

        A bot that remembers nothing finishes its turn, and all is appended at once: there is nothing to look up for its
        next move. What is recorded with a move lets anybody find it again once the game is over
        (`events.games.bot_decision`).
        """
        return self._for_bot(game_id, version, self._bots_choice, whole_turn=True)

    def fallback_move(self, game_id: str, version: int, why: str = "overran") -> Played | None:
        """A cheap legal move in place of a bot's that "failed" or "overran", or of a remote one (see `PlayBotMove`).

        Only one of the two moves can ever happen.
        """

        def instead(now: Snapshot, seat: int) -> PlayBotMove:
            bot, replaced = now.game.bot(now.game.fallback_bot), bot_to_act(now.status) or REMOTE
            move = now.game.fallback_move(now.state, seat)
            return PlayBotMove(move, bot.name, bot.version, None, None, fallback=why, replaces=replaced)

        played = self._for_bot(game_id, version, instead)
        if played is not None:
            metrics.FALLBACKS.labels(why).inc()
        return played

    def score_game(self, game_id: str) -> Played | None:
        """Confirm the result of a game that has ended, and sign its final head; None if it was confirmed before."""
        current = self._games.current(game_id)
        if due_of(current.status) != "score":
            self.heads.with_final(current)  # whoever confirmed it may have died before it could sign
            return None
        played = self._once(current, Request(None, Score(), CommandId("score")))
        if played is not None:
            self.heads.with_final(played.snapshot)
        return played

    def _bots_choice(self, now: Snapshot, seat: int) -> PlayBotMove:
        name = str(bot_to_act(now.status))
        seed = move_seed(now.secrets.seed, now.game_id, now.version)
        return think(now.game, self._games.observation(now, seat, name), name, seed).chosen()

    def _for_bot(
        self,
        game_id: str,
        version: int,
        choose: Callable[[Snapshot, int], PlayBotMove],
        *,
        whole_turn: bool = False,
    ) -> Played | None:
        current = self._games.current(game_id)
        seat = current.status.to_act
        if current.version != version or seat is None or due_of(current.status) not in ("bot", REMOTE):
            return None

        def then(after: Snapshot) -> PlayBotMove | None:
            return choose(after, seat) if _needs_no_memory(after, seat) else None

        request = Request(seat, choose(current, seat), CommandId(f"bot:{version}"))
        return self._once(current, request, then if whole_turn else None)

    def _once(
        self, current: Snapshot, request: Request, then: Callable[[Snapshot], Any] | None = None
    ) -> Played | None:
        try:
            return self._handler.attempt(current, request, then)
        except VersionConflict:
            return None


def _needs_no_memory(after: Snapshot, seat: int) -> bool:
    """Whether it is still the turn of the seat's bot, and all that the bot needs is what lies on the table."""
    bot = bot_to_act(after.status)
    return bot is not None and after.status.to_act == seat and not after.game.bot(bot).remembers


def _identity(origin: str) -> CommandId:
    """An identity for a request that came without one, so that it can be sent again after a timeout."""
    return CommandId(f"{origin}~{randomness.token_urlsafe(12)}")


def _keyed(seat: int, key: str, document: Json) -> CommandId:
    """The identity that an `Idempotency-Key` gives: the key is the seat's own, and stands for one body."""
    fingerprint = sha256(chain.canonical(document)).hexdigest()
    return CommandId(f"{seat}:{sha256(key.encode()).hexdigest()}", fingerprint)
