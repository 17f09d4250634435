"""Directories for a while: the process that makes one removes it, or else the next process that makes one there.

A process that is killed cannot tidy up. Each process holds a lock on its directory, which ends with the process.
"""

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

NONE: Final = -1  # no descriptor
ATTEMPTS: Final = 10


class Scratch:
    """A private directory until `close`; directories of the same prefix that dead processes have left beside it are
    removed.
    """

    def __init__(self, prefix: str, where: Path | str | None = None) -> None:
        """Make the directory in `where`, or else among the temporary files. Raises OSError."""
        parent = Path(where or tempfile.gettempdir())
        _sweep(prefix, parent)
        self._lock = NONE
        for _ in range(ATTEMPTS):  # another one may sweep it before it is locked
            self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
            self._lock = _locked(self.path)
            if self._lock != NONE:
                return
        # The disk knows no locks, so nobody sweeps there either.

    def close(self) -> None:
        """Remove the directory, with all that is in it; nothing happens if it is gone."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock != NONE:
            os.close(self._lock)
            self._lock = NONE

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.close()


def _sweep(prefix: str, parent: Path) -> None:
    with suppress(OSError):
        for path in sorted(parent.glob(f"{prefix}*")):
            lock = _locked(path)
            if lock != NONE:
                shutil.rmtree(path, ignore_errors=True)
                os.close(lock)


def _locked(path: Path) -> int:
    """The descriptor that holds the lock on a directory of our own; NONE if another one has it, or it is not ours."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return NONE
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        found = os.fstat(descriptor)
        if found.st_uid == os.geteuid() and os.path.samestat(found, path.lstat()):
            return descriptor
    except OSError:
        pass
    os.close(descriptor)
    return NONE
