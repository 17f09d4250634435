"""The port of presence: the questions that its use-case asks of a store."""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

GRACE: Final = 10.0  # seconds for which a seat still counts as connected after its last stream has closed
UNSEEN: Final = 6.0  # seconds without a report about a game, after which its watching begins anew
WATCHED: Final = -1  # takes the place of a seat
KEPT: Final = 86_400  # seconds for which the time is kept since which a seat is not connected


class PresenceStore(Protocol):
    """Store of connected seats. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def tell(self, present: Mapping[str, Mapping[int, float]]) -> Mapping[str, Mapping[int, float]]:
        """Report the seats of some games that are connected to this process, and get those connected to any process.

        The report says, by game and seat, for how many seconds the seat still counts as connected: GRACE at most. The
        answer says the same of each seat that was reported within KEPT; the number is 0 or less if the seat no longer
        counts, and then says since when. The number of WATCHED says since when at least one seat has been connected:
        without a break of UNSEEN, such as all processes leave that end together, or a store that has lost its data.
        """

    def hear(self, game_ids: Sequence[str]) -> Mapping[str, Mapping[int, float]]:
        """Get the same for games without a report; nothing is written for them."""

    def told(self) -> list[str]:
        """The games of which a process has reported seats within twice the GRACE."""
