"""The locks on a data directory: two event stores on the same files would destroy them."""

import fcntl
import os
import time
from pathlib import Path

from service.cli.exits import Refusal

LEFTOVERS_SECONDS = 15.0  # how long the processes of a killed `migrato serve` may take to end


class DataDirLock:
    """Two exclusive flocks: `owner` is this process's alone, `lock` is inherited by every child (`fileno`).

    A flock lasts until its last holder is gone. So a held `owner` means that another `migrato serve` lives; a
    held `lock` without it, that one was killed and its event store still writes its last bytes: wait for it.
    """

    def __init__(self, data_dir: Path, patience: float = LEFTOVERS_SECONDS) -> None:
        """Take both, or Refusal; waits up to `patience` seconds for the leftovers of a killed owner."""
        try:
            data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._owner = _opened(data_dir / "owner")
            self._family = _opened(data_dir / "lock")
        except OSError as error:
            raise Refusal(f"The data directory {data_dir} cannot be used: {error.strerror}.") from error
        remedy = "Stop it, or give this one its own with --data-dir (or MIGRATO_DATA_DIR)."
        if not _locked(self._owner):
            other = os.pread(self._owner, 32, 0).decode(errors="replace").strip() or "unknown"
            raise Refusal(
                f"The data directory {data_dir} is in use by `migrato serve` process {other}. {remedy}"
            )
        os.ftruncate(self._owner, 0)
        os.pwrite(self._owner, f"{os.getpid()}\n".encode(), 0)
        deadline = time.monotonic() + patience
        while not _locked(self._family):
            if time.monotonic() > deadline:
                raise Refusal(
                    f"Processes of an earlier run still use the data directory {data_dir}. {remedy}"
                )
            time.sleep(0.05)

    def fileno(self) -> int:
        """The descriptor to hand on to children."""
        return self._family

    def release(self) -> None:
        """Give this process's holds back."""
        os.close(self._family)
        os.close(self._owner)


def _opened(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


def _locked(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
