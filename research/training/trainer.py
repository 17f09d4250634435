"""The trainer's program: it trains a net by a stage, and lets nets play each other, so that one is chosen."""

import json
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from research.training.subjects import Stage

CANDIDATES: Final = 4  # of a stage's last nets, that play for being the one


class Trainer(NamedTuple):
    """The compiled program, how many threads it has, and how many pairs of games a match between nets has."""

    program: Path
    threads: int
    pairs: int

    def train(self, stage: Stage, seed: int, directory: Path, start: Path | None) -> Iterator[dict[str, Any]]:
        """Train from a net on, or from nothing; what the program reports, as it comes. The nets are in the directory.
        SystemExit if the program fails.
        """
        directory.mkdir(parents=True, exist_ok=True)
        numbers = (stage.games, seed, self.threads, stage.start_games, stage.rate, stage.trace, stage.memory)
        parts = (self.program, "train", directory, *numbers, *filter(None, [start]))
        with subprocess.Popen([*map(str, parts)], stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 (ours)
            assert process.stdout is not None
            yield from map(json.loads, process.stdout)
        if process.returncode:
            raise SystemExit(f"the trainer failed: {process.returncode}")

    def match(self, one: Path, two: Path | str, pairs: int, rules: str = "") -> dict[str, float]:
        """The `score` of the first (0 to 1), its `error` (half of the 95 % interval) and the number of `games`; the two
        of a pair are on the same deals. CalledProcessError if the program fails.
        """
        parts = (self.program, "match", one, two, pairs, self.threads, *filter(None, [rules]))
        done = subprocess.run([*map(str, parts)], check=True, capture_output=True, text=True)  # noqa: S603 (ours)
        result: dict[str, float] = json.loads(done.stdout)
        return result

    def choose(self, directory: Path, games: Sequence[int]) -> tuple[int, list[Any]]:
        """The one of these `games` after which the net is best, and the matches: each of the last few plays against the
        best before it, and must win to be preferred.
        """
        best, *others = games[-CANDIDATES:]
        matches: list[Any] = []
        for later in others:
            result = self.match(net_file(directory, later), net_file(directory, best), self.pairs)
            matches.append({"net": later, "against": best} | result)
            if result["score"] > 0.5:
                best = later
        return best, matches

    def against_heuristic(self, net: Path) -> dict[str, float]:
        """The score of a net, by twice as many games."""
        return self.match(net, "heuristic", 2 * self.pairs)


def net_file(directory: Path, games: int) -> Path:
    """The net as it was after so many games of a stage."""
    return directory / f"{games:06}.net"
