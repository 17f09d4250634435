"""Speed of verifying exports: games a second on one core, from the bytes of a file to the report.

Three kinds of games, all in form 2 of commitments: of two bots (every move comes with an event that tells how it was
chosen), of a person against a bot, and of two people. `hashed` is the rate at which the JSON of each event is read and
written once, and a salt, a commitment and a head are made. It is no limit: an audit need not read events that only
follow from a move.

`python -m benchmarks.verify SEED` measures once with the domain that the process finds.
"""

import io
import os
import random
import subprocess
import sys
import time
from typing import Any, NamedTuple

import orjson

import compiled.preferred  # noqa: F401 (before anything imports the domain)
from compiled import ROOT, SWITCH, place
from domain.chance import SeededChance, commitment_of
from domain.lifecycle import Create, PlayBotMove, Score, Seat
from domain.registry import GAMES
from events.audit.verify import verify
from events.log import chain
from events.log.envelope import RecordedEvent, in_form_2, seal
from events.log.export import export_lines, games_in
from events.log.game_secrets import Secrets
from events.log.seeds import move_seed
from events.log.snapshot import Snapshot, unplayed

GAMES_OF_A_KIND = 20
SECONDS = 1.0  # for each figure
AT = "2026-11-21T10:00:00.000Z"
BOT, HUMAN = Seat("bot", bot="greedy"), Seat("human", "ada")
KINDS = {"bots": (BOT, BOT), "person and bot": (HUMAN, BOT), "people": (HUMAN, HUMAN)}


class Speed(NamedTuple):
    """Of one kind of games: events in a game, games a second, and the rate of reading, writing and hashing alone."""

    events: float
    games: float
    hashed: float


def exported(seats: tuple[Seat, Seat], number: int) -> bytes:
    """A finished game, sealed and exported as the engine does it."""
    game, rng = GAMES["migrato"], random.Random(number)
    seed, game_id = rng.randbytes(32), f"benchmark-{number}"
    chance, secrets = SeededChance(seed, game_id), Secrets(seed, "", "public", game.name, AT)
    now, history = unplayed(game_id, game, secrets), list[RecordedEvent]()
    command: Any = Create(game_id, commitment_of(seed), {}, seats)
    seat = None
    while True:
        events = game.decide(now.state, seat, command, chance)
        records = [game.encode(event) for event in events]
        if not history:
            records[0] = in_form_2(records[0])
        sealed = seal(game_id, seed, now.stream_head, AT, "", records, game)
        history += sealed
        now = now.after(events, sealed)
        status = game.status(now.state)
        now = Snapshot(game_id, game, now.state, now.stream_head, secrets, status, seals=chain.SEALS)
        seat = status.to_act
        if status.result is not None and status.result.scored:
            return b"".join(export_lines(now, history))
        command = Score() if seat is None else _move(now, seat)


def _move(now: Snapshot, seat: int) -> Any:
    bot, seed = now.game.bot("greedy"), move_seed(now.secrets.seed, now.game_id, now.version)
    seen = now.game.observe(now.state, seat, now.game.initial_knowledge())
    move = now.game.think(seen, bot.name, int(seed, 16)).move
    return PlayBotMove(move, bot.name, bot.version, None, seed) if now.status.seats[seat].bot else move


def measure(seed: int) -> list[Speed]:
    """The figures of each kind, in this process."""
    return [
        _measure([exported(seats, seed * 1000 + n) for n in range(GAMES_OF_A_KIND)])
        for seats in KINDS.values()
    ]


def _measure(files: list[bytes]) -> Speed:
    events = sum(len(file.splitlines()) - 2 for file in files) / len(files)
    assert all(verify(game).passed for file in files for game in games_in(io.BytesIO(file)))
    return Speed(events, _per_second(files, _verify), _per_second(files, _hashed))


def _per_second(files: list[bytes], work: Any) -> float:
    done, started = 0, time.process_time()
    while time.process_time() - started < SECONDS:
        for file in files:
            work(file)
        done += len(files)
    return done / (time.process_time() - started)


def _verify(file: bytes) -> None:
    for game in games_in(io.BytesIO(file)):
        verify(game)


def _hashed(file: bytes) -> None:
    salts, head = chain.Salts(bytes(32), "benchmark"), bytes(32)
    for number, line in enumerate(file.splitlines()):
        committed = chain.canonical(orjson.loads(line))
        head = chain.link(head, chain.commit(salts.of(number), committed))


def run(rounds: int = 3) -> list[tuple[list[Speed], list[Speed]]]:
    """(plain, compiled) of each round, one right after the other, each in a process of its own."""
    path = f"{place()}{os.pathsep}{ROOT}"
    compiled_domain = {"PYTHONPATH": path, "PYTHONSAFEPATH": "1", SWITCH: "1"}
    return [(_apart(seed, {SWITCH: "0"}), _apart(seed, compiled_domain)) for seed in range(1, rounds + 1)]


def _apart(seed: int, environ: dict[str, str]) -> list[Speed]:
    command = [sys.executable, "-m", "benchmarks.verify", str(seed)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | environ, capture_output=True, text=True, check=True
    )
    return [Speed(*map(float, line.split())) for line in done.stdout.splitlines()]


if __name__ == "__main__":
    for speed in measure(int(sys.argv[1])):
        sys.stdout.write("{} {} {}\n".format(*speed))
