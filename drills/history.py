"""The history of a drill: what every client asked and was told, and every fault, as lines of JSON.

A file for each game, `games/ID.jsonl`, and `drill.jsonl` for the rest. Each line has `at`, in seconds since the drill
began, and `is`:

    invoke  a client, `by`, sends its request number `n`: `do`, `seat`, `method`, `path`, `body`, `key`, `attempt`,
            and of a move that is not legal `version`, that of the game
    ok      it was answered: `status`, `answer`
    fail    it was refused, so nothing happened: `status`, `answer`
    info    nobody knows what happened: no answer came, or the engine says that it cannot tell; `why`
    frame   of a stream, which `invoke` has opened: `answer`, a state of the game
    end     of such a stream: the engine says that there is no more to come
    fault   of `drill.jsonl`: `name`, `detail`, `began`, `healed`, `ready`, `until`, `kills`, `loses`, `games`

Tokens and secrets of seats are not in it: of each only its hash is kept.
"""

import hashlib
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import orjson

Json = dict[str, Any]
DRILL: Final = "drill"
SECRETS: Final = ("token", "secret")


class History:
    """Writes the history, and knows how far every game has come."""

    def __init__(self, directory: Path) -> None:
        """`directory` is made; whatever is there already stays."""
        self.directory = directory
        (directory / "games").mkdir(parents=True, exist_ok=True)
        self._began = time.monotonic()
        self._lock = threading.Lock()
        self._versions: dict[str, int] = {}
        self._went_on: dict[str, float] = {}
        self._over: set[str] = set()

    def now(self) -> float:
        """Seconds since the drill began, by a clock that no fault moves."""
        return time.monotonic() - self._began

    def write(self, name: str, entry: Json) -> float:
        """One more line of the game of this id, or of DRILL; when that was."""
        at = round(self.now(), 6)
        line = orjson.dumps({"at": at, **entry}, option=orjson.OPT_APPEND_NEWLINE)
        with self._lock, _file(self.directory, name).open("ab") as file:
            file.write(line)
        return at

    def told(self, game_id: str, version: int) -> None:
        """Some client knows now that the game is at this version, or beyond."""
        with self._lock:
            if version > self._versions.get(game_id, 0):
                self._versions[game_id] = version
                self._went_on[game_id] = self.now()

    def cut(self, game_id: str, version: int) -> None:
        """The game is at this version again: the engine has lost what came after."""
        with self._lock:
            self._versions[game_id] = version

    def over(self, game_id: str) -> None:
        """Nothing more happens in the game."""
        with self._lock:
            self._over.add(game_id)

    def running(self) -> dict[str, int]:
        """The games that are not over, with the version that each has reached."""
        with self._lock:
            return {game: version for game, version in self._versions.items() if game not in self._over}

    def standing(self, since: float) -> list[str]:
        """The games that are not over and have not gone on since then; one that was cut has to go on from there."""
        with self._lock:
            return [game for game, at in self._went_on.items() if at < since and game not in self._over]


def read(directory: Path, name: str) -> list[Json]:
    """The lines of the game of this id, or of DRILL, in the order of writing."""
    file = _file(directory, name)
    return [orjson.loads(line) for line in file.read_bytes().splitlines()] if file.exists() else []


def games_in(directory: Path) -> Iterator[str]:
    """The ids of the games that a history is about."""
    return (file.stem for file in sorted((directory / "games").glob("*.jsonl")))


def export_of(directory: Path, game_id: str) -> Path:
    """Place of the game's export, taken at the end of the drill."""
    return directory / "exports" / f"{game_id}.ndjson"


def without_tokens(document: Any) -> Any:
    """The same document with a hash in the place of each token, and of each secret of a remote seat."""
    if isinstance(document, list):
        return [without_tokens(one) for one in document]
    if not isinstance(document, dict):
        return document
    return {
        name: hashlib.sha256(value.encode()).hexdigest()[:16] if name in SECRETS else without_tokens(value)
        for name, value in document.items()
    }


def _file(directory: Path, name: str) -> Path:
    return directory / f"{name}.jsonl" if name == DRILL else directory / "games" / f"{name}.jsonl"
