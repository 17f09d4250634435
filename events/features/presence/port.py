"""The port of presence: the questions that its use-case asks of a store."""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

GRACE: Final = 10.0  # seconds for which a seat still counts as connected after its last stream has closed
UNSEEN: Final = 6.0  # seconds without a telling of a game, after which it is watched anew
WATCHED: Final = -1  # in place of a seat
KEPT: Final = 86_400  # seconds for which it is known since when nobody is connected


class PresenceStore(Protocol):
    """Store of the seats that are connected. Every method may raise StoreUnavailable; each is safe to be sent again."""

    def tell(self, present: Mapping[str, Mapping[int, float]]) -> Mapping[str, Mapping[int, float]]:
        """Tell which seats of some games are connected here, and hear which seats of these games are anywhere.

        Told is, by game and seat, for how many seconds the seat still counts as connected: GRACE at most. Heard is the
        same of each seat that was told of within KEPT: where it counts no more, it is 0 or less, and says since when.
        The same of WATCHED says since when somebody has been connected at any seat: without a break of UNSEEN, as all
        processes make that end, or a store that has forgotten all.
        """

    def hear(self, game_ids: Sequence[str]) -> Mapping[str, Mapping[int, float]]:
        """Hear the same of games of which nothing is told; nothing is written for them."""

    def told(self) -> list[str]:
        """The games of which some process has told seats within twice the GRACE; none that has not told of one."""
