"""The jobs. Ids come in, a use-case is called; a job may run twice, late, or for a game that has moved on."""

import logging
import time
from collections.abc import Callable

from events.errors import EngineError, StoreUnavailable
from workers.bootstrap import application

log = logging.getLogger("migrato.jobs")

STORE_PATIENCE = 3.0  # seconds that a job waits for a store that does not answer, before it fails
PAUSE = 0.1


def bot(game_id: str, version: int) -> None:
    """Let the bot whose turn it is move; a bot that raises or overruns gets the fallback move instead.

    RQ ends the thinking with an exception too (JobTimeoutException).
    """
    try:
        _patiently(lambda: application().bot_move(game_id, version))
    except EngineError:
        raise
    except Exception:
        log.exception("game %s: the bot failed at version %d; it gets the fallback move", game_id, version)
        _patiently(lambda: application().fallback_move(game_id, version))


def score(game_id: str, version: int) -> None:  # noqa: ARG001 (the version makes the job's id unique)
    """Confirm the result of a game that has ended."""
    _patiently(lambda: application().score_game(game_id))


def _patiently(act: Callable[[], object]) -> None:
    deadline = time.monotonic() + STORE_PATIENCE
    while True:
        try:
            act()
        except StoreUnavailable:
            if time.monotonic() > deadline:
                raise  # the sweeper sees to it that the job is tried again
            time.sleep(PAUSE)
        else:
            return
