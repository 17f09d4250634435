"""Locks on files: one holder at a time, among the processes of a machine.

They are flocks, because flocks end with their last holder, in any death, and because a child that inherits the
descriptor is a holder, too: an embedded server holds its directory even if the process that started it was killed. (The
library `filelock` empties the file, closes its descriptor to children, and does not hand it out.)
"""

import fcntl
import os
import time
from pathlib import Path
from typing import Final, Self

MODE: Final = 0o600
POLL: Final = 0.01  # seconds between two tries


class FileLock:
    """An exclusive lock. It is held until `release`, or the end of this process and of all who inherited it."""

    def __init__(self, path: Path) -> None:
        """Open the file, make it if need be, and lock nothing yet. Raises OSError."""
        self._path = path
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, MODE)

    def fileno(self) -> int:
        """The lock's descriptor, to hand on to children, or to write the holder's name into the file."""
        return self._descriptor

    def acquire(self, patience: float = 0.0) -> bool:
        """True if the lock is held now; another holder is waited for `patience` seconds at most.

        Raises OSError, which names the file, where it cannot be locked, as on some network file systems.
        """
        deadline = time.monotonic() + patience
        while not self._try():
            if time.monotonic() >= deadline:
                return False
            time.sleep(POLL)
        return True

    def release(self) -> None:
        """Close the file: the lock is free, unless a child holds it still."""
        os.close(self._descriptor)

    def __enter__(self) -> Self:
        """Wait for the lock, for as long as it takes."""
        fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    def _try(self) -> bool:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            error.filename = str(self._path)
            raise
        return True


def is_held(path: Path) -> bool:
    """True if a process holds the lock now. Raises FileNotFoundError if there is no such file; OSError."""
    descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.flock(
            descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB
        )  # shared: two who look are no holders to each other
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
