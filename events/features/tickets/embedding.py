"""Embed tickets: with one, a frame in another site's page gets its seat's token, once.

A ticket is the seat's token, encrypted for the engine itself, so nothing about it is stored before it is used. It is in
the address of the frame, which logs and browser histories keep; but when somebody reads it there, it is used up or
expired.
"""

import hmac
import secrets as randomness
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from events.engine import access
from events.engine.access import Caller, SeatToken
from events.engine.repository import GameRepository
from events.errors import GameNotFound, Unauthorized
from events.features.games.views import Views
from events.features.tickets.port import TicketFacts, TicketStore
from events.features.tickets.tickets import AHEAD, NO_TICKETS
from events.log.snapshot import Snapshot
from events.times import time_of

GOOD: Final = 120  # seconds in which a ticket may be used
NOTED: Final = (
    10_800  # seconds for which its use is recorded: longer than GOOD, even if a clock is set meanwhile
)
PREFIX: Final = "me_"
NONCE: Final = 12  # bytes
AGAIN: Final = "ask for another one."


@dataclass(frozen=True, slots=True)
class EmbedTicket:
    """A ticket, `text`, by which a frame takes the seat; `expires_at` is RFC 3339 UTC."""

    text: str = field(repr=False)
    expires_at: str


@dataclass(frozen=True, slots=True)
class Content:
    """Content of a ticket: the seat's token, and the time (in ms) of the ticket's issue."""

    token: str = field(repr=False)
    issued: int

    @property
    def until(self) -> int:
        """The time at which the ticket expires, in ms."""
        return self.issued + GOOD * 1000

    def sealed(self, key: bytes, game_id: str) -> str:
        """The encrypted ticket; nobody without the key can read or change it, or use it for another game."""
        nonce = randomness.token_bytes(NONCE)
        sealed = _cipher(key).encrypt(nonce, f"{self.issued} {self.token}".encode(), game_id.encode())
        return _written(nonce + sealed)


class EmbedTickets:
    """The use-cases of embed tickets. Every method may raise StoreUnavailable."""

    def __init__(self, store: TicketStore | None, games: GameRepository, views: Views) -> None:
        """Only the store's clock decides when tickets expire."""
        self._store = store or NO_TICKETS
        self._games = games
        self._views = views

    def issue(self, game_id: str, seat: int, caller: Caller, token: str) -> EmbedTicket:
        """A ticket for the seat whose token the caller has shown. Raises GameNotFound, Unauthorized."""
        self._views.open_game(game_id, caller)
        facts = self._store.ticket_facts(game_id)
        content = Content(token, max(facts.now, facts.revoked.get(str(seat), -1) + 1))
        return EmbedTicket(content.sealed(facts.key, game_id), time_of(content.until))

    def redeem(self, game_id: str, ticket: str, request: str | None) -> tuple[int, str]:
        """The seat and its token. From then on no other request can use the ticket.

        `request`: a key under which the same request may be repeated; without one it cannot. Raises Unauthorized,
        whether or not the game exists.
        """
        if not ticket.startswith(PREFIX):
            # before the store is asked: a store that has issued no ticket gets no key for them
            raise _refusal()
        facts = self._store.ticket_facts(game_id)
        content = _opened(ticket, facts.key, game_id)
        claim = access.read_seat_token(content.token)
        assert claim is not None
        self._require_held(game_id, claim)
        _require_good(content, claim.seat, facts)
        by = sha256(request.encode()).hexdigest() if request else randomness.token_hex()
        if not self._store.use_ticket(game_id, sha256(ticket.encode()).hexdigest(), by, NOTED):
            raise Unauthorized(f"This ticket was used: {AGAIN}")
        return claim.seat, content.token

    def _require_held(self, game_id: str, claim: SeatToken) -> None:
        """Unauthorized unless the token still plays the seat; another process may have issued it."""
        try:
            current = self._games.current(game_id)
            if not _is_held(current, claim):
                current = self._games.with_latest_secrets(current)
        except GameNotFound:
            raise _refusal() from None
        if not _is_held(current, claim):
            raise Unauthorized(f"The seat of this ticket has another token: {AGAIN}")


def _cipher(key: bytes) -> ChaCha20Poly1305:
    return ChaCha20Poly1305(hmac.digest(key, b"embed/1", "sha256"))


def _written(sealed: bytes) -> str:
    """The ticket's text."""
    return PREFIX + urlsafe_b64encode(sealed).rstrip(b"=").decode()


def _opened(ticket: str, key: bytes, game_id: str) -> Content:
    raw = ticket.removeprefix(PREFIX)
    try:
        sealed = urlsafe_b64decode(raw + "=" * (-len(raw) % 4))
        # several spellings decode to the same bytes, and only one of them is a ticket
        if _written(sealed) != ticket:
            raise _refusal()
        said = _cipher(key).decrypt(sealed[:NONCE], sealed[NONCE:], game_id.encode())
    except (InvalidTag, ValueError):
        raise _refusal() from None
    issued, _, token = said.decode().partition(" ")
    return Content(token, int(issued))


def _is_held(current: Snapshot, claim: SeatToken) -> bool:
    return access.is_held_by(current.secrets, claim.seat, claim.secret_hash)


def _require_good(content: Content, seat: int, facts: TicketFacts) -> None:
    if facts.now >= content.until:
        raise Unauthorized(f"This ticket has expired: {AGAIN}")
    if content.issued > facts.now + AHEAD:
        raise Unauthorized(f"This ticket was issued by a clock that was ahead: {AGAIN}")
    if content.issued <= facts.revoked.get(str(seat), -1):
        raise Unauthorized(f"This ticket was revoked: {AGAIN}")


def _refusal() -> Unauthorized:
    return Unauthorized("This ticket is not known.")
