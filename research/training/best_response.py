"""`python -m research.training.best_response`: how much a net wins that learns to beat one bot of Migrato; needs g++.

`train` lets a net play one bot, which does not learn, in the trainer's kernel, and learn from its own positions.
`measure` lets that net play the bot itself in the engine. The score is a lower bound of what the bot's best response
wins: somebody else may beat it more (docs/explanation/how-strong-the-bots-are.md).
"""

import compiled.preferred  # noqa: F401, I001 (before anything imports the domain)

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any, Final

from domain.bot import Bot, Budget, Choice, Rng, Stop
from domain.chance import SeededChance
from domain.lifecycle import Create, Json, Seat
from domain.migrato.belief.knowledge import NOTHING, update_knowledge
from domain.migrato.belief.observation import Observation, observe
from domain.migrato.bots import BOTS
from domain.migrato.net.judge import Judge
from domain.migrato.net.layout import INPUTS
from domain.migrato.net.trained import NET
from domain.migrato.rules.cards import FACE, FIRST_DANGER, NAME, STANDARD
from domain.migrato.rules.decide import decide
from domain.migrato.rules.options import resolve
from domain.migrato.rules.state import INITIAL, evolve, fold
from domain.net.written import fingerprint, read_network
from domain.prng import Prng
from research.training.export import in_floats, written
from research.training.kernel import compiled_program, made_by
from research.training.trainer import net_file

WIDTH: Final = 128
RATE: Final = 2e-4  # of learning, at its highest, for a net that goes on
FROM_NOTHING: Final = 1e-3  # ... and for one that begins from nothing
TRACE: Final = 0.8
MEMORY: Final = 50_000  # positions before it learns, unless told
START_GAMES: Final = 8_000  # of `heuristic`, for a net that begins from nothing
CANDIDATES: Final = 4  # of the last nets; the best of them is measured
PAIRS: Final = 2_000  # of games in the kernel, by which it is chosen
LIMIT: Final = 300  # turns
# What the lower end of the interval must be, with the standard list, to show that the trainer finds how to beat a bot.
# The numbers were set before such a net was measured in the engine.
MARGINS: Final = {"greedy": 0.95, "heuristic": 0.90}
BY_THE_NET: Final = (
    "net",
    "level-7",
)  # bots in whose place the kernel has their net, which looks no further than its move


def ones(cards: int) -> dict[str, int]:
    """The standard list with so many of its 49 bird cards made ones, of the same species and phase. The cards of few
    birds go first; one card of the most birds stays of each species and phase.
    """
    counts = dict(STANDARD)
    birds = sorted((name for name in STANDARD if FACE[name] < FIRST_DANGER), key=lambda name: int(name[1]))
    left = cards - sum(STANDARD[name] for name in birds if name[1] == "1")
    kept = {
        name[0] + name[2]: max(int(b[1]) for b in birds if b[0] + b[2] == name[0] + name[2]) for name in birds
    }
    for name in birds:
        one = f"{name[0]}1{name[2]}"
        spare = counts[name] - (int(name[1]) == kept[name[0] + name[2]])
        changed = 0 if name == one else max(0, min(left, spare))
        counts[name] -= changed
        counts[one] = counts.get(one, 0) + changed
        left -= changed
    return {name: count for name, count in counts.items() if count}


