"""Builds that come as wheels: a machine without a compiler, or without the time, runs compiled code all the same.

A wheel holds the five files of machine code, and the plain modules come from the sources here. It is looked for in the
directories of `directories()`. Nothing that a wheel says of itself is believed: a wheel and its hash in SHA256SUMS must
belong to this user or to root, nobody else may write there, and it holds exactly the files that these sources need.
"""

import hashlib
import io
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from compiled import PACKAGES, ROOT, sources
from compiled.libraries import assemble, files, libraries, name_of

PLACE: Final = "MIGRATO_WHEELS"  # a directory of wheels
SUMS: Final = "SHA256SUMS"  # beside the wheels, as `sha256sum` writes it
NAME: Final = "migrato_compiled"
MOST_BYTES: Final = 64 * 1024 * 1024  # of a wheel, and of all that is in one: today's have 4 and 10
OTHERS_WRITE: Final = 0o022


class WheelRefused(Exception):
    """A wheel that is not used, with the reason."""


def directories() -> list[Path]:
    """Places of wheels: `MIGRATO_WHEELS`, and beside the lock files."""
    named = os.environ.get(PLACE)
    return [*([Path(named)] if named else []), ROOT / "requirements"]


def version(target: Path) -> str:
    """Version of the wheel of a build: its fingerprint."""
    return f"0+g{target.name}"


def take(target: Path) -> bool:
    """Put the build of that name at `target` from a wheel; False without one. Tells of one that is refused."""
    for wheel in _candidates(target):
        try:
            _install(_content(wheel, f"{NAME}-{version(target)}.dist-info/"), target)
        except (WheelRefused, OSError) as error:
            if target.is_dir():  # another process was faster
                return True
            sys.stderr.write(f"{wheel} is not used: {error}.\n")
        else:
            return True
    return False


def _candidates(target: Path) -> Iterator[Path]:
    """The wheels for this Python, machine and fingerprint, by their names."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tags = f"{python}-{python}{sys.abiflags}"
    for directory in directories():
        for path in sorted(directory.glob(f"{NAME}-{version(target)}-{tags}-*.whl")):
            if any(map(_runs_here, path.stem.rpartition("-")[2].split("."))):
                yield path


def _runs_here(tag: str) -> bool:
    """True if the C library is as new as a tag says, `manylinux_2_17_x86_64`, on its machine."""
    library, its_version = platform.libc_ver()
    found = re.fullmatch(r"manylinux_(\d+)_(\d+)_(\w+)", tag)
    if found is None or library != "glibc" or found[3] != platform.machine():
        return False
    return (int(found[1]), int(found[2])) <= tuple(map(int, its_version.split(".")[:2]))


def _content(wheel: Path, metadata: str) -> dict[str, bytes]:
    """The files of machine code in a wheel; `metadata` begins the names of what else it may hold."""
    data = _own(wheel)
    if (hashlib.sha256(data).hexdigest(), wheel.name) not in _sums(wheel.with_name(SUMS)):
        raise WheelRefused(f"{SUMS} beside it does not have its hash")
    wanted = {f"{NAME}/{name}": name for name in files(ROOT)}
    content, left = dict[str, bytes](), MOST_BYTES
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [
                member
                for member in archive.infolist()
                if not member.filename.startswith(metadata)
                and member.filename != f"{NAME}/"  # which auditwheel adds
            ]
            if sorted(member.filename for member in members) != sorted(wanted):
                raise WheelRefused("it has other files than these sources need")
            for member in members:
                if member.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
                    raise WheelRefused("it is compressed in another way than wheels are")
                with archive.open(member) as file:
                    read = file.read(left + 1)
                left -= len(read)
                if left < 0:
                    raise WheelRefused(f"its files are larger than {MOST_BYTES} bytes")
                content[wanted[member.filename]] = read
    except (zipfile.BadZipFile, zlib.error, RuntimeError, EOFError, ValueError) as error:
        raise WheelRefused(f"it is torn or no wheel ({error})") from None
    return content


def _own(path: Path) -> bytes:
    """Bytes of a regular file, not through a link, of this user's or root's in a directory of theirs."""
    trusted = {0, os.geteuid()}
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(descriptor, "rb") as file:
        for found in (os.fstat(descriptor), path.parent.stat()):
            if found.st_uid not in trusted or found.st_mode & OTHERS_WRITE:
                raise WheelRefused(
                    f"{path.name} is another user's, or others may write to it or to its directory"
                )
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise WheelRefused(f"{path.name} is not a regular file")
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise WheelRefused(f"{path.name} is larger than {MOST_BYTES} bytes")
    return data


def _sums(path: Path) -> set[tuple[str, str]]:
    """Hashes and names of files, from what `sha256sum` has written."""
    lines = _own(path).decode(errors="replace").splitlines()
    return {(digest, name.lstrip(" *")) for digest, _, name in (line.partition(" ") for line in lines)}


def _install(content: dict[str, bytes], target: Path) -> None:
    """Put a build together from files of machine code and the sources, and try whether its modules can be imported."""
    target.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".taking-") as directory:
        work = Path(directory, "build")
        for path in sources(ROOT):
            copy = work / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        for name, data in content.items():
            (work / name).write_bytes(data)
            (work / name).chmod(0o755)
        assemble(work, target)
        _try(work)
        work.rename(target)


def _try(build: Path) -> None:
    """Import the compiled modules, but for those of the service, in a process of its own."""
    modules = [name_of(path) for library in libraries(ROOT).values() for path in library]
    code = "import compiled, importlib, sys; [*map(importlib.import_module, sys.argv[1:])]; print(compiled.in_use())"
    names = [name for name in modules if name.partition(".")[0] in PACKAGES]
    environ = os.environ | {"PYTHONPATH": os.pathsep.join([str(build), str(ROOT)]), "PYTHONSAFEPATH": "1"}
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code, *names], env=environ, capture_output=True, text=True, check=False
    )
    if done.stdout != "compiled\n":
        raise WheelRefused(f"its modules cannot be imported ({done.stderr.strip().rpartition(chr(10))[2]})")
