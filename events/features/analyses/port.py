"""The port of analyses: the questions that its use-cases ask of a store."""

from typing import Protocol

from domain.lifecycle import Json


class AnalysisStore(Protocol):
    """Store of analyses of games, which it keeps for a while. Every method may raise NoAnswer."""

    def kept(self, game_id: str) -> Json | None:
        """Record of a game's analysis."""

    def keep(self, game_id: str, document: Json) -> None:
        """Keep it in place of the last one."""

    def claim(self, game_id: str, *, again: bool = False) -> bool:
        """Say, for a while, that this worker is at it; whether no other one is. `again`: it was at it before."""

    def is_claimed(self, game_id: str) -> bool:
        """True if a worker is at it."""

    def release(self, game_id: str) -> None:
        """No worker is at it any more."""