class Program:
    """The kernel's trainer of best responses, for one bot and one deck list."""

    def __init__(self, bot: str, deck_list: dict[str, int] | None, directory: Path, threads: int) -> None:
        """Write the bot's net, if it has one, to the directory, for the program to read."""
        self._program = compiled_program("migrato/responder.cpp", WIDTH)
        self._threads = threads
        self._bot = str(_checked_in(directory)) if bot in BY_THE_NET else bot
        counts = {FACE[name]: count for name, count in (deck_list or {}).items()}
        self._list = (
            ",".join(str(counts.get(face, 0)) for face in range(1, len(NAME))) if counts else "standard"
        )

    def train(
        self, directory: Path, games: int, seed: int, start: Path | None, memory: int, rate: float | None
    ) -> Iterator[dict[str, Any]]:
        """The reports as they come; the nets are in the directory. SystemExit if the program fails."""
        before, usual = (0, RATE) if start else (START_GAMES, FROM_NOTHING)
        numbers = (games, seed, self._threads, before, rate or usual, TRACE, memory)
        parts = (self._program, "train", directory, *numbers, self._bot, self._list, *filter(None, [start]))
        with subprocess.Popen([*map(str, parts)], stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 (ours)
            assert process.stdout is not None
            yield from map(json.loads, process.stdout)
        if process.returncode:
            raise SystemExit(f"the trainer failed: {process.returncode}")

    def match(self, net: Path, pairs: int, seed: int) -> dict[str, float]:
        """The net's `score` against the bot, its `error` (half of the 95 % interval), and the number of `games`."""
        parts = (self._program, "match", net, self._bot, self._list, pairs, seed, self._threads)
        done = subprocess.run([*map(str, parts)], check=True, capture_output=True, text=True)  # noqa: S603 (ours)
        result: dict[str, float] = json.loads(done.stdout)
        return result


def _checked_in(directory: Path) -> Path:
    """The net that the bots play by, as the kernel reads it."""
    path = directory / f"{fingerprint(NET)}.net"
    path.write_bytes(in_floats(NET, INPUTS))
    return path


def train(asked: argparse.Namespace) -> None:
    """Train, choose the best of the last nets, and leave it as `response.net`, with `record.json`."""
    directory: Path = asked.directory
    directory.mkdir(parents=True, exist_ok=True)
    program = Program(asked.against, asked.deck_list, directory, asked.threads)
    start = _checked_in(directory) if asked.start == "net" else Path(asked.start) if asked.start else None
    began, reports = time.process_time() + _of_children(), []
    for report in program.train(directory, asked.games, asked.seed, start, asked.memory, asked.rate):
        reports.append(report)
        score = f"{100 * report['score']:.1f} ± {100 * report['error']:.1f} %"
        sys.stderr.write(f"{report['games']:,} of {report['of']:,} games: {score}\n")
    nets = [net_file(directory, report["games"]) for report in reports[-asked.candidates :]]
    scores = {net.name: program.match(net, asked.pairs, seed=1) for net in nets}
    chosen = max(nets, key=lambda net: scores[net.name]["score"])
    (directory / "response.net").write_bytes(chosen.read_bytes())
    record = {
        "against": asked.against,
        "deck_list": asked.deck_list,
        "start": asked.start,
        "games": asked.games,
        "seed": asked.seed,
        "processor_seconds": round(time.process_time() + _of_children() - began),
        "made_by": made_by() | {"threads": asked.threads},
        "chosen": chosen.name,
        "net": fingerprint(written(chosen, INPUTS)),
        "matches": scores,
        "in_the_kernel": program.match(chosen, asked.pairs, seed=2),
        "reports": reports,
    }
    (directory / "record.json").write_text(json.dumps(record, indent=1) + "\n")
    sys.stdout.write(f"{chosen.name}: {_percent(**record['in_the_kernel'])} in the kernel\n")


def _of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def _percent(score: float, error: float, games: float) -> str:
    return f"{100 * score:.1f} % ({100 * (score - error):.1f} to {100 * min(1, score + error):.1f}) of {games:,} games"


def response(net: Path) -> Bot:
    """The bot that plays by a net of the trainer's, and looks no further than its move."""
    text = written(net, INPUTS)
    network = read_network(text, INPUTS)

    def policy(observation: Observation, _rng: Rng, _budget: Budget, _stop: Stop) -> Choice:
        return Choice(max(observation.moves, key=Judge(observation, network).logit))

    return Bot(
        "response", fingerprint(text), "Learned to beat one bot.", policy, milliseconds=10, remembers=True
    )


def points(bots: Sequence[Bot], options: Json, number: int) -> float:
    """Play shuffle `number`; the first bot's points: 1 for a win, ½ for a draw."""
    chance, dice = SeededChance(number.to_bytes(32, "big"), "best response"), Prng(number)
    seats = (Seat("human"), Seat("human"))
    state = fold(INITIAL, decide(INITIAL, None, Create("game", "c", options, seats), chance))
    known = [NOTHING, NOTHING]
    while state.to_act is not None:
        seat = state.to_act
        move = bots[seat].think(observe(state, seat, known[seat]), dice).move
        for event in decide(state, seat, move, chance):
            after = evolve(state, event)
            known = [update_knowledge(of, at, state, event, after) for at, of in enumerate(known)]
            state = after
    assert state.result is not None
    return {0: 1.0, 1: 0.0}.get(-1 if state.result.winner is None else state.result.winner, 0.5)


def measure(asked: argparse.Namespace) -> None:
    """Print the score of the net against the bot itself, each shuffle from both seats, with its 95 % interval, whose
    unit is the shuffle. The file of games, if there is one, is gone on from.
    """
    learned, bot = response(asked.net), BOTS[asked.against]
    options = {"turn_limit": LIMIT} | ({"deck_list": asked.deck_list} if asked.deck_list else {})
    shares = (
        [float(line) for line in asked.games_file.read_text().split()]
        if asked.games_file and asked.games_file.exists()
        else []
    )
    for number in range(asked.seed * 1_000_000 + len(shares), asked.seed * 1_000_000 + asked.games // 2):
        share = (
            points((learned, bot), options, number) / 2 + (1 - points((bot, learned), options, number)) / 2
        )
        shares.append(share)
        if asked.games_file:
            with asked.games_file.open("a") as file:
                file.write(f"{share}\n")
    error = 1.96 * stdev(shares) / math.sqrt(len(shares))
    sys.stdout.write(
        f"{_percent(mean(shares), error, 2 * len(shares))} against {bot.name}, version {bot.version}\n"
    )


def _deck_list(text: str) -> dict[str, int]:
    """`ones:42`, or JSON as the API takes it."""
    given: dict[str, int] = ones(int(text[5:])) if text.startswith("ones:") else json.loads(text)
    resolve({"deck_list": given})
    return given


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m research.training.best_response", description=__doc__)
    commands = parser.add_subparsers(required=True)
    training = commands.add_parser("train", help="train a net to beat a bot")
    training.add_argument("directory", type=Path, help="where the nets and the record go")
    training.add_argument("--games", type=int, default=120_000)
    training.add_argument(
        "--start", default="", help="a net to go on from: a file, or `net` for the bots'; nothing unless told"
    )
    training.add_argument(
        "--rate", type=float, help=f"of learning, at its highest: {RATE}, from nothing {FROM_NOTHING}"
    )
    training.add_argument("--memory", type=int, default=MEMORY, help="positions before it learns")
    training.add_argument("--threads", type=int, default=1, help="only the time depends on them")
    training.add_argument(
        "--pairs", type=int, default=PAIRS, help="of games in each match that chooses a net"
    )
    training.add_argument("--candidates", type=int, default=CANDIDATES, help="of the last nets")
    training.set_defaults(run=train)
    measuring = commands.add_parser("measure", help="play the bot itself in the engine")
    measuring.add_argument("net", type=Path, help="DIRECTORY/response.net")
    measuring.add_argument("--games", type=int, default=400)
    measuring.add_argument(
        "--games-file", type=Path, help="keep each shuffle's score there, and go on from those in it"
    )
    measuring.set_defaults(run=measure)
    for command in (training, measuring):
        command.add_argument("--against", choices=("greedy", "heuristic", *BY_THE_NET), default="level-7")
        command.add_argument("--deck-list", type=_deck_list, help="JSON as the API takes it, or ones:42")
        command.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args(arguments)
    asked.run(asked)
    return 0


if __name__ == "__main__":
    sys.exit(main())
