"""Games as members of the indexes of an app's games: they stand there by their creation."""

from datetime import datetime


def creation_of(created_at: str) -> int:
    """The creation of a game, in milliseconds, as members have it."""
    return int(datetime.fromisoformat(created_at).timestamp() * 1000)


def member_of(creation: int, game_id: str) -> str:
    """The game as a member."""
    return f"{creation:013d}:{game_id}"
