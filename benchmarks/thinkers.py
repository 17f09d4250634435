"""Thinkers side by side: answers of 1, 2 and 4 of them, and one that is stopped under load.

`python -m benchmarks thinkers [SECONDS]`. Callers ask the same searching bot without a pause, four for each thinker. In
the middle of each run one thinker gets SIGTERM; the supervisor starts another one. Every question must be answered.
On more thinkers than cores the machine is the limit: so answers are counted by the thinkers' processor time, too, and
the model is that with a core for each.
"""

import json
import os
import signal
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from prometheus_client.parser import text_string_to_metric_families

from benchmarks.askers import Caller, position
from benchmarks.moves import Service, running
from benchmarks.processor_time import seconds_of_thinkers

BOT: Final = "ismcts"
ITERATIONS: Final = 150
CALLERS: Final = 4  # for each thinker
SECONDS: Final = 20.0
WARM_UP: Final = 20  # questions


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers of so many thinkers in a time. `seconds`: processor time of the thinkers; `thought`: answers by their own
    count, one for each question.
    """

    thinkers: int
    asked: int
    answered: int
    thought: int
    wall: float
    seconds: float


def measure(service: Service, thinkers: int, seconds: float) -> Answers:
    """Let them answer for a time, while one of them is replaced."""
    body = json.dumps(position(service.url) | {"budget": {"iterations": ITERATIONS}}).encode()
    warm = Caller(service.port)
    for _ in range(WARM_UP):
        warm.choose(body)
    before, thought, began = seconds_of_thinkers(service.pid), _thought(service.url), time.monotonic()
    until = began + seconds
    asked, answered, lock = 0, 0, threading.Lock()

    def ask() -> None:
        nonlocal asked, answered
        caller = Caller(service.port)
        while time.monotonic() < until:
            status = caller.choose(body)[0]
            with lock:
                asked, answered = asked + 1, answered + (status == 200)

    with ThreadPoolExecutor(CALLERS * thinkers) as threads:
        tasks = [threads.submit(ask) for _ in range(CALLERS * thinkers)]
        time.sleep(seconds / 2)
        os.kill(min(seconds_of_thinkers(service.pid)), signal.SIGTERM)
        for task in tasks:
            task.result()
    wall, after = time.monotonic() - began, seconds_of_thinkers(service.pid)
    used = sum(after[pid] - before.get(pid, 0.0) for pid in after) + _of_gone(before, after)
    return Answers(thinkers, asked, answered, _thought(service.url) - thought, wall, used)


def _of_gone(before: Mapping[int, float], after: Mapping[int, float]) -> float:
    """Processor time of a thinker that has ended, about half of what one of the others took."""
    ended = before.keys() - after.keys()
    return len(ended) * sum(after.values()) / max(1, len(after)) if ended else 0.0


def _thought(url: str) -> int:
    """Answers that bots have come to, by the service's own metrics."""
    with urllib.request.urlopen(f"{url}/metrics") as answer:
        families = list(text_string_to_metric_families(answer.read().decode()))
    samples = [sample for family in families for sample in family.samples]
    return round(sum(s.value for s in samples if s.name == "migrato_bot_thinking_seconds_count"))


def lines(seconds: float = SECONDS, port: int = 8988) -> Iterator[str]:
    """The table, line by line."""
    yield f"## Thinkers: `{BOT}` with {ITERATIONS} iterations, {seconds:.0f} s each; {os.cpu_count()} cores"
    yield ""
    yield "| thinkers | asked | answered | thought | a second | a processor second | with a core each | load |"
    yield "|--:|--:|--:|--:|--:|--:|--:|--:|"
    for thinkers in (1, 2, 4):
        with running(port, settings={"MIGRATO_THINK_WORKERS": str(thinkers)}) as service:
            found = measure(service, thinkers, seconds)
        each = found.answered / found.seconds
        yield (
            f"| {thinkers} | {found.asked} | {found.answered} | {found.thought} | {found.answered / found.wall:.1f} "
            f"| {each:.1f} | {each * thinkers:.0f} | {os.getloadavg()[0]:.1f} |"
        )


def main(arguments: list[str]) -> int:
    """Print the table; the exit code."""
    for line in lines(float(arguments[0]) if arguments else SECONDS):
        print(line, flush=True)
    return 0
