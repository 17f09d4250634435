"""`python -m compiled`: compile the modules that ask for it where that is possible; prints the directory of the build.

Never fails: the plain sources will do.
"""

import compileall
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from compiled import BUILDS, ROOT, SWITCH, place, sources

SETUP = Path(__file__).with_name("setup.py")
CACHE = ".mypy_cache"  # mypy's, of a build that is never built again: as much as all the rest
KEPT = 3  # builds; processes may still run the one before


def obstacle() -> str | None:
    """The reason for which nothing is compiled here, or None."""
    if os.environ.get(SWITCH) == "0":
        return f"{SWITCH} is 0"
    compiler = (sysconfig.get_config_var("CC") or "cc").split()[0]
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
        done = subprocess.run(  # noqa: S603 (a command of ours)
            [sys.executable, SETUP], cwd=work, capture_output=True, text=True, check=False
        )
        if done.returncode:
            return "\n".join(["mypyc or the compiler refused it", (done.stderr or done.stdout).strip()])
        shutil.rmtree(work / "build")
        shutil.rmtree(work / CACHE, ignore_errors=True)
        compileall.compile_dir(work, quiet=2, stripdir=directory, prependdir=target)  # what stays plain
        work.chmod(0o755)
        if not target.is_dir():  # another process may have been faster; then this fails
            work.rename(target)
            work.mkdir()  # for the context to remove
    return None


def discard_old() -> None:
    """Remove all builds but the latest, and what was left unfinished a day ago."""
    builds = sorted(BUILDS.glob("[!.]*"), key=lambda path: path.stat().st_mtime)
    unfinished = [path for path in BUILDS.glob(".*") if path.stat().st_mtime < time.time() - 86400]
    for path in builds[:-KEPT] + unfinished:
        shutil.rmtree(path, ignore_errors=True)


def main() -> int:
    """Compile unless it is done already; one line on stderr says what came of it, stdout names the directory."""
    target, started = place(ROOT), time.monotonic()
    reason = obstacle()
    if reason is None and not target.is_dir():
        sys.stderr.write("Compiling the domain, which takes about a minute ...\n")
        try:
            reason = build(target)
        except OSError as error:
            reason = None if target.is_dir() else str(error)  # somebody else was faster by a hair
    took = time.monotonic() - started
    is_new = f", after {took:.0f} s of compiling" if took > 1 else ""
    sys.stderr.write(
        f"The domain runs as plain Python: {reason}.\n" if reason else f"The domain runs compiled{is_new}.\n"
    )
    if reason is None:
        target.touch()
        discard_old()
        sys.stdout.write(f"{target}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
