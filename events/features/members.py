"""Games as members of the indexes of an app's games, which sort them by their creation."""

from datetime import datetime


def creation_of(created_at: str) -> int:
    """The time of a game's creation, in milliseconds."""
    return int(datetime.fromisoformat(created_at).timestamp() * 1000)


def member_of(creation: int, game_id: str) -> str:
    """The game as a member of an index."""
    return f"{creation:013d}:{game_id}"
