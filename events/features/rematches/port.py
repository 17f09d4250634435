"""The port of rematches: the questions that its use-cases ask of a store."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple, Protocol


class Agreement(NamedTuple):
    """Requests for a rematch: whether it begins, after which they are kept; and the hashes of the new tokens, by seat
    that asks.
    """

    begun: bool
    hashes: dict[int, str]


@dataclass(frozen=True, slots=True)
class ListedRequest:
    """A seat's request for a rematch that may have expired; `at` is the time by which it is listed."""

    game_id: str
    seat: int
    at: str


class ConsentStore(Protocol):
    """Requests of seats for a rematch of a game that is over. Every method may raise StoreUnavailable.

    `seconds`: how long a request for that game's rematch lasts.
    """

    def agree(
        self, game_id: str, version: int, seat: int, token_hash: str, seconds: int, everybody: Collection[int]
    ) -> Agreement:
        """Record that the seat asks, for so many seconds from now, and the hash of its token in the rematch; its first
        token stays. The game, which is over, ends at that version.

        The rematch begins when all seats of `everybody` have asked. Once it has begun, nothing changes.
        """

    def begin(self, game_id: str, version: int, seconds: int) -> Agreement:
        """Begin the rematch with the seats that have asked."""

    def reopen(self, game_id: str) -> None:
        """Undo the beginning, because the rematch was refused."""

    def withdraw(self, game_id: str, version: int, seat: int, seconds: int) -> bool:
        """Withdraw the seat's request. Returns False, and changes nothing, if the rematch has begun."""

    def agreement(self, game_id: str, seconds: int) -> Agreement:
        """The requests that have not expired."""

    def ending(self) -> list[ListedRequest]:
        """Some of the requests that may have expired."""

    def end(self, game_id: str, version: int, seconds: int) -> Agreement:
        """Remove the game's expired requests, and record that in the feed. Returns the others."""

    def unlist(self, request: ListedRequest) -> None:
        """Remove the request from the list, unless it was made again."""
