# compiled into recording
"""Acts of the engine that a game may wait for, and the queues of their jobs.

Another kind is one more row in PENDING, and one more case in `pending_action`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from domain.lifecycle import GameStatus
from events.engine import remote_seat

BOT: Final = "bot"
REMOTE: Final = remote_seat.KIND
SCORE: Final = "score"

GAME_QUEUE: Final = "migrato"  # moves of the engine's bots and scoring, for bot workers
REMOTE_QUEUE: Final = "migrato-remote"  # calls of remote bots, for workers that can wait for many at once
QUESTION_QUEUE: Final = "migrato-thinking"  # questions to bots, for which no game waits
QUEUES: Final = (GAME_QUEUE, REMOTE_QUEUE, QUESTION_QUEUE)


@dataclass(frozen=True, slots=True)
class PendingKind:
    """The queue of a kind's jobs, and the dotted name of their function, which takes a game's id and its version."""

    queue: str
    function: str


# Keys are the names of the kinds in the feed, the index of due games, jobs' ids and metrics.
PENDING: Final[Mapping[str, PendingKind]] = {
    BOT: PendingKind(GAME_QUEUE, "workers.jobs.bot"),
    REMOTE: PendingKind(REMOTE_QUEUE, "workers.remote.job.play"),
    SCORE: PendingKind(GAME_QUEUE, "workers.jobs.score"),
}
SEAT_KINDS: Final = (BOT, REMOTE)  # the kinds of a game whose seat to act is played by a bot


def pending_action(status: GameStatus) -> str:
    """The act that a game waits for: "bot", "remote" (an app's bot, over HTTP), "score", or "" if it waits for people
    or nothing.
    """
    if status.result is not None:
        return "" if status.result.scored else SCORE
    kind = "" if status.to_act is None else status.seats[status.to_act].kind
    return kind if kind in SEAT_KINDS else ""
