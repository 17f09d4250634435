"""The locks on a data directory: two event stores on the same files would destroy them."""

import os
from contextlib import suppress
from pathlib import Path

from events.runtime.file_lock import FileLock
from service.cli.exits import Refusal

LEFTOVERS_SECONDS = 15.0  # how long the processes of a killed `migrato serve` may take to end


class InUse(Refusal):
    """Somebody else uses the data directory."""


class DataDirLock:
    """Two locks on files: `owner` is this process's alone, `lock` is inherited by every child (`fileno`).

    So a held `owner` means that another `migrato serve` lives; a held `lock` without it, that one was killed and its
    event store still writes its last bytes: wait for it.
    """

    def __init__(self, data_dir: Path, patience: float = LEFTOVERS_SECONDS) -> None:
        """Take both, or Refusal; waits up to `patience` seconds for the leftovers of a killed owner."""
        try:
            data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._owner = FileLock(data_dir / "owner")
            self._family = FileLock(data_dir / "lock")
        except OSError as error:
            raise Refusal(f"The data directory {data_dir} cannot be used: {error.strerror}.") from error
        try:
            self._take(data_dir, patience)
        except BaseException:
            self.release()
            raise

    def _take(self, data_dir: Path, patience: float) -> None:
        remedy = "Stop it, or give this one its own with --data-dir (or MIGRATO_DATA_DIR)."
        if not self._owner.acquire():
            owner = self._named_owner()
            raise InUse(
                f"The data directory {data_dir} is in use by `migrato serve` process {owner}. {remedy}"
            )
        with suppress(OSError):  # there may be no room for the name, without which all goes on
            self._name_owner()
        if not self._family.acquire(patience):
            raise InUse(f"Processes of an earlier run still use the data directory {data_dir}. {remedy}")

    def fileno(self) -> int:
        """The descriptor to hand on to children."""
        return self._family.fileno()

    def release(self) -> None:
        """Give this process's locks back."""
        self._family.release()
        self._owner.release()

    def _named_owner(self) -> str:
        return os.pread(self._owner.fileno(), 32, 0).decode(errors="replace").strip() or "unknown"

    def _name_owner(self) -> None:
        os.ftruncate(self._owner.fileno(), 0)
        os.pwrite(self._owner.fileno(), f"{os.getpid()}\n".encode(), 0)
