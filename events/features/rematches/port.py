"""The port of rematches: the questions that its use-cases ask of a store."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple, Protocol


class Agreement(NamedTuple):
    """Requests for a rematch: whether it begins, from when on they stay; the hashes of new tokens by seat that asks."""

    begun: bool
    hashes: dict[int, str]


@dataclass(frozen=True, slots=True)
class ListedRequest:
    """A request for a rematch by a seat of a game that may have run out; `at` is the time by which it is listed."""

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
        """The seat asks, for so many seconds from now, and its token in the rematch has that hash; its first one stays.
        The game, which is over, ends at that version.

        The rematch begins at once where the seats of `everybody` ask, or it has begun before; then nothing changes.
        """

    def begin(self, game_id: str, version: int, seconds: int) -> Agreement:
        """The rematch begins with the seats that ask now."""

    def reopen(self, game_id: str) -> None:
        """The rematch does not begin after all, for it was refused."""

    def withdraw(self, game_id: str, version: int, seat: int, seconds: int) -> bool:
        """The seat does not ask any more; False, and nothing happens, where the rematch begins."""

    def agreement(self, game_id: str, seconds: int) -> Agreement:
        """The requests that have not ended."""

    def ending(self) -> list[ListedRequest]:
        """Some of the requests that may have run out."""

    def end(self, game_id: str, version: int, seconds: int) -> Agreement:
        """Tell which of the game's requests have run out, and drop them; those that have not."""

    def unlist(self, request: ListedRequest) -> None:
        """Look at the request no more, unless it was made again."""
