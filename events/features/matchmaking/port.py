"""The port of matchmaking: the questions that its use-cases ask of a store."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Seeker:
    """A player who looks for a partner: by a `ticket` (its digest), in a `pool` of players who want the same.

    If nobody is there yet, the game will be `game_id`, and its `seat` this player's, by a token of that hash. `person`
    is what the seat of the game will be made from, `wanted` what the game will be made from. Either `reach`, how far
    the partner's rating may be, or None for any. `bot`, what the other seat is made from if nobody comes in `patience`
    ms. `fingerprint` is that of the request.
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
    """A player who waits and fits: the ticket, and the game and seat that are left to the other."""

    ticket: str
    game_id: str
    seat: int


class MatchStore(Protocol):
    """Players who look for a partner, by app. Every method may raise StoreUnavailable; each may be sent again."""

    def join(
        self, app: str, seeker: Seeker, partner: Candidate | None, token_hash: str
    ) -> "Candidate | Mapping[str, str] | None":
        """One atomic step: pair with the `partner`, if that still waits; else say who else fits; else wait.

        `token_hash` is that of the seat that the partner's game leaves. If the ticket exists already, its content is
        returned. None if the player waits by another ticket. Raises TooManyWaiting.
        """

    def look(self, app: str, ticket: str, *, may_step_in: bool = False) -> Mapping[str, str] | None:
        """State of a ticket, which is good for longer by that; None if there is none.

        A bot steps in if it may and it is time.
        """

    def cancel(self, app: str, ticket: str, *, if_matched: bool = False) -> Mapping[str, str] | None:
        """End the wait. Returns the content of the ticket. `if_matched`: also with a partner, as there is no game."""

    def withdraw(self, app: str, player: str) -> None:
        """Let the player wait no longer."""
