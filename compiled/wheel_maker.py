"""`python -m compiled.wheel_maker [DIRECTORY]`: make wheels of the compiled code, for each Python that there is.

Each Python gets an environment of its own from the lock files, in `.venv/wheels`, and compiles there. auditwheel says
for how old a C library the machine code is. SHA256SUMS lists all wheels of the directory, which is `dist/wheels`.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from compiled import ROOT
from compiled.libraries import taken_apart
from compiled.wheels import NAME, SUMS, version

VERSIONS: Final = ("3.11", "3.12", "3.13")
PROGRAMS: Final = Path(sys.prefix, "bin")
PYENV: Final = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
LOCKED: Final = ("--require-hashes", "-r", "requirements/build.txt", "-r", "requirements/runtime.txt")
SETUP: Final = """
from setuptools import Distribution, setup

class OfMachineCode(Distribution):
    def has_ext_modules(self):
        return True

setup(
    name={name!r},
    version={version!r},
    packages=[{name!r}],
    package_data={{{name!r}: ["*.so"]}},
    distclass=OfMachineCode,
)
"""


def run(*command: str | Path, cwd: str | Path = ROOT) -> str:
    """Output of a program; SystemExit if it fails."""
    environ = os.environ | {"PATH": os.pathsep.join([str(PROGRAMS), os.environ["PATH"]])}
    done = subprocess.run(command, cwd=cwd, env=environ, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit(f"{Path(command[0]).name} failed.")
    return done.stdout


def environment(number: str) -> Path:
    """Python of that version, in an environment with what the lock files list."""
    if number == f"{sys.version_info.major}.{sys.version_info.minor}":
        return Path(sys.executable)
    of_pyenv = sorted(PYENV.glob(f"versions/{number}.*/bin/python"))
    place = Path(sys.prefix, "wheels", number)
    run(
        PROGRAMS / "uv", "venv", "--quiet", "--clear", "--python", of_pyenv[-1] if of_pyenv else number, place
    )
    run(PROGRAMS / "uv", "pip", "install", "--quiet", "--python", place, *LOCKED)
    return place / "bin" / "python"


def make(python: Path, directory: Path) -> None:
    """Make the wheel of the sources for one Python."""
    printed = run(python, "-m", "compiled").strip()
    if not printed:
        raise SystemExit(f"{python} has nothing compiled.")
    build = Path(printed)
    with tempfile.TemporaryDirectory() as work:
        package = Path(work, NAME)
        package.mkdir()
        for name, file in taken_apart(build, ROOT).items():
            shutil.copyfile(file, package / name)
        Path(work, "setup.py").write_text(SETUP.format(name=NAME, version=version(build)))
        run(python, "-W", "ignore", "setup.py", "--quiet", "bdist_wheel", "--dist-dir", "made", cwd=work)
        (wheel,) = Path(work, "made").glob("*.whl")
        run(PROGRAMS / "auditwheel", "repair", "--plat", "auto", "--wheel-dir", directory, wheel)


def main(directory: Path) -> None:
    """Make a wheel for each version, and list all that lie there by their hashes. SystemExit if one is missing."""
    directory.mkdir(parents=True, exist_ok=True)
    missing = list[str]()
    for number in VERSIONS:
        try:
            make(environment(number), directory)
        except SystemExit as error:
            missing.append(f"There is no wheel for Python {number}: {error}")
            sys.stderr.write(f"{missing[-1]}\n")
    wheels = sorted(directory.glob("*.whl"))
    for wheel in wheels:
        wheel.chmod(0o644)
    lines = [f"{hashlib.sha256(wheel.read_bytes()).hexdigest()}  {wheel.name}\n" for wheel in wheels]
    (directory / SUMS).write_text("".join(lines))
    sys.stdout.write("".join(f"{wheel}\n" for wheel in wheels))
    if missing:
        raise SystemExit(1)


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute() if sys.argv[1:] else ROOT / "dist" / "wheels")
