"""`python -m research.training`: from nothing to the net that the domain plays a game by; needs g++.

In each stage a net plays against itself, in Migrato for a quarter of the games against `heuristic`, and learns from
them; then its last nets play each other, and the next stage goes on from the one that wins. The last stage's is written
to the domain, and the record of the run to `records/`. What happened is in the run's directory: `record.json`,
`curve.svg`, and every net.
"""

import argparse
import hashlib
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from domain.net.written import fingerprint
from research.training.curve import curve
from research.training.export import module_of, written
from research.training.kernel import compiled_program, made_by
from research.training.subjects import SUBJECTS, Subject
from research.training.trainer import Trainer, net_file

BAR: Final = 30  # characters


def main(arguments: Sequence[str] | None = None) -> int:
    """Train by stages, record the run, write the net."""
    parser = argparse.ArgumentParser(prog="python -m research.training", description=__doc__)
    parser.add_argument("directory", type=Path, help="where the run is recorded")
    parser.add_argument("--game", choices=SUBJECTS, default="migrato")
    parser.add_argument("--seed", type=int, default=1, help="of the first stage; each later one has 1 more")
    parser.add_argument(
        "--share", type=float, default=1.0, help="play only this part of each stage's games, to try it out"
    )
    parser.add_argument("--pairs", type=int, default=1_000, help="of games in each match between nets")
    parser.add_argument(
        "--threads", type=int, default=len(os.sched_getaffinity(0)), help="only the time depends on them"
    )
    parser.add_argument("--keep", action="store_true", help="write no net to the domain")
    asked = parser.parse_args(arguments)
    subject = SUBJECTS[asked.game].part(asked.share)
    trainer = Trainer(compiled_program(subject.trainer, subject.width), asked.threads, asked.pairs)
    stages = list(_trained(subject, trainer, asked.seed, asked.directory))
    chosen = asked.directory / stages[-1]["chosen"]
    record = {
        "game": asked.game,
        "width": subject.width,
        "net": stages[-1]["net"],
        "against_heuristic": trainer.against_heuristic(chosen),
        "made_by": made_by() | {"threads": asked.threads, "pairs": asked.pairs},
        "stages": stages,
    }
    whole = json.dumps(record, indent=1) + "\n"
    (asked.directory / "record.json").write_text(whole)
    (asked.directory / "curve.svg").write_text(curve([stage["reports"] for stage in stages]))
    if not asked.keep:
        net = written(chosen, subject.inputs)
        subject.checked_in.write_text(module_of(net, summary(record), asked.game))
        subject.record.write_text(whole)
    sys.stderr.write(f"{summary(record)}\n")
    return 0


def _trained(subject: Subject, trainer: Trainer, seed: int, run: Path) -> Iterator[dict[str, Any]]:
    """The record of each stage, once its net is chosen."""
    chosen: Path | None = None
    for number, stage in enumerate(subject.stages, 1):
        started, directory = time.monotonic(), run / f"stage-{number}"
        reports = list(_shown(number, trainer.train(stage, seed, directory, chosen)))
        for report in reports:
            report["sha256"] = hashlib.sha256(net_file(directory, report["games"]).read_bytes()).hexdigest()
        games, matches = trainer.choose(directory, [report["games"] for report in reports])
        chosen = net_file(directory, games)
        yield stage._asdict() | {
            "seed": seed,
            "seconds": round(time.monotonic() - started),
            "chosen": str(chosen.relative_to(run)),
            "net": fingerprint(written(chosen, subject.inputs)),
            "matches": matches,
            "reports": reports,
        }
        seed += 1


def _shown(number: int, reports: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The same reports, with a bar that grows."""
    for report in reports:
        filled = BAR * report["games"] // report["of"]
        score = f"{100 * report['score']:.1f} ± {100 * report['error']:.1f} %"
        bar = "█" * filled + "·" * (BAR - filled)
        sys.stderr.write(f"\rstage {number} {bar} {report['games']:,} games, against heuristic {score} ")
        sys.stderr.flush()
        yield report
    sys.stderr.write("\n")


def summary(record: dict[str, Any]) -> str:
    """The record in a few sentences."""
    score, first = record["against_heuristic"], record["stages"][0]
    text = f"Net {record['net']}: {first['start_games']:,} games of `heuristic`, then {first['games']:,} of its own"
    text += f" (seed {first['seed']})"
    for former, stage in pairwise(record["stages"]):
        text += (
            f"; net {former['net']}, chosen of these, played {stage['games']:,} more (seed {stage['seed']})"
        )
    strength = f"{100 * score['score']:.1f} ± {100 * score['error']:.1f} % of {score['games']:,} games"
    return f"{text}. In the kernel it scores {strength} against `heuristic`."


if __name__ == "__main__":
    sys.exit(main())
