"""A full disk, and a file that lost its end."""

import errno
import os
import random
import time
from typing import Final

from drills.faults.fault import Fault, Scene, Struck, its_own_store

BLOCK: Final = 256 * 1024
LAST_BLOCK: Final = 512
CUT: Final = (1, 6000)  # bytes: from a part of one event to the moves of a second


def _fill(scene: Scene, rng: random.Random) -> Struck:
    """No byte is left on the engine's disk; after a while somebody makes room."""
    ballast = scene.engine.data_dir / "ballast"
    with ballast.open("wb") as file:
        deadline = time.monotonic() + scene.hold / 2
        while time.monotonic() < deadline:
            _write_until_full(file.fileno())
            time.sleep(0.05)  # what is freed meanwhile is taken as well
        size = file.tell()
    ballast.unlink()
    return Struck(f"{size / 2**20:.0f} MiB of ballast", scene.history.now())


def _write_until_full(descriptor: int) -> None:
    size = BLOCK
    while size >= LAST_BLOCK:
        try:
            os.write(descriptor, bytes(size))
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            size //= 2


def _needs_a_disk(scene: Scene) -> str | None:
    return its_own_store(scene) or (
        None if scene.disk else "no file system of a size of its own could be mounted for the engine"
    )


def _cut(scene: Scene, rng: random.Random) -> Struck:
    """The end of the append-only file is gone after a stop, as after a power cut on a disk that lies about fsync."""
    scene.engine.stop()
    file = scene.engine.append_only_file
    size = file.stat().st_size
    cut = min(size, rng.randint(*CUT))
    os.truncate(file, size - cut)
    healed = scene.history.now()
    scene.engine.start()
    return Struck(f"{cut} of {size} bytes", healed, ready=scene.history.now())


FAULTS: Final = (
    Fault("full disk", _fill, missing=_needs_a_disk),
    Fault("cut append-only file", _cut, loses=True, missing=its_own_store),
)
