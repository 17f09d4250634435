"""The ground on which a drill's engine stands: a directory of its own, on a small disk of its own where that can be."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

ALONE: Final = "DRILL_ALONE"  # set where mounts are seen by nobody else


class Ground(NamedTuple):
    """Directories of a drill: the engine's data, perhaps on a disk of their own, and what is the drill's."""

    data: Path
    is_disk: bool
    scratch: Path


def go_alone(arguments: Sequence[str]) -> None:
    """Start this command again where it may mount what nobody else sees; return where that is so, or cannot be.

    That needs root, or a kernel that lets anybody have a user namespace. Mounts go when the last process goes.
    """
    unshare = shutil.which("unshare")
    if ALONE in os.environ or unshare is None or sys.platform != "linux":
        return
    how = [unshare, "--mount"] if os.geteuid() == 0 else [unshare, "--mount", "--map-root-user"]
    if subprocess.run([*how, "true"], capture_output=True, check=False).returncode == 0:
        command = [*how, sys.executable, "-m", "drills", *arguments]
        os.execve(unshare, command, {**os.environ, ALONE: "1"})


@contextmanager
def ground(mebibytes: int) -> Iterator[Ground]:
    """Make it; nothing of it is left when the block ends."""
    scratch = Path(tempfile.mkdtemp(prefix="migrato-drill-"))
    disk = scratch / "disk"
    disk.mkdir()
    is_disk = ALONE in os.environ and _mounted(disk, mebibytes)
    try:
        yield Ground(disk / "data", is_disk, scratch)
    finally:
        if is_disk:
            subprocess.run(["umount", "--lazy", str(disk)], capture_output=True, check=False)
        shutil.rmtree(scratch, ignore_errors=True)


def _mounted(disk: Path, mebibytes: int) -> bool:
    """True if a disk in memory, of that size, is there now."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m,mode=700", "tmpfs", str(disk)]
    try:
        return subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:
        return False
