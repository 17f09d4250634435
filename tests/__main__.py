"""`python -m tests [--all] [PYTEST ARGUMENT ...]`: the tests, on the code that production runs.

Compiled modules run compiled, but for the tests that replace their members: these are marked `plain`, and run on the
sources. `--all` adds the tests that are marked `nightly`, and new examples of Hypothesis.
"""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
# More workers than cores: tests of engines and browsers wait for these half of their time.
WORKERS: Final = ("-n", "4", "--dist", "loadgroup")
BY_NIGHT: Final = ("--hypothesis-profile", "default")
NOTHING_CHOSEN: Final = 5  # the exit status of pytest where no test is left


def main(arguments: Sequence[str]) -> int:
    """Run both lanes; the exit status is that of the first that failed."""
    by_night = arguments[:1] == ["--all"]
    wanted, less = ([*BY_NIGHT, *arguments[1:]], "") if by_night else (list(arguments), " and not nightly")
    are_named = any(Path(argument.partition("::")[0]).exists() for argument in wanted)
    plain = [] if are_named else with_plain_tests()
    lanes = (
        ["-p", "compiled.preferred", *WORKERS, "-m", f"not plain{less}", *wanted],
        [*WORKERS, "-m", f"plain{less}", *wanted, *plain],
    )
    found = [
        subprocess.run([sys.executable, "-m", "pytest", *lane], check=False).returncode for lane in lanes
    ]
    if set(found) == {NOTHING_CHOSEN}:
        return NOTHING_CHOSEN
    return next((status for status in found if status not in (0, NOTHING_CHOSEN)), 0)


def with_plain_tests() -> list[str]:
    """The files that have some: so the second lane need not read the others."""
    return sorted(str(path) for path in HERE.rglob("test_*.py") if "mark.plain" in path.read_text())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
