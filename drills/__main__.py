"""`python -m drills`: hurt an engine under play, and check that nothing comes of it."""

import random
import signal
import sys
import time
from pathlib import Path

import click
import orjson
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

import compiled.preferred  # noqa: F401 (before anything imports the domain)
from drills import report
from drills.checker.check import check
from drills.cluster.waiting import NotInTime
from drills.drill import PATIENCE, Order, run
from drills.engine import EngineFailed
from drills.faults.table import FAULTS
from drills.ground import go_alone

EXAMPLES = """\b
Examples:
  make drill
  make drill ARGS="--minutes 10 --seed 7"
  make drill ARGS="--faults 'kill store,full disk' --minutes 2"
  make drill ARGS="--cluster 3 --parties 200"
  make drill ARGS="--check .drills/seed-7-20261122T204419"   look at a history once more
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "--minutes",
    type=click.FloatRange(0.05, 600),
    default=3.0,
    show_default=True,
    help="How long faults go on; then the games are played to their ends.",
)
@click.option(
    "--seed", type=int, help="The plan and the games follow from it.  [default: by chance, and printed]"
)
@click.option("--faults", help=f"Which, separated by commas.  [default: all: {', '.join(FAULTS)}]")
@click.option("--parties", type=click.IntRange(1, 200), default=8, show_default=True, help="Games at once.")
@click.option(
    "--hold", type=click.FloatRange(0.2), default=10.0, show_default=True, help="Seconds of a pause."
)
@click.option(
    "--within", type=click.FloatRange(0.1), default=10.0, show_default=True, help="Seconds to go on."
)
@click.option(
    "--cluster",
    type=click.IntRange(0, 8),
    default=0,
    help="Keep the games in a Redis Cluster of so many masters, each with a replica.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1),
    help="Every fault so many times, however long it takes, not by minutes.",
)
@click.option(
    "--patience",
    type=click.FloatRange(1),
    default=PATIENCE,
    show_default=True,
    help="Seconds for which a client repeats a request.",
)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Where the history is kept.")
@click.option(
    "--check", "checked", type=click.Path(path_type=Path, exists=True), help="Check a kept history."
)
def drill(
    minutes: float,
    seed: int | None,
    faults: str | None,
    parties: int,
    hold: float,
    within: float,
    cluster: int,
    rounds: int | None,
    patience: float,
    out: Path | None,
    checked: Path | None,
) -> None:
    """Start an engine, let clients play on it, and hurt it: one fault after the other, by a plan of the seed.

    Then check what every client was told against what is there. Exit code 0: every check passed; 1: one failed.
    """
    if checked is not None:
        kept = orjson.loads((checked / "order.json").read_bytes())
        _judge(checked, within, kept["seed"], {})
        return
    if sys.platform != "linux":
        raise click.UsageError("A drill finds the engine's processes in /proc: it needs Linux.")
    seed = random.SystemRandom().randrange(10**6) if seed is None else seed
    order = Order(minutes, seed, _named(faults), parties, hold, cluster, rounds, patience)
    directory = (out or Path(".drills") / f"seed-{seed}-{time.strftime('%Y%m%dT%H%M%S')}").absolute()
    if directory.exists() and any(directory.iterdir()):
        raise click.UsageError(f"{directory} is not empty.")
    go_alone(["--seed", str(seed), *_without_seed(sys.argv[1:])])
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "order.json").write_bytes(
        orjson.dumps({"seed": seed, "minutes": minutes, "faults": order.faults})
    )
    click.echo(f"seed {seed}, history in {directory}", err=True)
    try:
        left_out = _drilled(order, directory)
    except (EngineFailed, NotInTime) as error:
        raise click.ClickException(f"seed {seed}: {error}") from error
    _judge(directory, within, seed, left_out)


def _named(faults: str | None) -> tuple[str, ...]:
    if faults is None:
        return tuple(FAULTS)
    names = tuple(name.strip() for name in faults.split(",") if name.strip())
    for name in names:
        if name not in FAULTS:
            raise click.UsageError(f"There is no fault {name!r}; there is: {', '.join(FAULTS)}.")
    return names


def _without_seed(arguments: list[str]) -> list[str]:
    """The arguments but for the seed, which may not have been among them."""
    kept, skip = [], False
    for argument in arguments:
        if not skip and argument != "--seed" and not argument.startswith("--seed="):
            kept.append(argument)
        skip = argument == "--seed"
    return kept


def _drilled(order: Order, directory: Path) -> dict[str, str]:
    columns = (BarColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=order.minutes * 60 if order.rounds is None else None)

        def tell(what: str, seconds: float) -> None:
            progress.update(task, description=what, completed=seconds or None)

        return run(order, directory, tell)


def _judge(directory: Path, within: float, seed: int, left_out: dict[str, str]) -> None:
    verdict = check(directory, within, seed)
    report.show(verdict, left_out, Console())
    click.echo(f"seed {seed}: {directory}")
    sys.exit(0 if verdict.passed else 1)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the engine ends, as by Ctrl-C
    drill()
