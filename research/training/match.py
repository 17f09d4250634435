"""`python -m research.training.match ONE TWO`: nets play each other in the kernel, or one plays `heuristic`; needs g++.

Nets are files of a run, in floats. The two games of a pair are on the same deal, with the roles exchanged.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from research.training.export import width_of_floats
from research.training.kernel import compiled_program
from research.training.subjects import SUBJECTS
from research.training.trainer import Trainer


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the score of the first with its 95 % interval."""
    parser = argparse.ArgumentParser(prog="python -m research.training.match", description=__doc__)
    parser.add_argument("one", type=Path, help="a net, such as RUN/stage-1/120000.net")
    parser.add_argument("two", help="another one, or heuristic")
    parser.add_argument("--game", choices=SUBJECTS, default="migrato")
    parser.add_argument("--pairs", type=int, default=3_000, help="of games")
    names = [name for subject in SUBJECTS.values() for name in subject.rules]
    parser.add_argument("--rules", choices=names, help="of Migrato the first three, of Migo the seats")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    asked = parser.parse_args(arguments)
    subject = SUBJECTS[asked.game]
    if asked.rules and asked.rules not in subject.rules:
        parser.error(f"--rules {asked.rules} is not of {asked.game}")
    nets = [asked.one] if asked.two == "heuristic" else [asked.one, Path(asked.two)]
    try:  # a narrower net plays in the kernel of a wider one as well
        width = max(width_of_floats(net, subject.inputs) for net in nets)
    except (OSError, ValueError) as error:
        parser.error(str(error))
    trainer = Trainer(compiled_program(subject.trainer, width), asked.threads, asked.pairs)
    result = trainer.match(asked.one, asked.two, asked.pairs, subject.rules.get(asked.rules, ""))
    score, error_of_score = 100 * result["score"], 100 * result["error"]
    sys.stdout.write(f"{score:.1f} ± {error_of_score:.1f} % of {result['games']:,} games\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
