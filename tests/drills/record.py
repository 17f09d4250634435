"""`python -m tests.drills.record DIRECTORY GAME ...`: some games of a drill's history are kept for tests.

The one that is kept was drilled by `python -m drills --seed 3 --minutes 0.3 --parties 8 --hold 1 --faults
"kill web worker,kill bot worker" --out DIRECTORY`. It has to be made anew where what the engine answers changes.
"""

import sys
import tarfile
from io import BytesIO
from pathlib import Path
from typing import Final

import orjson

from drills.history import DRILL, export_of, read

HISTORY: Final = Path(__file__).with_name("history.tar.xz")


def record(directory: Path, games: list[str]) -> None:
    """The entries of those games, their exports, and what the drill's own entries say of them."""
    drill = read(directory, DRILL)
    answered = {
        (entry["by"], entry["n"]) for entry in drill if entry["is"] == "ok" and entry["answer"]["id"] in games
    }
    kept = [entry for entry in drill if "n" not in entry or (entry["by"], entry["n"]) in answered]
    files = {f"{DRILL}.jsonl": b"".join(orjson.dumps(entry) + b"\n" for entry in kept)}
    for game_id in games:
        files[f"games/{game_id}.jsonl"] = (directory / f"games/{game_id}.jsonl").read_bytes()
        files[f"exports/{game_id}.ndjson"] = export_of(directory, game_id).read_bytes()
    with tarfile.open(HISTORY, "w:xz", preset=9) as tar:
        for name, content in files.items():
            about = tarfile.TarInfo(name)
            about.size = len(content)
            tar.addfile(about, BytesIO(content))


if __name__ == "__main__":
    record(Path(sys.argv[1]), sys.argv[2:])
