"""Storage of the archive's files: a directory, or anything that fsspec has a URL for."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import filter as matching
from pathlib import Path
from typing import Any, Final, Protocol

from events.errors import ArchiveUnavailable

NO_ROOM: Final = {errno.ENOSPC, errno.EDQUOT}


class Storage(Protocol):
    """Files by their relative names, as `2026/11/21/p042-....gz`.

    A missing file is a FileNotFoundError; every other failure is ArchiveUnavailable.
    """

    def names(self, pattern: str = "*", day: str | None = None) -> list[str]:
        """The names of the files in days' directories whose last part fits the pattern, sorted.

        `day`: only those of this day, as 2026/11/21.
        """

    def read(self, name: str) -> bytes:
        """The whole content of the file."""

    def read_range(self, name: str, start: int, length: int) -> bytes:
        """Some bytes of it; `start` below 0 counts from its end."""

    def stage(self, name: str, content: bytes) -> None:
        """Write a file, and bring it to the disk."""

    def publish(self, staged: str, name: str) -> None:
        """Give a staged file its name, in one step and for good; in the place of a file of that name."""

    def remove(self, name: str) -> None:
        """Remove the file; nothing happens if it is gone already."""


class Directory:
    """A directory on this machine; files and the directories they are in are fsynced."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def names(self, pattern: str = "*", day: str | None = None) -> list[str]:
        with _as_unavailable():
            if day is not None:
                return sorted(self._below(f"{day}/", pattern, levels=0))
            return sorted(self._below("", pattern, levels=3))

    def read(self, name: str) -> bytes:
        with _as_unavailable():
            return (self._root / name).read_bytes()

    def read_range(self, name: str, start: int, length: int) -> bytes:
        with _as_unavailable(), (self._root / name).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(start if start >= 0 else max(0, size + start))
            return file.read(length)

    def stage(self, name: str, content: bytes) -> None:
        path = self._root / name
        with _as_unavailable():
            self._make(path.parent)
            with open(path, "wb", opener=_private) as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())

    def publish(self, staged: str, name: str) -> None:
        with _as_unavailable():
            (self._root / staged).replace(self._root / name)
            _sync((self._root / name).parent)

    def remove(self, name: str) -> None:
        with _as_unavailable():
            (self._root / name).unlink(missing_ok=True)
            _sync((self._root / name).parent)

    def _below(self, directory: str, pattern: str, levels: int) -> Iterator[str]:
        """The names that fit, so many levels of years, months and days down; none where there is no such directory."""
        try:
            with os.scandir(self._root / directory) as entries:
                inside = [entry.name for entry in entries]
        except (FileNotFoundError, NotADirectoryError):
            return
        if levels == 0:
            yield from (directory + name for name in matching(inside, pattern))
            return
        for name in matching(inside, "[0-9]*"):
            yield from self._below(f"{directory}{name}/", pattern, levels - 1)

    def _make(self, directory: Path) -> None:
        """The directory and those above it, each of them entered for good in the one above."""
        if directory.is_dir():
            return
        self._make(directory.parent)
        directory.mkdir(mode=0o700, exist_ok=True)
        _sync(directory.parent)


class Remote:
    """A place that fsspec reaches; how durable it is, is its own affair, which reading back checks."""

    def __init__(self, filesystem: Any, root: str) -> None:
        self._files = filesystem
        self._root = root.rstrip("/")

    def names(self, pattern: str = "*", day: str | None = None) -> list[str]:
        with _as_unavailable():
            self._files.invalidate_cache()
            found = self._files.glob(f"{self._root}/{day or '[0-9]*/[0-9]*/[0-9]*'}/{pattern}")
            return sorted("/".join(str(path).rsplit("/", 4)[1:]) for path in found)

    def read(self, name: str) -> bytes:
        with _as_unavailable():
            return bytes(self._files.cat_file(self._path(name)))

    def read_range(self, name: str, start: int, length: int) -> bytes:
        with _as_unavailable():
            first = start if start >= 0 else max(0, self._files.size(self._path(name)) + start)
            return bytes(self._files.cat_file(self._path(name), start=first, end=first + length))

    def stage(self, name: str, content: bytes) -> None:
        with _as_unavailable():
            self._files.makedirs(self._path(name).rpartition("/")[0], exist_ok=True)
            self._files.pipe_file(self._path(name), content)

    def publish(self, staged: str, name: str) -> None:
        """Give the file its name; a storage that cannot rename copies it, and reads it back before it counts."""
        with _as_unavailable():
            self._files.mv(self._path(staged), self._path(name))

    def remove(self, name: str) -> None:
        with _as_unavailable():
            try:
                self._files.rm_file(self._path(name))
            except FileNotFoundError:
                return

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"


def storage_of(where: str) -> Storage:
    """The place that a setting names: a directory, or a URL of fsspec; ValueError says why it will not do."""
    if "://" not in where:
        return Directory(Path(where).absolute())
    from fsspec.core import url_to_fs

    try:
        filesystem, root = url_to_fs(where)
    except ImportError as error:
        raise ValueError(f"its kind of address needs a package that is not installed: {error}") from error
    local = filesystem.protocol if isinstance(filesystem.protocol, tuple) else (filesystem.protocol,)
    return Directory(Path(root)) if "file" in local else Remote(filesystem, root)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)  # it holds private lines


def _sync(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _as_unavailable() -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        where = "the archive, whose disk is full" if error.errno in NO_ROOM else "the archive"
        raise ArchiveUnavailable(f"{where}: {error}") from error
