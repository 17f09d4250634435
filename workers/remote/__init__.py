"""Bots on other people's servers: who is asked next, and how one is asked."""

from typing import Any


def __getattr__(name: str) -> Any:
    """`play`: the name by which former releases queued the turns of remote seats."""
    if name == "play":
        from workers.remote.job import play

        return play
    raise AttributeError(name)
