"""What a game waits for."""

from domain.lifecycle import GameStatus
from events.games.remote_seat import KIND as REMOTE


def bot_to_act(status: GameStatus) -> str | None:
    """The bot whose turn it is, if it is a bot's."""
    return None if status.to_act is None else status.seats[status.to_act].bot


def due_of(status: GameStatus) -> str:
    """What a game waits for: "bot", "remote" (somebody else's bot), "score", or "" (people, or nothing any more)."""
    if status.result is not None:
        return "" if status.result.scored else "score"
    kind = "" if status.to_act is None else status.seats[status.to_act].kind
    return kind if kind in ("bot", REMOTE) else ""
