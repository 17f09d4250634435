"""Answers of external bots, and what may be wrong with them."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from domain.chance import SeededChance
from domain.errors import DomainError
from domain.game import Rules


class ExternalBotFailed(ValueError):
    """An external bot cannot play on; the text tells its author why."""


def legal(game: Rules, state: Any, seat: int, move: Any) -> Any:
    """The command that an answered move means; DomainError says what is wrong with it."""
    if not isinstance(move, dict):
        raise DomainError("validation-error", "A move is a JSON object.")
    command = game.parse_move(move)
    game.decide(state, seat, command, SeededChance(b"", ""))  # no move is legal by chance
    return command


@contextmanager
def blaming(name: str) -> Iterator[None]:
    """Raise ExternalBotFailed with the traceback if the bot's own code raises anything."""
    try:
        yield
    except Exception as error:
        said = "".join(traceback.format_exception(error)).rstrip()
        raise ExternalBotFailed(f"{name} failed:\n{said}") from error
