"""`python requirements/locked.py TARGET PREREQUISITE ... -- COMMAND`: how make changes the environment.

Several makes may run in one directory, say two `make run` of a fresh clone. One at a time carries its command out; who
has waited looks first whether the target is still to be made. The command makes the target last of all.
"""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

LOCK = Path(".venv.lock")  # beside the environment, which is removed when it is made anew


def is_made(target: Path, prerequisites: list[Path]) -> bool:
    """True if the target is there and no older than its sources."""
    try:
        made = target.stat().st_mtime_ns
        return all(path.stat().st_mtime_ns <= made for path in prerequisites)
    except FileNotFoundError:
        return False


def main(arguments: list[str]) -> int:
    """The exit code of the command; 0 where there is nothing left to do."""
    at = arguments.index("--")
    target, *prerequisites = map(Path, arguments[:at])
    with LOCK.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.stderr.write(f"Another make is at work on {target.parent}: waiting for it ...\n")
            fcntl.flock(lock, fcntl.LOCK_EX)
        if is_made(target, prerequisites):
            return 0
        # The command has the lock, too: it may go on for a while if this process is killed.
        shell = ["/bin/sh", "-c", *arguments[at + 1 :]]
        return subprocess.run(shell, pass_fds=(lock.fileno(),), env=os.environ, check=False).returncode  # noqa: S603


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
