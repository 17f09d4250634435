"""The C++ kernel of the trainers: how it is compiled, and the numbers that it and Python exchange."""

import ctypes
import hashlib
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

SOURCES: Final = Path(__file__).with_name("kernel")
BUILDS: Final = Path(sys.prefix) / "kernel"
NO_LIMIT: Final = 1_000_000
Numbers = tuple[int, ...]


def compiled_program(source: str, width: int) -> Path:
    """A trainer, compiled for this machine and nets whose first layer is so wide; made once for the same sources."""
    return _compiled(source, f"-{width}", f"-DH1={width}", "-O3", "-march=native", "-ffast-math")


def compiled_library(source: str) -> Path:
    """A library of the kernel; made once for the same sources."""
    return _compiled(source, ".so", "-O1", "-shared", "-fPIC")


def made_by() -> dict[str, str]:
    """The compiler and the processor, on which the bytes of a net depend besides the seed."""
    version = subprocess.run(["g++", "--version"], check=True, capture_output=True, text=True).stdout  # noqa: S607 (whichever compiles)
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").is_file() else []
    models = [line.partition(": ")[2] for line in lines if line.startswith("model name")]
    return {"compiler": version.splitlines()[0], "processor": models[0] if models else platform.processor()}


def _compiled(source: str, ending: str, *options: str) -> Path:
    flags = ("-std=c++17", "-pthread", "-Wall", "-Wno-array-bounds", *options)
    parts = [path.read_bytes() for path in sorted(SOURCES.rglob("*.?pp"))]
    fingerprint = hashlib.sha256(b"".join([*parts, *map(str.encode, flags)])).hexdigest()[:16]
    target = BUILDS / fingerprint / f"{Path(source).with_suffix('')}{ending}"
    if not target.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_suffix(f".{os.getpid()}")
        command = ("g++", *flags, "-o", str(partial), str(SOURCES / source))
        subprocess.run(command, check=True, stdout=sys.stderr)  # noqa: S603 (a command of ours)
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
