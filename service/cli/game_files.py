"""Games of files, and of what is in directories: read one after the other, each with its place, in bounded memory."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import Any, NamedTuple

from events.log.export import Exported, Unreadable
from service.cli.archive_files import is_staged
from service.cli.exits import Refusal
from service.cli.export_files import exports_in


class Read(NamedTuple):
    """A game, or why none could be read. `file`: the file's place in the list; `at`: how far it is read now."""

    file: int
    game: Exported | Unreadable
    at: int


def listed(given: tuple[Path, ...]) -> list[Path]:
    """The files, and those of directories and what is in these, by their names. Refusal where none can be listed.

    Hidden ones are left out, and what an archiver had not ended when it died.
    """
    files = list[Path]()
    for path in given:
        if not path.is_dir():
            files.append(path)
            continue
        try:
            inside = sorted(_inside(path))
        except OSError as error:
            raise Refusal(f"{path} cannot be read: {error.strerror}.") from error
        if not inside:
            raise Refusal(f"{path} is a directory without files.")
        files += inside
    return files


def _inside(directory: Path) -> Iterator[Path]:
    waiting = [directory]
    while waiting:
        for one in waiting.pop().iterdir():
            if one.name.startswith(".") or is_staged(one):
                continue
            if one.is_dir() and not one.is_symlink():
                waiting.append(one)
            elif one.is_file():
                yield one


def games_of(files: list[Path], largest: int, ended: set[int]) -> Iterator[Read]:
    """The games of all files, of at most `largest` bytes; those of files that have `ended` by now are passed over."""
    for number, file in enumerate(files):
        try:
            with opened(file) as stream:
                for exported in exports_in(stream, largest, str(file)):
                    yield Read(number, exported, stream.tell() if stream.seekable() else 0)
                    if number in ended:
                        break
        except Unreadable as reason:
            yield Read(number, reason, 0)
        except OSError as error:
            why = error.strerror or str(error)
            yield Read(number, Unreadable("cannot-be-read", f"The file cannot be read: {why}."), 0)


@contextmanager
def opened(file: Path) -> Iterator[BufferedReader]:
    """The file, or stdin for `-`."""
    if str(file) == "-":
        stdin: Any = sys.stdin.buffer
        yield stdin if isinstance(stdin, BufferedReader) else BufferedReader(stdin)
    else:
        with file.open("rb") as stream:
            yield stream


def name_of(file: Path) -> str:
    """The name of the file in reports."""
    return "stdin" if str(file) == "-" else str(file)
