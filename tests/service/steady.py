"""A service that draws what any other of its kind draws, always at the same time: what two of them say can be compared.

For gunicorn: `tests.service.steady:service()`. `python -m tests.service.steady GAME_ID ...` does the workers' part of
these games: bots' moves, then the score.
"""

import os
import random
import secrets
import sys
from datetime import UTC, datetime
from functools import partial

import compiled.preferred  # noqa: F401 (before anything imports the domain)
from events.application import wired
from events.runtime import bootstrap
from events.runtime.settings import load
from service.http.app import Service, create_app

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def steady(name: str) -> None:
    """Let this process draw by a name, and stop its clock."""
    drawn = random.Random(name)
    secrets.token_bytes = lambda nbytes=None: drawn.randbytes(nbytes or 32)
    secrets.choice = drawn.choice
    bootstrap.wired = partial(wired, now=lambda: NOON)  # type: ignore[attr-defined]


def service() -> Service:
    """The whole service, by the settings of the environment."""
    steady("service")
    return create_app()


def main(game_ids: list[str]) -> None:
    """Play and score."""
    steady("workers")
    application = bootstrap.application(load(os.environ))
    for game_id in game_ids:
        while (now := application.views.snapshot(game_id)).status.result is None:
            application.bot_turns.bot_move(game_id, now.version)
        application.bot_turns.score_game(game_id)


if __name__ == "__main__":
    main(sys.argv[1:])
