"""State of a run over many games in a file: an interrupted run goes on where it stopped.

Each game is recognised by the SHA-256 of its export, which is read and hashed again: a file's name, size and time are
not trusted. Somebody who can write the state can change the report, so only its owner can read the file.
"""

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, Generic, NamedTuple, TypeVar

import click
import orjson

import compiled
from domain.lifecycle import Json
from events.log.export import Exported, Unreadable
from service.cli.exits import Refusal, writing
from service.cli.game_files import Read

T = TypeVar("T")

_FORMAT: Final = "migrato-run/1"

state_option = click.option(
    "--state",
    "state_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Keep the results in the file, and go on from them: files are read again, but no game is checked twice.",
)


def digest_of(exported: Exported) -> str:
    """The SHA-256 of the game's export, in hex."""
    hashed = hashlib.sha256()
    for line in (exported.header, *exported.events, exported.end):
        hashed.update(line)
        hashed.update(b"\n")
    return hashed.hexdigest()


class RunState:
    """Results of games by their digests, each written as soon as it is there."""

    def __init__(
        self, stream: BinaryIO | None = None, known: dict[str, Any] | None = None, path: Path | None = None
    ) -> None:
        """Without a `stream` nothing is kept."""
        self._path = path
        self._stream = stream
        self._known = {} if known is None else known

    @property
    def is_kept(self) -> bool:
        """True if results are kept in a file."""
        return self._stream is not None

    def known(self, digest: str, read: Callable[[Any], T]) -> T | None:
        """The result of that game as `read` makes it, None if it is not known; Refusal for what is no result."""
        result = self._known.get(digest)
        try:
            return None if result is None else read(result)
        except (LookupError, TypeError, ValueError, AttributeError):
            raise Refusal(f"--state: {self._path} has no result of the game {digest}: remove it.") from None

    def add(self, digest: str, result: Any) -> None:
        """Keep a result; a process that dies loses no more than the line that it was writing."""
        if self._stream is not None and digest not in self._known:
            self._known[digest] = result
            self._stream.write(orjson.dumps({"game": digest, "result": result}) + b"\n")
            self._stream.flush()


class Task(NamedTuple, Generic[T]):
    """A game of a run: its digest, if a state is kept, and its result if a former run has found it."""

    read: Read
    digest: str | None = None
    known: T | None = None

    @property
    def left(self) -> Exported | Unreadable | None:
        """The game, as far as there is something to do; None if the result is known."""
        return None if self.known else self.read.game


def tasks_of(games: Iterator[Read], state: RunState, read: Callable[[Any], T]) -> Iterator[Task[T]]:
    """The games as tasks; `read` makes a result of what the state has. Raises Refusal as `RunState.known` does."""
    for one in games:
        if not state.is_kept or isinstance(one.game, Unreadable):
            yield Task(one)
        else:
            digest = digest_of(one.game)
            yield Task(one, digest, state.known(digest, read))


@contextmanager
def run_state(path: Path | None, command: str, options: Json) -> Iterator[RunState]:
    """The state in the file, from which the run goes on; an empty one without a path.

    Refusal if the file is of another run: another command, other options, another release. Or if it is in use.
    """
    if path is None:
        yield RunState()
        return
    run = {"format": _FORMAT, "command": command, "options": options, "program": compiled.place().name}
    try:
        stream = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+b")
    except OSError as error:
        raise Refusal(f"--state: {path} cannot be used: {error.strerror}.") from error
    with stream, writing(path):
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Refusal(f"--state: another run is using {path}.") from None
        known, end = _read(path, stream, run)
        stream.seek(end)
        stream.truncate()
        if not end:
            stream.write(orjson.dumps({"run": run}) + b"\n")
            stream.flush()
        yield RunState(stream, known, path)


def _read(path: Path, stream: BinaryIO, run: Json) -> tuple[dict[str, Any], int]:
    """The results in the file, and the place after the last whole line: a torn one is written again."""
    known, end = dict[str, Any](), 0
    for number, line in enumerate(stream):
        if not line.endswith(b"\n"):
            break
        try:
            document = orjson.loads(line)
            if number == 0:
                _check_run(path, document["run"], run)
            else:
                known[document["game"]] = document["result"]
        except (ValueError, LookupError, TypeError):
            raise Refusal(f"--state: {path} is no state of a run, in line {number + 1}.") from None
        end += len(line)
    if not end and stream.seek(0, os.SEEK_END):
        raise Refusal(f"--state: {path} is no state of a run, in line 1.")
    return known, end


def _check_run(path: Path, found: Json, run: Json) -> None:
    if found != run:
        different = sorted(name for name, value in run.items() if dict(found).get(name) != value)
        what = "another release" if different == ["program"] else f"another run ({', '.join(different)})"
        raise Refusal(f"--state: {path} is of {what}: name another file, or remove it.")
