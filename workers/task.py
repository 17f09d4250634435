"""What a game may wait for that people do not do."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Task:
    """Something to be done for a game at one version: a bot moves, or a score is confirmed.

    `kind` is one of PENDING (`events.games.pending`). Once the game has moved on from `version`, by whatever means, the
    task is done.
    """

    kind: str
    game_id: str
    version: int

    @property
    def job_id(self) -> str:
        """The same work has the same job, however often it is asked for (RQ allows letters, digits, - and _)."""
        return f"{self.kind}-{self.game_id}-{self.version}"
