"""Askers of bots who come all at once: how evenly they are served, and what a refusal costs.

`python -m benchmarks askers [CHECKOUT [SECONDS]]`: of another checkout's engine, by its own environment. A polite asker
waits as long as `Retry-After` says and sends the same `Idempotency-Key` again; one without keys only waits; an
impatient one does neither. All are one app. Figures are answers in a fixed time, and processor time of all processes of
the engine, which other work on the machine changes less.
"""

import http.client
import json
import os
import signal
import time
import urllib.request
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.moves import HOST, Service, running
from benchmarks.processor_time import CLIENT, processor_seconds, seconds_of_thinkers

BOT: Final = "ismcts"
SECONDS: Final = 30.0
REFUSED: Final = 400  # requests whose refusal is measured
POLITE, KEYLESS, IMPATIENT = "polite", "polite, no keys", "impatient"
CROWDS: Final = (
    (30, {POLITE: 50}),
    (30, {KEYLESS: 50}),
    (30, {POLITE: 25, IMPATIENT: 25}),
    (30, {POLITE: 5, IMPATIENT: 45}),
    (200, {POLITE: 50}),
    (200, {POLITE: 25, IMPATIENT: 25}),
)  # milliseconds that each may think, and who asks

Json = dict[str, Any]


@dataclass(slots=True)
class Asked:
    """Answers and refusals of one asker."""

    kind: str
    answers: int = 0
    refusals: int = 0


@dataclass(frozen=True, slots=True)
class Served:
    """A crowd after its time: what each asker got, and processor seconds that the engine took meanwhile."""

    milliseconds: int
    asked: list[Asked]
    seconds: float
    processor: float

    def of(self, kind: str) -> list[int]:
        """Answers of the askers of that kind, the least first."""
        return sorted(one.answers for one in self.asked if one.kind == kind)


def position(url: str) -> Json:
    """A position to ask about: the first of a new game."""
    body = json.dumps({"seats": [{"kind": "human"}, {"kind": "human"}], "rated": False}).encode()
    made = _get(f"{url}/v1/games", body=body)
    path, token = f"{url}/v1/games/{made['id']}", made["seats"][0]["token"]
    return {"view": _get(path, token), "history": _get(f"{path}/events", token)["events"]}


def _get(url: str, token: str | None = None, body: bytes | None = None) -> Json:
    headers = {"Content-Type": "application/json"} | (
        {} if token is None else {"Authorization": f"Bearer {token}"}
    )
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=30) as answer:
        found: Json = json.load(answer)
        return found


class Caller:
    """One connection to the engine."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection(HOST, port, timeout=60)

    def choose(self, body: bytes, **headers: str) -> tuple[int, int]:
        """The status of an answer, and its Retry-After or 0."""
        sent = {
            "Content-Type": "application/json",
            **{name.replace("_", "-"): v for name, v in headers.items()},
        }
        try:
            self._connection.request("POST", f"/v1/bots/{BOT}/choose", body, sent)
            answer = self._connection.getresponse()
            answer.read()
        except (http.client.HTTPException, OSError):  # a connection that the engine has ended
            self._connection.close()
            return 0, 0
        return answer.status, int(answer.headers.get("Retry-After") or 0)


def _ask(port: int, body: bytes, asked: Asked, until: float) -> None:
    caller = Caller(port)
    while (now := time.monotonic()) < until:
        key = str(uuid.uuid4())
        while now < until:
            status, after = caller.choose(body, **({"Idempotency_Key": key} if asked.kind == POLITE else {}))
            now = time.monotonic()
            if status == 200:
                asked.answers += now <= until
                break
            asked.refusals += status == 503
            if asked.kind != IMPATIENT:
                time.sleep(min(after, max(0.0, until - now)))


def crowd(service: Service, milliseconds: int, kinds: dict[str, int], seconds: float = SECONDS) -> Served:
    """Let so many askers of each kind ask for a time."""
    body = json.dumps(position(service.url) | {"budget": {"milliseconds": milliseconds}}).encode()
    asked = [Asked(kind) for kind, number in kinds.items() for _ in range(number)]
    before = _processor(service)
    until = time.monotonic() + seconds
    with ThreadPoolExecutor(len(asked)) as threads:
        for one in [threads.submit(_ask, service.port, body, who, until) for who in asked]:
            one.result()
    return Served(milliseconds, asked, seconds, _processor(service) - before)


def _processor(service: Service) -> float:
    used = processor_seconds(service.pid)
    used.pop(CLIENT)
    return sum(used.values())


def refusal(service: Service) -> tuple[float, float]:
    """Microseconds of the engine's processor time for an answer of one iteration, and for a refusal.

    The thinker is paused while the queue fills, and while it is full.
    """
    body = json.dumps(position(service.url) | {"budget": {"iterations": 1}}).encode()
    caller = Caller(service.port)
    for _ in range(20):
        caller.choose(body)
    before = _processor(service)
    for _ in range(REFUSED):
        assert caller.choose(body)[0] == 200
    answered, thinker = _processor(service) - before, min(seconds_of_thinkers(service.pid))
    os.kill(thinker, signal.SIGSTOP)
    try:
        full = json.dumps(position(service.url) | {"budget": {"milliseconds": 700}}).encode()
        while caller.choose(full, Prefer="respond-async")[0] == 202:
            pass
        before = _processor(service)
        for _ in range(REFUSED):
            caller.choose(full)
        refused = _processor(service) - before
    finally:
        os.kill(thinker, signal.SIGCONT)
    return 1e6 * answered / REFUSED, 1e6 * refused / REFUSED


def run(checkout: Path | None = None, seconds: float = SECONDS, port: int = 8989) -> Iterator[Served]:
    """Each crowd at a service of its own with one thinker."""
    for milliseconds, kinds in CROWDS:
        with running(port, checkout=checkout, settings={"MIGRATO_THINK_WORKERS": "1"}) as service:
            yield crowd(service, milliseconds, kinds, seconds * (4 if milliseconds > 100 else 1))


def lines(checkout: Path | None = None, seconds: float = SECONDS) -> Iterator[str]:
    """The table, line by line, and what a refusal costs."""
    load = os.getloadavg()[0]
    yield f"## Askers of `{BOT}`, one thinker, {seconds:.0f} s (at 200 ms {4 * seconds:.0f}); load before: {load:.1f}"
    yield ""
    yield "| who asks | ms each | answers | a processor second | least and most | least of most | refusals |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for served in run(checkout, seconds):
        total = sum(one.answers for one in served.asked)
        for kind in dict.fromkeys(one.kind for one in served.asked):
            found = served.of(kind)
            refusals = sum(one.refusals for one in served.asked if one.kind == kind)
            yield (
                f"| {len(found)} {kind} | {served.milliseconds} | {sum(found)} | {total / served.processor:.1f} "
                f"| {found[0]} to {found[-1]} | {found[0] / max(1, found[-1]):.0%} | {refusals:,} |"
            )
    with running(8989, checkout=checkout, settings={"MIGRATO_THINK_WORKERS": "1"}) as service:
        answered, refused = refusal(service)
    yield ""
    yield f"An answer of one iteration takes {answered:,.0f} us of the engine's processor, a refusal {refused:,.0f}."


def main(arguments: list[str]) -> int:
    """Print the table; the exit code."""
    checkout = Path(arguments[0]).resolve() if arguments else None
    for line in lines(checkout, float(arguments[1]) if len(arguments) > 1 else SECONDS):
        print(line, flush=True)
    return 0
