"""Time that people wait for a bot: 200 games at once against one, through HTTP, every human turn answered by the bot.

The clock of an answer starts when the service has answered the human's move, and stops when a long poll has told the
human that the bot's turn is over: what a player sees, the way of the long poll included. Beside it stands what the
service's own metrics say: how long the jobs waited for a worker, and how many appends came within a second of the one
that they answer.

Two paces. "Paced": people rest for PAUSE seconds before each turn, as quick players do. "Closed loop": nobody rests, so
as much is asked as is answered, and what it tells is the rate: 200 games divided by it are what a whole round of human,
bot and network takes, wherever the time goes.
"""

import json
import random
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from benchmarks.http_load import request
from benchmarks.http_players import Player, play
from benchmarks.moves import HOST, service

GAMES = 200
BOT = "greedy"
BOT_WORKERS = 1  # it moves for many games together; several would read each other's games again and again
SECONDS = 25.0
WARM_UP = 5.0  # seconds whose answers are not counted
PAUSE = (2.0, 5.0)  # seconds that a person rests, anything between

Json = dict[str, Any]
Pause = Callable[[], float]


@dataclass(slots=True)
class Waits:
    """Seconds that each answer took which was asked for within a time."""

    begin: float
    end: float
    seconds: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Answers:
    """Times of the bot's answers in milliseconds; `within_a_second` is a part of all."""

    per_second: float
    p50: float
    p99: float
    most: float
    queue_wait: float
    within_a_second: float


def person(waits: Waits, rng: random.Random, pause: Pause) -> Player:
    """Plays one game after another until the time is up: some bird wherever it can go, or else anything."""
    yield rng.uniform(0.0, pause())
    while time.perf_counter() < waits.end:
        body = json.dumps({"seats": [{"kind": "human", "player": "ada"}, {"kind": "bot", "bot": BOT}]})
        created = json.loads((yield request("POST", "/v1/games", body.encode())))
        path, token = f"/v1/games/{created['id']}", created["seats"][0]["token"]
        game = json.loads((yield request("GET", path, token=token)))
        while game["result"] is None and time.perf_counter() < waits.end:
            if game["to_act"] == 0:
                yield pause()
                legal = json.loads((yield request("GET", f"{path}/legal-moves", token=token)))
                move = json.dumps(_turn(game, legal["moves"], rng)).encode()
                game = json.loads((yield request("POST", f"{path}/moves", move, token)))["game"]
            asked = time.perf_counter()
            while game["to_act"] == 1:
                poll = request("GET", f"{path}?wait=20", token=token, version=game["version"])
                game = json.loads((yield poll))
                if game["to_act"] != 1 and asked > waits.begin:
                    waits.seconds.append(time.perf_counter() - asked)


def _turn(game: Json, legal: list[Json], rng: random.Random) -> Json:
    """A whole turn in one request, where that can be."""
    plays = [move for move in legal if move["type"] == "play"]
    move = dict(rng.choice(plays or legal))
    others = [card for card in game["state"]["players"][0]["hand"] if card != move.get("card")]
    if plays and others:
        move["discard"] = rng.choice(others)
    return move


def measure(url: str, port: int, pause: Pause, seconds: float) -> Answers:
    """Let 200 people play for so long."""
    now = time.perf_counter()
    waits = Waits(now + WARM_UP, now + WARM_UP + seconds)
    before = _metrics(url)
    play(HOST, port, [person(waits, random.Random(number), pause) for number in range(GAMES)])
    after = _metrics(url)
    ordered = sorted(waits.seconds)

    def grown(name: str, **labels: str) -> float:
        sample = (name, frozenset(labels.items()))
        return after[sample] - before.get(sample, 0.0)

    job = {"queue": "migrato", "job": "bot"}
    waited = grown("migrato_job_wait_seconds_sum", **job) / grown("migrato_job_wait_seconds_count", **job)
    prompt = grown("migrato_answer_seconds_bucket", due="bot", le="1.0")
    return Answers(
        per_second=len(ordered) / seconds,
        p50=ordered[len(ordered) // 2] * 1000,
        p99=ordered[len(ordered) * 99 // 100] * 1000,
        most=ordered[-1] * 1000,
        queue_wait=waited * 1000,
        within_a_second=prompt / grown("migrato_answer_seconds_count", due="bot"),
    )


def _metrics(url: str) -> Mapping[tuple[str, frozenset[tuple[str, str]]], float]:
    with urllib.request.urlopen(f"{url}/metrics") as answer:
        families = text_string_to_metric_families(answer.read().decode())
    samples = (sample for family in families for sample in family.samples)
    return {(sample.name, frozenset(sample.labels.items())): sample.value for sample in samples}


def run(
    port: int = 8997, bot_workers: int = BOT_WORKERS, seconds: float = SECONDS
) -> Iterator[tuple[str, Answers]]:
    """The answers by pace, one service for both."""
    rng = random.Random(0)
    paces: dict[str, Pause] = {"paced": lambda: rng.uniform(*PAUSE), "closed loop": lambda: 0.0}
    with service(port, bot_workers=bot_workers) as url:
        for name, pause in paces.items():
            yield name, measure(url, port, pause, seconds)
