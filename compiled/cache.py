"""Builds that outlive an environment: a second clone, and an environment that is made anew, compile nothing.

They lie in `migrato/builds` of the user's cache directory (XDG_CACHE_HOME), each with the hashes of its files.
"""

import fcntl
import hashlib
import json
import os
import platform
import shutil
import stat
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Self

HASHES: Final = "hashes.json"  # of the files of a build, by their paths
MOST_BYTES: Final = 200 * 1024 * 1024  # of all builds together: some twenty
SCHEME: Final = 1  # changes with the form of the cache


class Cache:
    """Directory of builds, which only its owner may write to; without one nothing is kept."""

    def __init__(self, directory: Path | None) -> None:
        """`directory` is made if need be, and not used if it is another user's or open to others."""
        self._directory = directory
        try:
            if directory is not None:
                directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            if directory is None or not _is_own(directory):
                self._directory = None
        except OSError:
            self._directory = None

    @classmethod
    def of_user(cls) -> Self:
        """The cache of the user who runs this."""
        with suppress(RuntimeError):  # there is no home
            home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
            return cls(Path(home, "migrato", "builds"))
        return cls(None)

    @contextmanager
    def locked(self, name: str) -> Iterator[None]:
        """Have the build of that name alone; a second process waits here for the first one's. There are 256 locks."""
        if self._directory is None:
            yield
            return
        try:
            descriptor = os.open(
                self._directory / f".{name[:2]}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
            )
        except OSError:  # no room, for example
            yield
            return
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                sys.stderr.write("Another process is compiling: waiting for it ...\n")
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def take(self, target: Path) -> bool:
        """Copy the build of that name to `target`; False if there is none, or it is not as it was kept."""
        if target.is_dir():  # made while this process waited
            return True
        entry = self._entry(target)
        if entry is None or not entry.is_dir():
            return False
        try:
            target.parent.mkdir(exist_ok=True)
            with tempfile.TemporaryDirectory(dir=target.parent, prefix=".taking-") as directory:
                copy = _copy(entry, Path(directory) / "build")
                if not _is_own(entry) or _list(copy) != _hashes(copy):
                    shutil.rmtree(entry, ignore_errors=True)
                    return False
                (copy / HASHES).unlink()
                copy.chmod(0o755)  # in the environment it is for all who may run it
                copy.rename(target)
            os.utime(entry)
        except OSError:
            return target.is_dir()
        return True

    def keep(self, build: Path) -> None:
        """Put a copy of a build into the cache, and remove the oldest ones beyond its size; failing is no harm."""
        entry = self._entry(build)
        if entry is None or self._directory is None:
            return
        with (
            suppress(OSError),
            tempfile.TemporaryDirectory(dir=self._directory, prefix=".keeping-") as directory,
        ):
            copy = _copy(build, Path(directory) / "build")
            copy.chmod(0o700)
            (copy / HASHES).write_text(json.dumps(_hashes(copy)))
            copy.rename(entry)
        with suppress(OSError):
            self._shrink()

    def _entry(self, build: Path) -> Path | None:
        """Place of a build in here; what it needs of the machine and of mypyc is in its name."""
        if self._directory is None:
            return None
        needs = (
            SCHEME,
            sysconfig.get_config_var("EXT_SUFFIX"),
            sys.version,
            *platform.libc_ver(),
            version("mypy") if find_spec("mypy") else None,
        )
        return self._directory / f"{build.name}-{hashlib.sha256(repr(needs).encode()).hexdigest()[:8]}"

    def _shrink(self) -> None:
        assert self._directory is not None
        left = MOST_BYTES
        for unfinished in self._directory.glob(".keeping-*"):  # by a process that was killed
            if unfinished.stat().st_mtime < time.time() - 86_400:
                shutil.rmtree(unfinished, ignore_errors=True)
        for entry in sorted(
            self._directory.glob("[!.]*"), key=lambda path: path.stat().st_mtime, reverse=True
        ):
            files = [path.stat() for path in entry.rglob("*") if path.is_file()]
            left -= sum({file.st_ino: file.st_size for file in files}.values())
            if left < 0:
                shutil.rmtree(entry, ignore_errors=True)


def _copy(build: Path, target: Path) -> Path:
    """Copy a build; a file that lies there under many names does so in the copy."""
    copies: dict[int, str] = {}

    def copy(source: str, name: str) -> str:
        first = copies.setdefault(Path(source).stat().st_ino, name)
        if first is name:
            shutil.copy2(source, name)
        else:
            os.link(first, name)
        return name

    return shutil.copytree(build, target, copy_function=copy)


def _is_own(directory: Path) -> bool:
    """True if it is a directory of this user's that nobody else may write to."""
    found = directory.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o022


def _list(build: Path) -> object:
    """The hashes that were kept with a build; None if they cannot be read."""
    try:
        return json.loads((build / HASHES).read_text())
    except (OSError, ValueError):
        return None


def _hashes(build: Path) -> dict[str, str]:
    """SHA-256 of each file of a build, by its path."""
    return {
        str(path.relative_to(build)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(build.rglob("*"))
        if path.is_file() and path.name != HASHES
    }
