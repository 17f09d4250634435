"""`python -m tests [--all] [PYTEST ARGUMENT ...]`: the tests, on the code that production runs.

Compiled modules run compiled, but for the tests that replace their members: these are marked `plain`, and run on the
sources. `--all` adds the tests that are marked `nightly`, new examples of Hypothesis, and the service without its fast
path.
"""

import subprocess
import sys
from collections.abc import Sequence
from typing import Final

WORKERS: Final = ("-n", "3", "--dist", "loadgroup")
ALL: Final = ("--hypothesis-profile", "default", "--every-way")
NOTHING_CHOSEN: Final = 5  # the exit status of pytest where no test is left
LANES: Final = {"not plain": ("-p", "compiled.preferred"), "plain": ()}


def main(arguments: Sequence[str]) -> int:
    """Run both lanes; the exit status is that of the first that failed."""
    everything = arguments[:1] == ["--all"]
    wanted = [*ALL, *arguments[1:]] if everything else list(arguments)
    found = []
    for lane, plugins in LANES.items():
        marks = lane if everything else f"{lane} and not nightly"
        command = [sys.executable, "-m", "pytest", *plugins, *WORKERS, "-m", marks, *wanted]
        found.append(subprocess.run(command, check=False).returncode)
    if set(found) == {NOTHING_CHOSEN}:
        return NOTHING_CHOSEN
    return next((status for status in found if status not in (0, NOTHING_CHOSEN)), 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
