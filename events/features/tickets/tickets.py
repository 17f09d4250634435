"""Tickets: a client that cannot send a header, such as a browser's EventSource, puts one into the address of a stream.

A ticket says who asked for it, whose view it shows, and its time from beginning to end. An HMAC binds this to the game
and to the seat's token. So nothing is stored about a ticket, however many are issued, and a new token of the seat voids
it. Only a revocation is stored, until the last ticket that it voids would have expired.
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

LONGEST: Final = 86_400  # seconds for which a ticket may be valid
USUAL: Final = 3_600
FRESH: Final = 1.0  # seconds for which an open stream trusts that its ticket was not revoked
KEPT: Final = 10_000  # games for which the last answer about revocations is kept
AHEAD: Final = 5_000  # milliseconds by which the clocks of servers may differ

APP: Final = "app"  # the asker of a ticket that the game's own app asked for
NOBODY: Final = "any"  # the asker of a ticket of any other caller without a seat
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
    """Content of a ticket: its asker, its view, the time of its issue (ms), and its life in seconds."""

    holder: str
    view: str
    issued: int
    seconds: int

    @property
    def until(self) -> int:
        """The time at which the ticket expires, in ms."""
        return self.issued + self.seconds * 1000

    def sealed(self, key: bytes, game_id: str, token_hash: str) -> str:
        """The ticket with its HMAC; `token_hash` is that of the seat that asked for it, or empty."""
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
        """Only the store's clock decides when tickets expire; `clock` measures the age of cached answers."""
        self._store = store or NO_TICKETS
        self._games = games
        self._views = views
        self._clock = clock
        self._facts: dict[str, tuple[float, TicketFacts]] = {}

    def issue(self, game_id: str, caller: Caller, view: str | None, seconds: int) -> Ticket:
        """A ticket for a caller who may watch the game; `view`: "seat", "spectator", or None for the
        caller's own view.
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
        """The caller that the ticket admits; raises Unauthorized, whether or not the game exists.

        A seat's ticket for its own view admits the seat. A ticket of a seat or of the app for a spectator's view admits
        the game's app, which sees what a spectator sees. Any other ticket admits a stranger, who may watch public
        games.
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
        """Raise Unauthorized if the ticket is no longer valid; the store is asked again after FRESH seconds."""
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
        """The game as this process last saw it, if the ticket is genuine; Unauthorized if it is not. Raises
        GameNotFound.

        For a game that does not exist the store gets the same requests, so the time taken says nothing about games.
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
        """The game, if `_check` accepts the ticket; another process may have issued the seat's token."""
        try:
            _check(current, claim, ticket, facts)
        except Unauthorized:
            if not claim.holder.isdigit():
                raise
            current = self._games.with_latest_secrets(current)
            _check(current, claim, ticket, facts)
        return current


def _check(current: Snapshot, claim: Claim, ticket: str, facts: TicketFacts) -> None:
    """Raise Unauthorized unless the ticket is genuine, belongs to this game and seat, and is still valid."""
    if not _is_genuine(current.secrets, current.game_id, claim, ticket, facts):
        raise _refusal()
    if facts.now >= claim.until:
        raise Unauthorized("This ticket has expired: ask for another one.")
    if claim.issued > facts.now + AHEAD:  # a revocation now would not void such a ticket
        raise Unauthorized("This ticket was issued by a clock that was ahead: ask for another one.")
    if claim.issued <= facts.revoked.get(claim.holder, -1):
        raise Unauthorized("This ticket was revoked: ask for another one.")


def _is_genuine(secrets: Secrets, game_id: str, claim: Claim, ticket: str, facts: TicketFacts) -> bool:
    """True if the ticket belongs to this game, and to the present holder of the seat, according to these secrets."""
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
    """The hash of the token of the seat that asked; empty if no seat asked, None if nobody holds the seat."""
    return secrets.tokens.get(int(holder)) if holder.isdigit() else ""
