"""Tickets: who cannot send a header, as a browser's EventSource, shows one in the address of a stream.

A ticket says who asked for it, whose view it shows, and from when until when. An HMAC ties that to the game and to the
seat's token, so nothing is kept of a ticket, however many are asked for, and a new token of the seat voids it. All that
is kept is when somebody revoked the tickets that it has, until the last of them would have expired.
"""

import hmac
import re
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from domain.lifecycle import Viewer
from events.engine import access
from events.engine.access import Caller
from events.engine.repository import GameRepository
from events.errors import Forbidden, GameNotFound, StoreUnavailable, Unauthorized
from events.features.games.views import Views
from events.features.tickets.port import TicketFacts, TicketStore
from events.log.game_secrets import Secrets
from events.log.snapshot import Snapshot
from events.times import time_of

LONGEST: Final = 86_400  # seconds for which a ticket may be good
USUAL: Final = 3_600
FRESH: Final = 1.0  # seconds for which an open stream believes that its ticket was not revoked
KEPT: Final = 10_000  # games of which that is kept
AHEAD: Final = 5_000  # milliseconds by which the clocks of servers may differ

APP: Final = "app"  # who asked for it, where that is no seat: the game's own app
NOBODY: Final = "any"  # and anybody else
TICKET: Final = re.compile(
    r"mt_(?P<holder>[0-9]{1,2}|app|any)_(?P<view>seat|spectator)_(?P<issued>[0-9]{1,15})_(?P<seconds>[0-9]{1,5})"
    r"_(?P<seal>[0-9A-Za-z_-]{43})"
)


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket, `text`, for the view of that viewer; `expires_at` is RFC 3339 UTC."""

    text: str
    viewer: Viewer
    expires_at: str


@dataclass(frozen=True, slots=True)
class Claim:
    """Content of a ticket: its asker, its view, its time (in ms), and its seconds."""

    holder: str
    view: str
    issued: int
    seconds: int

    @property
    def until(self) -> int:
        """Time at which it expires, in ms."""
        return self.issued + self.seconds * 1000

    def sealed(self, key: bytes, game_id: str, token_hash: str) -> str:
        """The ticket; `token_hash` is that of the seat that asked for it, or empty."""
        said = f"{self.holder}_{self.view}_{self.issued}_{self.seconds}"
        drawn = hmac.digest(key, f"ticket/1\n{game_id}\n{said}\n{token_hash}".encode(), "sha256")
        return f"mt_{said}_{urlsafe_b64encode(drawn).rstrip(b'=').decode()}"


class Tickets:
    """The use-cases of tickets. Every method may raise StoreUnavailable."""

    def __init__(
        self,
        store: TicketStore | None,
        games: GameRepository,
        views: Views,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """The store's clock, and no other, says when tickets expire; `clock` is for the age of what is kept here."""
        self._store = store or NO_TICKETS
        self._games = games
        self._views = views
        self._clock = clock
        self._facts: dict[str, tuple[float, TicketFacts]] = {}

    def issue(self, game_id: str, caller: Caller, view: str | None, seconds: int) -> Ticket:
        """A ticket for who may watch the game; `view`: "seat", "spectator", or None for the caller's own.

        Raises GameNotFound, Unauthorized, and Forbidden for the view of a seat that the caller does not play.
        """
        current = self._views.open_game(game_id, caller)
        view = view or ("spectator" if caller.seat is None else "seat")
        if view == "seat" and caller.seat is None:
            raise Forbidden("Only the seat's own token gets a ticket for its view.")
        facts = self._store.ticket_facts(game_id)
        holder = _holder(caller, current)
        issued = max(facts.now, facts.revoked.get(holder, -1) + 1)
        claim = Claim(holder, view, issued, seconds)
        text = claim.sealed(facts.key, game_id, _hash(current.secrets, holder) or "")
        return Ticket(text, caller.seat if view == "seat" else None, time_of(claim.until))

    def admit(self, game_id: str, ticket: str) -> Caller:
        """Caller that the ticket lets in; raises Unauthorized, whether or not the game exists.

        That is the seat itself; for a spectator's ticket of a seat or of the app it is the game's app, which sees what
        a spectator sees; for anybody else's a stranger, who may watch what everybody may.
        """
        claim = _read(ticket)
        facts = self._store.ticket_facts(game_id)
        try:
            known = self._genuine(game_id, claim, ticket, facts)
            current = self._games.current(game_id) if known is None else self._games.refreshed(known)
        except GameNotFound:
            raise _refusal() from None
        current = self._checked(current, claim, ticket, facts)
        self._keep(game_id, facts)
        if claim.view == "seat":
            seat = int(claim.holder)
            return Caller("seat", None, seat, game_id, current.secrets.tokens[seat])
        return access.STRANGER if claim.holder == NOBODY else Caller("app", current.secrets.app)

    def confirm(self, current: Snapshot, ticket: str) -> None:
        """Raise Unauthorized once the ticket is good no more; the store is asked when FRESH is over."""
        kept = self._facts.get(current.game_id)
        if kept is None or self._clock() - kept[0] >= FRESH:
            facts = self._read_facts(current.game_id)
        else:
            since = int((self._clock() - kept[0]) * 1000)
            facts = TicketFacts(kept[1].key, kept[1].now + since, kept[1].revoked)
        self._checked(current, _read(ticket), ticket, facts)

    def revoke(self, game_id: str, caller: Caller) -> None:
        """Void all tickets that the seat, or the game's app, has asked for until now.

        Raises GameNotFound, Unauthorized, Forbidden.
        """
        if caller.kind in ("anonymous", "foreign"):
            raise Unauthorized("This needs the token of the seat, or the app's key.")
        current = self._views.open_game(game_id, caller)
        holder = _holder(caller, current)
        if holder == NOBODY:
            raise Forbidden("Only a seat and the game's own app have tickets that can be revoked.")
        self._store.revoke_tickets(game_id, holder, LONGEST)
        self._facts.pop(game_id, None)

    def _genuine(self, game_id: str, claim: Claim, ticket: str, facts: TicketFacts) -> Snapshot | None:
        """The game as it was last seen here, if the ticket is genuine; Unauthorized if it is not. Raises GameNotFound.

        A game that does not exist takes the same requests to the store, so that the time taken tells nothing of games.
        """
        known = self._games.seen(game_id)
        if known is not None and _is_genuine(known.secrets, game_id, claim, ticket, facts):
            return known
        if not _is_genuine(self._games.secrets(game_id), game_id, claim, ticket, facts):
            raise _refusal()
        return known

    def _read_facts(self, game_id: str) -> TicketFacts:
        return self._keep(game_id, self._store.ticket_facts(game_id))

    def _keep(self, game_id: str, facts: TicketFacts) -> TicketFacts:
        if len(self._facts) >= KEPT:
            self._facts.clear()
        self._facts[game_id] = (self._clock(), facts)
        return facts

    def _checked(self, current: Snapshot, claim: Claim, ticket: str, facts: TicketFacts) -> Snapshot:
        """The game, as `_check`; the seat may have come by its token through another process."""
        try:
            _check(current, claim, ticket, facts)
        except Unauthorized:
            if not claim.holder.isdigit():
                raise
            current = self._games.with_latest_secrets(current)
            _check(current, claim, ticket, facts)
        return current


