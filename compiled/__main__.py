"""`python -m compiled [--behind]`: compile the modules that ask for it where that is possible.

Prints the directory of the build. Never fails: the plain sources will do. With --behind it leaves the
processor to other processes, and prints no directory.
"""

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Final

from compiled import BUILDS, ROOT, SWITCH, place, sources, wheels
from compiled.cache import Cache
from compiled.libraries import assemble

SETUP: Final = Path(__file__).with_name("setup.py")
MYPY_CACHE: Final = ".mypy_cache"  # of a build that is never built again: as much as all the rest
KEPT: Final = 3  # builds; processes may still run the one before


def obstacle() -> str | None:
    """The reason for which nothing is compiled here, or None."""
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
    if os.environ.get(SWITCH) == "0":
        return f"{SWITCH} is 0"
    if shutil.which(compiler) is None:
        return f"there is no C compiler ({compiler})"
    if not (Path(sysconfig.get_path("include")) / "Python.h").is_file():
        return "Python's header files are not installed"
    if find_spec("mypyc") is None:
        return "mypyc is not installed"
    return None


def build(target: Path) -> str | None:
    """Compile a copy of the sources and put it at `target`; None, or why it failed."""
    BUILDS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=BUILDS, prefix=".building-") as directory:
        work = Path(directory)
        for path in sources(ROOT):
            copy = work / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        if place(work) != target:
            return "its sources have changed this very moment"
        with (work / "errors").open("w+") as errors:
            code, said = _run_setup(work, errors)
            if code:
                errors.seek(0)
                return "\n".join(["mypyc or the compiler refused it", (errors.read() or said).strip()])
        (work / "errors").unlink()
        shutil.rmtree(work / "build")
        shutil.rmtree(work / MYPY_CACHE, ignore_errors=True)
        assemble(work, target)
        if not target.is_dir():  # another process may have been faster; then this fails
            work.rename(target)
            work.mkdir()  # for the context to remove
    return None


def _run_setup(work: Path, errors: IO[str]) -> tuple[int, str]:
    """Exit code of compiled/setup.py in a directory, and what it says beside how far it is."""
    command = (sys.executable, str(SETUP))
    environ = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    process = subprocess.Popen(  # noqa: S603
        command, cwd=work, env=environ, stdout=subprocess.PIPE, stderr=errors, text=True
    )
    with process:
        assert process.stdout is not None
        try:
            said = tell_progress(process.stdout)
        except BaseException:
            process.kill()
            raise
    return process.returncode, said


def tell_progress(lines: Iterable[str]) -> str:
    """Tell progress on stderr, from the lines of compiled/setup.py; the lines that say something else."""
    others, total, done, names, translated = list[str](), 0, 0, list[str](), 0.0
    for line in lines:
        match line.split():
            case ["translated", size]:
                total, translated = int(size), time.monotonic()
            case ["done", name, size]:
                names.append(name)
                done += int(size)
                left = (time.monotonic() - translated) * (total - done) / done
                at_most = "" if left < 1 else f", at most {left:.0f} s to go"
                sys.stderr.write(f"Compiled: {', '.join(names)} ({100 * done // total} %{at_most}).\n")
            case _:
                others.append(line)
    return "".join(others)


def discard_old() -> None:
    """Remove all builds but the latest, and what was left unfinished a day ago."""
    builds = sorted(BUILDS.glob("[!.]*"), key=lambda path: path.stat().st_mtime)
    unfinished = [path for path in BUILDS.glob(".*") if path.stat().st_mtime < time.time() - 86400]
    for path in builds[:-KEPT] + unfinished:
        shutil.rmtree(path, ignore_errors=True)


def stand_behind() -> None:
    """Leave all but a few hundredths of the processor's time to other processes."""
    os.nice(19)


def made(target: Path) -> str | None:
    """Put a build at `target`, from the cache, from a wheel, or a new one; None, or why there is no build."""
    cache = Cache.of_user()
    with cache.locked(target.name):
        if cache.take(target) or wheels.take(target):
            return None
        if reason := obstacle():
            return reason
        sys.stderr.write(
            "Compiling the rules and what every move passes through, which takes some minutes ...\n"
        )
        try:
            reason = build(target)
        except OSError as error:
            reason = None if target.is_dir() else str(error)  # another process was faster
        if reason is None:
            cache.keep(target)
    return reason


def main(arguments: list[str]) -> int:
    """Compile unless it is done already; a line on stderr says what came of it, stdout names the directory."""
    if "--behind" in arguments:
        stand_behind()
    target, started = place(ROOT), time.monotonic()
    reason = f"{SWITCH} is 0" if os.environ.get(SWITCH) == "0" else None
    if reason is None and not target.is_dir():
        reason = made(target)
    took = time.monotonic() - started
    is_new = f", after {took:.0f} s" if took > 1 else ""
    sys.stderr.write(
        f"The domain runs as plain Python: {reason}.\n" if reason else f"The domain runs compiled{is_new}.\n"
    )
    if reason is None:
        target.touch()
        discard_old()
        if "--behind" not in arguments:
            sys.stdout.write(f"{target}\n")
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and leave nothing unfinished
    sys.exit(main(sys.argv[1:]))
