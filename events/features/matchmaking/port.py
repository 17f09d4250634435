"""The port of matchmaking: the questions that its use-cases ask of a store."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Seeker:
    """A player who looks for a partner: by a `ticket` (its digest), in a `pool` of players who want the same game.

    If no partner waits yet, the game will be `game_id`, and this player will have its `seat`, by the token of that
    hash. `person` describes this seat's player, and `wanted` the game. `reach`: how far the partner's rating may be
    from this player's, None for any distance. `bot` describes the other seat if nobody comes within `patience` ms;
    `fingerprint` is that of the request.
    """

    ticket: str
    pool: str
    player: str
    fingerprint: str
    game_id: str
    seat: int
    token_hash: str
    person: str
    wanted: str
    rating: float | None = None
    reach: float | None = None
    bot: str | None = None
    patience: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A waiting player who fits: the ticket, and the game and the seat that are left for the partner."""

    ticket: str
    game_id: str
    seat: int


class MatchStore(Protocol):
    """Players who look for a partner, by app. Every method may raise StoreUnavailable; each may be sent again."""

    def join(
        self, app: str, seeker: Seeker, partner: Candidate | None, token_hash: str
    ) -> "Candidate | Mapping[str, str] | None":
        """One atomic step: pair with the `partner`, if that player still waits; otherwise name another candidate who
        fits; otherwise wait.

        `token_hash` is the hash of this player's token for the other seat of the partner's game. If the ticket exists
        already, its content is returned. Returns None if the player already waits by another ticket. Raises
        TooManyWaiting.
        """

    def look(self, app: str, ticket: str, *, may_step_in: bool = False) -> Mapping[str, str] | None:
        """State of a ticket, whose life this prolongs; None if there is none.

        A bot steps in if it may and it is time.
        """

    def cancel(self, app: str, ticket: str, *, if_matched: bool = False) -> Mapping[str, str] | None:
        """End the wait. Returns the content of the ticket. `if_matched`: end it even if there is a partner, because the
        game cannot be made.
        """

    def withdraw(self, app: str, player: str) -> None:
        """End the player's wait."""