def _check(current: Snapshot, claim: Claim, ticket: str, facts: TicketFacts) -> None:
    """Raise Unauthorized unless the ticket is genuine, of this game and seat, and still good."""
    if not _is_genuine(current.secrets, current.game_id, claim, ticket, facts):
        raise _refusal()
    if facts.now >= claim.until:
        raise Unauthorized("This ticket has expired: ask for another one.")
    if claim.issued > facts.now + AHEAD:  # and no time at which it is revoked would come after that
        raise Unauthorized("This ticket was issued by a clock that was ahead: ask for another one.")
    if claim.issued <= facts.revoked.get(claim.holder, -1):
        raise Unauthorized("This ticket was revoked: ask for another one.")


def _is_genuine(secrets: Secrets, game_id: str, claim: Claim, ticket: str, facts: TicketFacts) -> bool:
    """True if the ticket is one of this game, and of whoever holds the seat by these secrets."""
    token_hash = _hash(secrets, claim.holder)
    genuine = claim.sealed(facts.key, game_id, token_hash or "")
    return token_hash is not None and hmac.compare_digest(genuine, ticket)


class _NoTickets:
    """Store of tickets where nothing keeps what they need."""

    def use_ticket(self, *_: object) -> bool:
        raise StoreUnavailable("there is no store for tickets")

    def ticket_facts(self, _: str) -> TicketFacts:
        raise StoreUnavailable("there is no store for tickets")

    def revoke_tickets(self, *_: object) -> None:
        raise StoreUnavailable("there is no store for tickets")


NO_TICKETS: Final[TicketStore] = _NoTickets()


def _refusal() -> Unauthorized:
    return Unauthorized("This ticket is not known.")


def _read(ticket: str) -> Claim:
    match = TICKET.fullmatch(ticket)
    if match is None or (match["view"] == "seat" and not match["holder"].isdigit()):
        raise _refusal()
    return Claim(match["holder"], match["view"], int(match["issued"]), int(match["seconds"]))


def _holder(caller: Caller, current: Snapshot) -> str:
    if caller.seat is not None:
        return str(caller.seat)
    return APP if caller.kind == "app" and caller.app == current.secrets.app else NOBODY


def _hash(secrets: Secrets, holder: str) -> str | None:
    """The hash of the token of the seat that asked; empty where that was no seat, None where nobody holds it."""
    return secrets.tokens.get(int(holder)) if holder.isdigit() else ""
