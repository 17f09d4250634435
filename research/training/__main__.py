"""`python -m research.training`: from nothing to the net that the domain plays a game by; needs g++.

Plays GAMES games against itself, a quarter of them against `heuristic`, and learns from them; then the last nets play
each other, and the one that wins is written to the domain. What happened is in the run's directory: `record.json`,
`curve.svg`, every net and its matches.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from domain.net.network import fingerprint
from research.training.curve import curve
from research.training.export import SUBJECTS, module_of, written
from research.training.kernel import compiled_kernel

CANDIDATES: Final = 4  # of the last nets, that play for being the one
BAR: Final = 30  # characters


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, choose by matches, write."""
    parser = argparse.ArgumentParser(prog="python -m research.training", description=__doc__)
    parser.add_argument("directory", type=Path, help="where the run is recorded")
    parser.add_argument("--game", choices=SUBJECTS, default="migrato")
    parser.add_argument(
        "--games", type=int, help="of its own; unless told, as many as the net that is checked in had"
    )
    parser.add_argument("--start-games", type=int, help="of `heuristic`, to start from; likewise")
    parser.add_argument("--go-on", type=Path, help="a former run's directory, from whose net to go on")
    parser.add_argument("--width", type=int, help="of the first layer, by sixteens; likewise")
    parser.add_argument(
        "--threads", type=int, default=len(os.sched_getaffinity(0)), help="change nothing but the time"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=1_000, help="of games in each match between nets")
    parser.add_argument("--keep", action="store_true", help="write no net to the domain")
    asked = parser.parse_args(arguments)
    subject = SUBJECTS[asked.game]
    asked.games = subject.games if asked.games is None else asked.games
    asked.start_games = subject.start_games if asked.start_games is None else asked.start_games
    asked.width = subject.width if asked.width is None else asked.width
    asked.directory.mkdir(parents=True, exist_ok=True)
    trainer = compiled_kernel(subject.trainer, width=asked.width)
    os.environ["THREADS"] = str(asked.threads)
    started = time.monotonic()
    reports = list(_trained(trainer, asked))
    chosen, matches = choose(trainer, asked.directory, [report["games"] for report in reports], asked.pairs)
    net = written(net_file(asked.directory, chosen), subject.inputs)
    record = {
        "game": asked.game,
        "seed": asked.seed,
        "width": asked.width,
        "games": asked.games,
        "start_games": 0 if asked.go_on else asked.start_games,
        "goes_on_from": former(asked),
        "seconds": round(time.monotonic() - started),
        "chosen": chosen,
        "net": fingerprint(net),
        "matches": matches,
        "against_heuristic": match(trainer, net_file(asked.directory, chosen), "heuristic", 2 * asked.pairs),
        "reports": reports,
    }
    (asked.directory / "record.json").write_text(json.dumps(record, indent=1) + "\n")
    (asked.directory / "curve.svg").write_text(curve(reports))
    if not asked.keep:
        subject.checked_in.write_text(module_of(net, summary(record), asked.game))
    sys.stderr.write(f"\n{summary(record)}\n")
    return 0


def _trained(trainer: Path, asked: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The trainer's reports as they come, with a bar that grows."""
    start_games = 0 if asked.go_on else asked.start_games
    start = [net_file(asked.go_on, former(asked)["chosen"])] if asked.go_on else []
    command = [trainer, asked.directory, str(asked.games), str(asked.seed), str(start_games), *start]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        assert process.stdout is not None
        for line in process.stdout:
            report = json.loads(line)
            filled = BAR * report["games"] // max(1, report["of"])
            score = f"{100 * report['score']:.1f} ± {100 * report['error']:.1f} %"
            bar = "█" * filled + "·" * (BAR - filled)
            sys.stderr.write(f"\r{bar} {report['games']:,} games, against heuristic {score} ")
            sys.stderr.flush()
            yield report
    if process.returncode:
        raise SystemExit(f"the trainer failed: {process.returncode}")


def former(asked: argparse.Namespace) -> dict[str, Any]:
    """The record of the run that this one goes on from; {} if it begins anew."""
    if asked.go_on is None:
        return {}
    record: dict[str, Any] = json.loads((asked.go_on / "record.json").read_text())
    return record


def net_file(directory: Path, games: int) -> Path:
    """The net as it was after so many games."""
    return directory / f"{games:06}.net"


def match(trainer: Path, one: Path, two: Path | str, pairs: int) -> dict[str, float]:
    """The score of the first, with the 95 % interval's half; pairs of games on the same deals."""
    command = [str(part) for part in (trainer, "match", one, two, pairs, "-")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 (a command of ours)
    result: dict[str, float] = json.loads(done.stdout)
    return result


def choose(trainer: Path, directory: Path, games: Sequence[int], pairs: int) -> tuple[int, list[Any]]:
    """The net of the last few that no later one beats: who comes later must win to be preferred; and the matches."""
    best, *others = games[-CANDIDATES:]
    matches: list[Any] = []
    for later in others:
        result = match(trainer, net_file(directory, later), net_file(directory, best), pairs)
        matches.append({"net": later, "against": best} | result)
        if result["score"] > 0.5:
            best = later
    return best, matches


def summary(record: dict[str, Any]) -> str:
    """The record in a few sentences."""
    score, before = record["against_heuristic"], record["goes_on_from"]
    start = f"from net {before['net']}" if before else f"{record['start_games']:,} games of `heuristic`"
    return (
        f"Net {record['net']}: seed {record['seed']}, {start}, then {record['chosen']:,} of {record['games']:,} "
        f"games of its own. In the kernel it scores "
        f"{100 * score['score']:.1f} ± {100 * score['error']:.1f} % of {score['games']:,} games against `heuristic`."
    )


if __name__ == "__main__":
    sys.exit(main())
