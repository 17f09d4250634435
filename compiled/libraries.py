"""The modules that are compiled, and the files of machine code that they become: five, whatever the modules.

A module says so in its first line, `# compiled into rules`, and names the library that it becomes a part of:

* the rules and bots of a game; a second library of them is compiled at the same time as the first;
* `recording`: the modules between the rules and the store, and those that an audit spends its time in;
* `serving`: the modules that every request of a player passes through beside those.

A module that only the service uses, a few times a request, is better left plain: compiling takes long.
"""

import compileall
import os
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Final

MARKER: Final = "# compiled into "
PACKAGES: Final = ("domain", "events", "service")
LIBRARY: Final = "library_"
SHIM: Final = "shim"  # lies under the name of each module in a build
SUFFIX: Final = EXTENSION_SUFFIXES[0]


def libraries(root: Path) -> dict[str, list[str]]:
    """The modules of each library: their paths in `root`, in order."""
    found: dict[str, list[str]] = {}
    for path in sorted(path for package in PACKAGES for path in (root / package).rglob("*.py")):
        with path.open(encoding="utf-8") as source:
            first = source.readline().rstrip()
        if first.startswith(MARKER):
            found.setdefault(first.removeprefix(MARKER), []).append(str(path.relative_to(root)))
    return found


def name_of(module: str) -> str:
    """Name of a module, from its path."""
    return module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def file_of(library: str) -> str:
    """Name of the file of a library."""
    return f"{LIBRARY}{library}__mypyc{SUFFIX}"


def files(root: Path) -> list[str]:
    """Names of the files of machine code of the sources in `root`."""
    return [f"{SHIM}{SUFFIX}", *map(file_of, sorted(libraries(root)))]


def assemble(work: Path, target: Path) -> None:
    """Make a build of a copy of the sources in `work` and the files of machine code beside it, to run at `target`."""
    modules = [module for library in libraries(work).values() for module in library]
    for module in modules:
        (work / module).with_suffix(SUFFIX).hardlink_to(work / f"{SHIM}{SUFFIX}")
    (work / f"{SHIM}{SUFFIX}").unlink()
    for path in {*(work / module for module in modules), *(work / "service").rglob("*.py")}:
        path.unlink()
    compileall.compile_dir(work, quiet=2, stripdir=os.fspath(work), prependdir=target)  # what stays plain
    work.chmod(0o755)


def taken_apart(build: Path, root: Path) -> dict[str, Path]:
    """The files of machine code in a build of the sources in `root`, by name; the build may be another Python's."""
    found = libraries(root)
    (shim,) = build.glob(next(iter(found.values()))[0].removesuffix(".py") + ".*.so")
    suffix = "".join(shim.suffixes)
    names = [f"{LIBRARY}{library}__mypyc{suffix}" for library in found]
    return {f"{SHIM}{suffix}": shim} | {name: build / name for name in names}
