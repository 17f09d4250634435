"""The code on a move's way as machine code: an optional build of the same source, made by `python -m compiled`.

A build lies in the environment, in a directory named by the fingerprint of the sources that it was made from: it can
never stand in for sources that have changed since. Without one the plain sources are used, which say and do the same.
"""

import hashlib
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
BUILDS: Final = Path(sys.prefix) / "compiled"
SWITCH: Final = "MIGRATO_COMPILED"  # "0": the plain sources, even if there is a build
PACKAGES: Final = ("domain", "events")  # a build has all of their modules, of which some are compiled
SERVICE: Final = "service"  # a build has only its compiled modules: the others may be imported already


def sources(root: Path) -> list[Path]:
    """The modules of all these packages, in order."""
    return [Path(path) for path in _paths(root)]


def _paths(root: Path) -> list[str]:
    """The paths of the same modules as text; every process makes a fingerprint of them as it starts."""
    return sorted(
        f"{folder}/{file}"
        for package in (*PACKAGES, SERVICE)
        for folder, _, files in os.walk(root / package)
        for file in files
        if file.endswith(".py")
    )


def place(root: Path = ROOT) -> Path:
    """Directory of the build of the sources as they are now, with its list of compiled modules, there or not."""
    fingerprint = hashlib.sha256(str(sys.implementation.cache_tag).encode())
    for made_by in ("libraries.py", "setup.py", "shim.c"):
        fingerprint.update(Path(__file__).with_name(made_by).read_bytes())
    for path in _paths(root):
        fingerprint.update(f"\0{path.removeprefix(f'{root}/')}\0".encode())
        with open(path, "rb", buffering=0) as source:  # noqa: PTH123 (half of the time that Path takes)
            fingerprint.update(source.read())
    return BUILDS / fingerprint.hexdigest()[:16]


def prefer() -> None:
    """Let imports of the packages give the compiled build in this process, if there is one; to be called before any."""
    build = place()
    if os.environ.get(SWITCH) != "0" and "domain" not in sys.modules and build.is_dir():
        sys.path.insert(0, str(build))
        for package in PACKAGES:
            import_module(package)  # now, before anything else is put in front of the path
        sys.meta_path.insert(0, CompiledModules(build))


class CompiledModules(MetaPathFinder):
    """Finds the compiled modules of packages that are imported from their sources."""

    def __init__(self, build: Path) -> None:
        self._build = build

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Place of the compiled module; None if the build has none of that name."""
        if not fullname.startswith(f"{SERVICE}."):
            return None
        place = self._build.joinpath(*fullname.split(".")).with_suffix(EXTENSION_SUFFIXES[0])
        return spec_from_file_location(fullname, place) if place.is_file() else None


def in_use() -> str:
    """The domain that this process runs: "compiled" or "plain"."""
    path = str(import_module("domain.prng").__file__)
    return "plain" if path.endswith(".py") else "compiled"
