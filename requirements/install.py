"""`python requirements/install.py ARGUMENT ...`: what `pip install ARGUMENT ...` does in this environment, by uv.

uv takes a tenth of pip's time. pip installs it, with the hash in requirements/uv.txt, and it uses the indexes that
pip is configured for. Where there is no uv, or it fails, pip does the work.
"""

import ast
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

PIP: Final = (sys.executable, "-m", "pip", "--quiet", "--quiet", "--disable-pip-version-check")
UV: Final = Path(sys.prefix, "bin", "uv")
LOCK: Final = Path(__file__).with_name("uv.txt")

# Options of pip's configuration, and the variables that say the same to uv, with what stands between two values there.
VARIABLES: Final = {
    "index-url": ("UV_DEFAULT_INDEX", None),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "no-index": ("UV_NO_INDEX", None),
    "cert": ("SSL_CERT_FILE", None),
    "proxy": ("ALL_PROXY", None),
}


def configuration(lines: str) -> Mapping[str, str]:
    """Variables for uv, from what `pip config list` prints; what is more special to pip comes later and wins."""
    found = dict[str, str]()
    for line in lines.splitlines():
        name, _, value = line.partition("=")
        option = name.removeprefix(":env:.").rpartition(".")[2]
        if option in VARIABLES:
            variable, between = VARIABLES[option]
            text = str(ast.literal_eval(value))
            found[variable] = text if between is None else between.join(text.split())
    return found


def by_uv(arguments: list[str]) -> bool:
    """True if uv has installed it; if not, the environment may have a part of it."""
    if not UV.exists() and _by_pip("--require-hashes", "-r", str(LOCK)):
        return False
    asked = subprocess.run([*PIP, "config", "list"], capture_output=True, text=True, check=False)  # noqa: S603
    # Each file has its hash, so it does not matter which of several indexes has it.
    environ = {"UV_INDEX_STRATEGY": "unsafe-best-match", **configuration(asked.stdout), **os.environ}
    try:
        done = subprocess.run(  # noqa: S603
            [UV, "pip", "install", "--quiet", "--python", sys.executable, *arguments],
            env=environ,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as error:
        reason = str(error)
    else:
        if done.returncode == 0:
            return True
        reason = " ".join(done.stderr.split())
    sys.stderr.write(f"uv could not do it, so pip tries ({reason[:300]}).\n")
    return False


def main(arguments: list[str]) -> int:
    """Exit code of the installer that did it."""
    if by_uv(arguments):
        return 0
    return _by_pip(*arguments)


def _by_pip(*arguments: str) -> int:
    """Exit code of pip."""
    return subprocess.run([*PIP, "install", *arguments], check=False).returncode  # noqa: S603


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
