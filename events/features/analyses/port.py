"""The port of analyses: the questions that its use-cases ask of a store."""

from typing import Protocol

from domain.lifecycle import Json


class AnalysisStore(Protocol):
    """Store of analyses of games, which it keeps for a while. Every method may raise NoAnswer."""

    def kept(self, game_id: str) -> Json | None:
        """The stored record of a game's analysis; None without one."""

    def keep(self, game_id: str, document: Json) -> None:
        """Store the record in place of the last one."""

    def claim(self, game_id: str, *, again: bool = False) -> bool:
        """Claim the analysis for this worker, for a while. Returns False if another worker has claimed it. `again`:
        this worker renews its claim.
        """

    def is_claimed(self, game_id: str) -> bool:
        """True if a worker has claimed the analysis."""

    def release(self, game_id: str) -> None:
        """Give the claim up."""
