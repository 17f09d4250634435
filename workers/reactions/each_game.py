"""One act for each of several games, with as many requests as one takes."""

import logging
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from events.errors import StoreUnavailable
from workers.greenlets.beside import Beside
from workers.together import Together

log = logging.getLogger("migrato.dispatcher")

T = TypeVar("T")


class EachGame:
    """Does an act for each game. An act that fails is logged and not repeated, because a repeat would fail, too."""

    def __init__(self, together: Together | Beside) -> None:
        self._together = together

    def __call__(self, games: Sequence[str], act: Callable[[str], T], failure: str) -> list[T]:
        """The results of the acts that did not fail. Raises StoreUnavailable."""
        done = list[T]()
        outcomes = self._together.run([partial(act, game_id) for game_id in games])
        for game_id, outcome in zip(games, outcomes, strict=True):
            if isinstance(outcome, StoreUnavailable):
                raise outcome
            if isinstance(outcome, Exception):  # one broken game must not stop the others
                log.error(failure, exc_info=outcome, extra={"game_id": game_id})
            else:
                done.append(outcome)
        return done
