"""Quick match: pairs two players of an app who want the same game, or a player with a bot if nobody comes.

A player who looks for a partner has a ticket, and asks with it again and again. The second of two players pairs both in
one atomic step, and then makes the game. By then both tickets hold all that the game needs, including its id. So if the
process that paired them dies, the next request of either player makes the game, and there is only one game.

A ticket is random, and only its digest is stored, with the id of the game that it leads to. The seat and its token
follow from the ticket. So only the holder of the ticket knows the token; the store has the token's hash before there is
a game, and never anything from which the token could be made.
"""

import hmac
import re
import secrets as randomness
import time
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Final

import orjson

from domain.clocks.options import ClockOptions, options_document, options_of, time_class
from domain.errors import DomainError, invalid
from domain.lifecycle import Json, Seat
from events.engine import access, eligibility
from events.engine.command_handler import Clock
from events.engine.idempotency import KeyedCommand, KeyedRequest
from events.engine.new_game import NewGame
from events.engine.repository import GameRepository
from events.errors import (
    CommandMismatch,
    GameNotFound,
    MatchTicketNotFound,
    PlayersGone,
    StoreUnavailable,
    TooManyWaiting,
)
from events.features.games.create import Creation
from events.features.matchmaking.port import Candidate, MatchStore, Seeker
from events.features.players.players import Players
from events.features.ratings.port import RatingStore
from events.features.ratings.results import leaderboard_of
from events.log.ratings.unrated import QUICK_MATCH
from events.log.snapshot import Snapshot
from events.ports import CommandId, EventStore, short
from events.times import time_of, timestamp

