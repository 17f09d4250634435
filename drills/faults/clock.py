"""A wall clock that jumps: of the engine's processes alone, by a library that is preloaded into them.

Nothing of the engine knows of it. The library is built from `clock.c`; where there is no C compiler, the clock stays.
"""

import os
import random
import shutil
import struct
import subprocess
import sys
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final

from drills.faults.fault import Fault, Scene, Struck

SOURCE: Final = Path(__file__).with_name("clock.c")
JUMP: Final = (60, 7200)  # seconds
FORWARD, BACK = 1, -1


def movable_clock(directory: Path) -> tuple[Path, Mapping[str, str]] | None:
    """The file that moves the clock of whatever runs in the returned environment; None where that cannot be."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None or sys.platform != "linux":
        return None
    library, clock = directory / "clock.so", directory / "clock"
    build = [compiler, "-shared", "-fPIC", "-O2", "-o", str(library), str(SOURCE), "-ldl"]
    if subprocess.run(build, capture_output=True, check=False).returncode:
        return None
    _set(clock, 0)
    return clock, {"LD_PRELOAD": str(library), "DRILL_CLOCK": str(clock)}


def _set(clock: Path, seconds: int) -> None:
    """Write the time in place: every process has the file mapped."""
    descriptor = os.open(clock, os.O_WRONLY | os.O_CREAT, 0o600)
    os.pwrite(descriptor, struct.pack("q", seconds), 0)
    os.close(descriptor)


def _jump(direction: int, scene: Scene, rng: random.Random) -> Struck:
    """The clock jumps, the engine plays on by it for a while, and somebody sets it right again.

    Nothing is broken in between: from the first jump on games have to go on.
    """
    assert scene.clock is not None
    seconds = direction * rng.randint(*JUMP)
    _set(scene.clock, seconds)
    jumped = scene.history.now()
    time.sleep(scene.hold / 2)
    _set(scene.clock, 0)
    return Struck(f"by {seconds} s, and right again", jumped)


def _needs_a_compiler(scene: Scene) -> str | None:
    return None if scene.clock is not None else "there is no C compiler to build what moves the clock"


FAULTS: Final = (
    Fault("clock forward", partial(_jump, FORWARD), missing=_needs_a_compiler),
    Fault("clock back", partial(_jump, BACK), missing=_needs_a_compiler),
)
