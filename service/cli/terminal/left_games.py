"""The games that a person has left and may go on with: a small file of the user's, which nobody else can read.

It holds seat tokens. If it cannot be written, a game is played all the same; its token is shown when the player leaves
it.
"""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final
from uuid import uuid4

_KEPT: Final = 20  # games, the last ones


@dataclass(frozen=True, slots=True)
class LeftGame:
    """A seat in a game of a service."""

    url: str
    token: str


def path() -> Path:
    """Place of the file, by the XDG base directories."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state"
    return Path(state) / "migrato/games.json"


def all_left() -> list[LeftGame]:
    """The games that were left, the last one first; none if the file is missing or has another form."""
    try:
        documents = json.loads(path().read_text())
        return [LeftGame(str(one["url"]), str(one["token"])) for one in documents]
    except (OSError, ValueError, TypeError, KeyError):
        return []


def keep(game: LeftGame) -> bool:
    """Put the game first in the list, as the last one that was left; False if the list cannot be written."""
    return _write([game, *(other for other in all_left() if other.token != game.token)][:_KEPT])


def forget(token: str) -> None:
    """Take the game of this token off the list, because it is over or gone."""
    games = all_left()
    others = [game for game in games if game.token != token]
    if others != games:
        _write(others)


def _write(games: list[LeftGame]) -> bool:
    new = path().with_name(f".{uuid4().hex}")
    try:
        path().parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump([asdict(game) for game in games], file, indent=1)
        new.replace(path())
    except OSError:
        with suppress(OSError):
            new.unlink()
        return False
    return True
