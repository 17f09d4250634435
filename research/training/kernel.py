"""The C++ kernel of the trainers: how it is compiled, and the numbers that it and Python exchange."""

import ctypes
import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

SOURCES: Final = Path(__file__).with_name("kernel")
BUILDS: Final = Path(tempfile.gettempdir()) / f"migrato-kernel-{os.getuid()}"
WIDTH: Final = 64  # of a net's first layer
NO_LIMIT: Final = 1_000_000
Numbers = tuple[int, ...]


def compiled_kernel(source: str, *, library: bool = False, width: int = WIDTH) -> Path:
    """A program (or library) of the kernel, compiled for this machine and nets whose first layer is so wide; made once
    for the same sources.
    """
    sources = sorted(SOURCES.rglob("*.?pp"))
    fingerprint = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    target = BUILDS / fingerprint / f"{Path(source).with_suffix('')}-{width}"
    if not target.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        kind = ["-O1", "-shared", "-fPIC"] if library else ["-O3", "-march=native", "-ffast-math"]
        partial = target.with_suffix(f".{os.getpid()}")
        command = [
            "g++",
            "-std=c++17",
            "-pthread",
            "-Wall",
            "-Wno-array-bounds",
            f"-DH1={width}",
            *kind,
            "-o",
            str(partial),
        ]
        subprocess.run([*command, str(SOURCES / source)], check=True, stdout=sys.stderr)  # noqa: S603 (a command of ours)
        partial.rename(target)
    return target


def by_input(told: ctypes.Array[ctypes.c_int], count: int) -> Mapping[int, int]:
    """The first `count` pairs of an input and a value, summed by input."""
    values: dict[int, int] = {}
    for at in range(count):
        values[told[2 * at]] = values.get(told[2 * at], 0) + told[2 * at + 1]
    return values


def array(numbers: Sequence[int]) -> ctypes.Array[ctypes.c_int]:
    """The numbers as the kernel takes them."""
    return (ctypes.c_int * len(numbers))(*numbers)
