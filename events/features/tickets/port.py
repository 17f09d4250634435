"""The port of tickets: the questions that its use-cases ask of a store."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TicketFacts:
    """The facts by which a game's tickets are checked: the installation's key, the store's time, and times of
    revocation.

    Times are in milliseconds; `revoked` has them by the holder who asked for the tickets.
    """

    key: bytes = field(repr=False)
    now: int
    revoked: Mapping[str, int]


class TicketStore(Protocol):
    """Store of facts about tickets. Every method may raise StoreUnavailable."""

    def ticket_facts(self, game_id: str) -> TicketFacts:
        """The facts needed to check a ticket of the game, whether or not the game exists."""

    def use_ticket(self, game_id: str, digest: str, by: str, seconds: int) -> bool:
        """Record that this request used the ticket of that digest; the record is kept for `seconds`."""

    def revoke_tickets(self, game_id: str, holder: str, longest: int) -> None:
        """Void all tickets that the holder has asked for until now; the record is kept for `longest` seconds."""