SEATS: Final = 2
ROUNDS: Final = 50  # attempts to pair with a partner, each of whom another player took first
# seconds for which a player without a game is kept, because a ticket may still lead to one
SOUGHT: Final = 7_200
RENEWED: Final = 1_800_000  # milliseconds after which that time is renewed for a ticket that still waits
WIDE: Final = 4.0  # the least reach, on the engine's scale, that counts as no choice of the partner
STEP: Final = 5.0  # seconds after which a waiting player's ticket is read again, even without news
TICKET: Final = re.compile(r"mq_[0-9A-Za-z_-]{43}")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The game that a player wants, and the partner: one whose rating is at most `reach` away, or None for anybody.

    `bot` takes the other seat if nobody has come after `patience` seconds. `clock`: the game's clock; None for none.
    """

    player: str
    game: str
    options: Json
    visibility: str = "private"
    client_seed: str | None = None
    rating: float | None = None
    reach: float | None = None
    bot: str | None = None
    patience: float = 0.0
    clock: Json | None = None


@dataclass(frozen=True, slots=True)
class QuickMatchTicket:
    """Status of a ticket: "waiting", "matched" or "cancelled"; its beginning and its end (RFC 3339 UTC).

    A matched ticket has the `game`, its `seat`, and the seat's token, unless the seat has got another one by now.
    """

    ticket: str = field(repr=False)
    status: str
    since: str
    expires_at: str
    rating: float | None
    reach: float | None
    game: Snapshot | None = None
    seat: int | None = None
    token: str | None = field(default=None, repr=False)


class QuickMatch:
    """The use cases of quick match. All may raise StoreUnavailable."""

    def __init__(
        self,
        matches: MatchStore | None,
        store: EventStore,
        games: GameRepository,
        players: Players,
        creation: Creation,
        now: Clock,
        ratings: RatingStore | None = None,
    ) -> None:
        self._matches = matches or _NoMatches()
        self._store = store
        self._games = games
        self._players = players
        self._creation = creation
        self._now = now
        self._ratings = ratings

    def join(self, app: str, wanted: Wanted, sent: KeyedRequest | None = None) -> QuickMatchTicket:
        """Look for a partner: with a new ticket, or with that of the same request if it was `sent` before.

        Raises DomainError "unknown-game", "unknown-bot", "validation-error"; "already-waiting" for a player who waits
        by another ticket; CommandMismatch, TooManyWaiting; and TooManyGames if there is no room for the game, in which
        case nobody is paired.
        """
        clock = None if wanted.clock is None else options_of(wanted.clock, self._games.kind(wanted.game))
        pool = self._pool(wanted, clock)
        keyed = None if sent is None else KeyedCommand(self._store.requests_secret(), "quick-match", sent)
        ticket = f"mq_{randomness.token_urlsafe(32) if keyed is None else keyed.quick_match_ticket}"
        fingerprint = "" if keyed is None else keyed.command("quick").fingerprint
        if keyed is not None and (known := self._asked(app, ticket)) is not None:
            return self._repeated(app, ticket, known, fingerprint)
        seeker = self._seeker(app, ticket, fingerprint, pool, wanted, clock)
        partner: Candidate | None = None
        for _ in range(ROUNDS):
            if partner is not None:  # a pairing makes a game, so there must be room for one first
                self._creation.take_place(app, partner.game_id)
            token = "" if partner is None else _token(ticket, partner.game_id, partner.seat)
            reply = self._matches.join(app, seeker, partner, access.hash_of(token))
            if reply is None:
                raise DomainError("already-waiting", "This player waits for a partner by another ticket.")
            if not isinstance(reply, Candidate):
                return self._repeated(app, ticket, reply, fingerprint)
            partner = reply
        raise TooManyWaiting

    def look(self, app: str, ticket: str, seconds: float = 0.0) -> QuickMatchTicket:
        """Status of the ticket; while it waits, the answer is held back for at most so many seconds.

        Raises MatchTicketNotFound; TooManyGames if there is no room for a game with the bot, in which case the ticket
        goes on waiting.
        """
        deadline = time.monotonic() + seconds
        known = self._known(app, ticket)
        while known["status"] == "waiting" and (left := deadline - time.monotonic()) > 0:
            due = _bot_due(known) if "bot" in known else left
            is_made = self._store.wait(known["game"], 0, max(0.01, min(left, due, STEP)))
            known = self._known(app, ticket)
            if is_made and known["status"] == "waiting":  # the store lost the ticket's later state
                break
        return self._ticket(app, ticket, known)

    def cancel(self, app: str, ticket: str) -> None:
        """End the wait. Raises MatchTicketNotFound; DomainError "already-matched" if it is too late."""
        known = self._matches.cancel(app, _digest(ticket)) if TICKET.fullmatch(ticket) else None
        if known is None:
            raise MatchTicketNotFound
        if known["status"] == "matched":
            raise DomainError("already-matched", "There is a partner already: see the ticket for the game.")

    def withdraw(self, app: str, player: str) -> None:
        """End the wait of a player who is being erased."""
        self._matches.withdraw(app, player)

    def _known(self, app: str, ticket: str) -> Mapping[str, str]:
        known = self._asked(app, ticket) if TICKET.fullmatch(ticket) else None
        if known is None:
            raise MatchTicketNotFound
        return known

    def _asked(self, app: str, ticket: str) -> Mapping[str, str] | None:
        """State of the ticket. The bot steps in if it is time and there is room for the game."""
        known = self._matches.look(app, _digest(ticket))
        if known is None or known["status"] != "waiting":
            return known
        waited = int(known["now"]) - int(known["since"])
        if waited > RENEWED and not self._players.seeks(known["player"], SOUGHT):
            return self._matches.cancel(app, _digest(ticket))
        if "bot" not in known or _bot_due(known) > 0:
            return known
        self._creation.take_place(app, known["game"])
        return self._matches.look(app, _digest(ticket), may_step_in=True)

    def _stored_rating(self, app: str, player: str, game: str, clock: ClockOptions | None) -> float | None:
        """The engine's own mean rating of the app's player, in games with such a clock; None without one."""
        if self._ratings is None:
            return None
        rating = self._ratings.ratings(app, player).get(leaderboard_of(game, time_class(clock)))
        return None if rating is None else rating.shown_mean

    def _pool(self, wanted: Wanted, clock: ClockOptions | None) -> str:
        """The pool of players who want the same game, by the meaning of its options, which can be written in several
        ways.
        """
        game = self._games.kind(wanted.game)
        if SEATS not in game.seat_counts:
            raise invalid("game", f"Quick match is for two, and {game.name} cannot be played by two.")
        if wanted.bot is not None:
            game.bot(wanted.bot)
        options = eligibility.resolved(game, eligibility.with_drawn_start(game, wanted.options), SEATS)
        same = [game.name, options, wanted.visibility]
        if clock is not None:
            same.append(options_document(clock))
        return short(sha256(orjson.dumps(same, option=orjson.OPT_SORT_KEYS)).digest())

    def _seeker(
        self,
        app: str,
        ticket: str,
        fingerprint: str,
        pool: str,
        wanted: Wanted,
        clock: ClockOptions | None,
    ) -> Seeker:
        rating = wanted.rating
        if rating is None:
            known = self._players.known(app, wanted.player)
            rating = None if known is None else self._stored_rating(app, known, wanted.game, clock)
        if wanted.reach is not None and rating is None:
            raise invalid("range", "Needs `rating`: the player has none here.")
        player = self._players.seeking(app, wanted.player, timestamp(self._now()), SOUGHT)
        # a repeated key may lead to this ticket again, but must not lead to a former game
        game_id = access.new_game_id()
        seat = _derived(ticket, "seat")[0] % SEATS
        person: Json = {"kind": "human", "player": player, "client_seed": wanted.client_seed}
        if _selects(wanted):
            person["selects"] = True
        bot = {"kind": "bot", "bot": wanted.bot}
        options = eligibility.with_drawn_start(self._games.kind(wanted.game), wanted.options)
        new = {"game": wanted.game, "options": options, "visibility": wanted.visibility}
        if clock is not None:
            new["clock"] = options_document(clock)
        return Seeker(
            ticket=_digest(ticket),
            pool=pool,
            player=player,
            fingerprint=fingerprint,
            game_id=game_id,
            seat=seat,
            token_hash=access.hash_of(_token(ticket, game_id, seat)),
            person=orjson.dumps(person).decode(),
            wanted=orjson.dumps(new).decode(),
            rating=rating,
            reach=wanted.reach,
            bot=None if wanted.bot is None else orjson.dumps(bot).decode(),
            patience=int(wanted.patience * 1000),
        )

    def _repeated(
        self, app: str, ticket: str, known: Mapping[str, str], fingerprint: str
    ) -> QuickMatchTicket:
        if known["fingerprint"] != fingerprint:
            raise CommandMismatch
        return self._ticket(app, ticket, known)

    def _ticket(self, app: str, ticket: str, known: Mapping[str, str]) -> QuickMatchTicket:
        since, expires_at = time_of(int(known["since"])), time_of(int(known["expires"]))
        rating, reach = (float(known[name]) if name in known else None for name in ("rating", "reach"))
        state = QuickMatchTicket(ticket, known["status"], since, expires_at, rating, reach)
        if known["status"] != "matched":
            return state
        try:
            game, seat = self._game(app, known), int(known["place"])
        except PlayersGone:
            self._matches.cancel(app, _digest(ticket), if_matched=True)
            return replace(state, status="cancelled")
        token = _token(ticket, game.game_id, seat)
        held = game.secrets.tokens.get(seat) == access.hash_of(token)
        return replace(state, game=game, seat=seat, token=token if held else None)

    def _game(self, app: str, known: Mapping[str, str]) -> Snapshot:
        """The game of the paired players; made here if the process that paired them did not make it.

        Raises PlayersGone where one of them was erased before.
        """
        game_id = known["match"]
        try:
            return self._games.current(game_id)
        except GameNotFound:
            pass
        people = [orjson.loads(known[f"person{seat}"]) for seat in range(SEATS)]
        selects = [person.pop("selects", False) for person in people]
        seats = tuple([Seat(**person) for person in people])
        hashes = {seat: known[f"hash{seat}"] for seat in range(SEATS) if known[f"hash{seat}"]}
        new = NewGame(
            seats=seats, pairing=QUICK_MATCH, selective=any(selects), **orjson.loads(known["wanted"])
        )
        identity = CommandId("create", short(sha256(f"quick-match/1\n{game_id}".encode()).digest()))
        return self._creation.begin_once(app, new, game_id, hashes, identity, is_promised=True)


def _selects(wanted: Wanted) -> bool:
    """True if so few partners are possible that two friends could arrange to meet: by ratings that the engine does not
    know, or by a short reach.
    """
    return wanted.rating is not None or (wanted.reach is not None and wanted.reach < WIDE)


def _bot_due(known: Mapping[str, str]) -> float:
    """Seconds until the bot may step in."""
    return (int(known["since"]) + int(known["patience"]) - int(known["now"])) / 1000


def _digest(ticket: str) -> str:
    return short(sha256(ticket.encode()).digest())


def _derived(ticket: str, what: str) -> bytes:
    return hmac.digest(ticket.encode(), f"quick-match/1\n{what}".encode(), "sha256")


def _token(ticket: str, game_id: str, seat: int) -> str:
    """The token of that seat and game that follows from the ticket."""
    drawn = urlsafe_b64encode(_derived(ticket, f"token\n{game_id}\n{seat}")).rstrip(b"=").decode()
    return access.seat_token(game_id, seat, drawn)


class _NoMatches:
    """Store of waiting players that keeps none."""

    def join(self, *_: object, **__: object) -> None:
        raise StoreUnavailable("there is no store for quick match")

    def look(self, *_: object, **__: object) -> None:
        return None

    def cancel(self, *_: object, **__: object) -> None:
        return None

    def withdraw(self, *_: object) -> None:
        return None
