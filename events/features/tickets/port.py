"""The port of tickets: the questions that its use-cases ask of a store."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class TicketFacts:
    """Facts by which a game's tickets are judged: the installation's key, the store's time, and when they were revoked.

    Times are in milliseconds; `revoked` is by who asked for the tickets.
    """

    key: bytes = field(repr=False)
    now: int
    revoked: Mapping[str, int]


class TicketStore(Protocol):
    """Store of facts about tickets. Every method may raise StoreUnavailable."""

    def ticket_facts(self, game_id: str) -> TicketFacts:
        """All that it takes to judge a ticket of the game, whether or not the game exists."""

    def use_ticket(self, game_id: str, digest: str, by: str, seconds: int) -> bool:
        """Note that the ticket of that digest was used, and by which request; that is kept for `seconds`.

        False if another request has used it before.
        """

    def revoke_tickets(self, game_id: str, holder: str, longest: int) -> None:
        """Void what the holder has asked for until now; that is kept for `longest` seconds."""
