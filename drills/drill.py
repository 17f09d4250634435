"""One drill from start to end: an engine, its players, one fault after the other, and what is left to be checked."""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from math import inf
from pathlib import Path
from typing import Any, Final

import orjson
import requests

from drills.clients.client import AppKey
from drills.clients.party import Parties
from drills.clients.remote_bot import ALLOWED, remote_bot
from drills.cluster.node import OneServer
from drills.cluster.servers import Cluster
from drills.engine import Engine, EngineFailed
from drills.faults.clock import movable_clock
from drills.faults.fault import Scene
from drills.faults.keys import app_keys_setting, new_app_key
from drills.faults.table import FAULTS
from drills.ground import ground
from drills.history import DRILL, History, export_of, games_in
from drills.plan import Step, steps

Json = dict[str, Any]
Told = Callable[[str, float], None]  # what goes on now, and how many seconds of the drill are over

GO_ON_LIMIT: Final = 30.0  # seconds until a drill does not wait for a game any longer; the checker judges
PATIENCE: Final = 120.0  # seconds
ARCHIVE_AFTER: Final = "20s"
DISK: Final = (96, 48)  # MiB: to begin with, and for each minute
ASKED_TIMES: Final = 40


@dataclass(frozen=True, slots=True)
class Order:
    """Plan of a drill. `hold`: seconds for which long faults last; `parties`: how many games at once.

    `cluster`: how many masters keep the games, each with a replica; 0: the engine's own server does. `rounds`: how
    often each fault strikes, however long that takes; None: as often as there are minutes for. `patience`: seconds for
    which a client repeats a request, and in which some game must go on at the end.
    """

    minutes: float
    seed: int
    faults: tuple[str, ...]
    parties: int
    hold: float
    cluster: int = 0
    rounds: int | None = None
    patience: float = PATIENCE


def run(order: Order, directory: Path, tell: Told) -> dict[str, str]:
    """Drill, and leave the history in the directory; which faults were left out, and why.

    Raises EngineFailed; NotInTime where the cluster does not do what an operator asks of it.
    """
    with ExitStack() as stack:
        base, each = DISK
        at = stack.enter_context(ground(base + round(each * order.minutes)))
        clock = movable_clock(at.scratch)
        app_key = new_app_key(random.Random(order.seed))
        settings = {
            "MIGRATO_ARCHIVE_AFTER": ARCHIVE_AFTER,
            "MIGRATO_LIMITS": "off",  # its players are faster than any person
            "MIGRATO_ROLES": "apart",  # so that each role is hurt alone
            "MIGRATO_REMOTE_ALLOW": ALLOWED,
            **app_keys_setting(app_key),
            **(clock[1] if clock else {}),
        }
        cluster = stack.enter_context(Cluster(order.cluster, 1)) if order.cluster else None
        if cluster is not None:
            queue = stack.enter_context(OneServer())
            settings |= {"MIGRATO_REDIS_URL": cluster.url, "MIGRATO_QUEUE_URL": queue.url}
            settings |= {"MIGRATO_EPHEMERAL": "1"}  # its servers are in memory
            settings |= {"MIGRATO_REDIS_REPLICAS": "1"}  # else a failover may lose what was answered
        engine = Engine(at.data, directory / "engine.log", settings)
        history = History(directory)
        scene = Scene(engine, history, app_key, order.hold, at.is_disk, clock[0] if clock else None, cluster)
        left_out = {name: why for name in order.faults if (why := FAULTS[name].missing(scene)) is not None}
        stack.callback(engine.end)
        tell("starting the engine", 0.0)
        engine.start()
        bot = stack.enter_context(remote_bot(order.seed))
        parties = Parties(engine.url, history, app_key, order.seed, order.patience, bot)
        try:
            parties.open(order.parties)
            _strike(order, scene, [name for name in order.faults if name not in left_out], tell)
            tell("playing the games to their ends", order.minutes * 60)
            parties.close()
            _keep(scene, parties, directory, tell)
        finally:
            parties.closing.set()
            parties.stopped.set()
    return left_out


def _strike(order: Order, scene: Scene, faults: Sequence[str], tell: Told) -> None:
    """One fault after the other until the plan or the time is up; each once all games have gone on after the last."""
    history = scene.history
    began = history.now()
    plan: Iterator[Step] = steps(order.seed, faults) if faults else iter(())
    end = began + order.minutes * 60
    if order.rounds is not None:
        plan, end = islice(plan, order.rounds * len(faults)), inf
    since = began  # nothing has been hurt yet
    while history.now() < end:
        tell("waiting for all games to go on", history.now() - began)
        _until_all_went_on(history, since, end)
        step = next(plan, None)
        if step is None or history.now() + step.rest >= end:
            time.sleep(max(0.0, end - history.now()) if end < inf else 0.0)
            return
        time.sleep(step.rest)
        tell(step.fault, history.now() - began)
        fault, at = FAULTS[step.fault], history.now()
        running = len(history.running())
        struck = fault.strike(scene, random.Random(step.seed))
        since = history.now()
        history.write(
            DRILL,
            {
                "is": "fault",
                "number": step.number,
                "name": fault.name,
                "detail": struck.detail,
                "began": at,
                "healed": struck.healed,
                "until": history.now(),
                "ready": struck.ready,
                "kills": struck.kills,
                "loses": fault.loses,
                "games": running,
            },
        )


def _until_all_went_on(history: History, since: float, end: float) -> None:
    deadline = min(end, history.now() + GO_ON_LIMIT)
    while history.standing(since) and history.now() < deadline:
        time.sleep(0.05)


def _keep(scene: Scene, parties: Parties, directory: Path, tell: Told) -> None:
    """Everything that the checker needs: exports, keys, what fsck and verify say, what clients could not do."""
    tell("exporting the games", 0.0)
    engine, history = scene.engine, scene.history
    (directory / "exports").mkdir(exist_ok=True)
    for game_id in games_in(directory):
        exported = _got(f"{engine.url}/v1/games/{game_id}/export", scene.app_key)
        if exported is not None:
            export_of(directory, game_id).write_bytes(exported)
    keys = _got(f"{engine.url}/.well-known/migrato-keys.json", scene.app_key)
    assert keys is not None
    (directory / "keys.json").write_bytes(keys)
    for rule, details in (("unanswered", parties.unanswered), ("failed", parties.failures)):
        for detail in details:
            history.write(DRILL, {"is": "finding", "rule": rule, "detail": detail})
    tell("checking the store and the exports", 0.0)
    lossy = any(FAULTS[step].loses for step in _struck(directory))
    _fsck(engine, history, "beside the engine", repair=lossy)
    engine.stop()
    _fsck(engine, history, "with nothing running", repair=False)
    _verify(engine, history, directory)


def _struck(directory: Path) -> list[str]:
    lines = (directory / f"{DRILL}.jsonl").read_bytes().splitlines()
    return [entry["name"] for entry in map(orjson.loads, lines) if entry["is"] == "fault"]


def _got(address: str, app_key: AppKey) -> bytes | None:
    """The document at an address, asked for until it is answered; None if there is nothing."""
    headers = {"Authorization": f"Bearer {app_key.value}"}
    for _ in range(ASKED_TIMES):
        try:
            answer = requests.get(address, headers=headers, timeout=30)
        except requests.RequestException:
            time.sleep(0.5)
            continue
        if answer.status_code == 404:
            return None
        if answer.ok:
            return answer.content
        time.sleep(0.5)
    raise EngineFailed(f"{address} is not answered")


def _fsck(engine: Engine, history: History, when: str, *, repair: bool) -> None:
    """Check the store; after a loss it may be repaired, and nothing else may be wrong."""
    done = engine.command("fsck", "--json", *(["--repair"] if repair else []))
    report = orjson.loads(done.stdout) if done.returncode in (0, 1) else {}
    history.write(DRILL, {"is": "fsck", "when": when, "report": report})
    if done.returncode:
        what = report.get("codes") or done.stderr
        history.write(DRILL, {"is": "finding", "rule": "fsck", "detail": f"{when}: {what}"})


def _verify(engine: Engine, history: History, directory: Path) -> None:
    """Every export: the chain, the signatures by the published keys, the shuffles, the rules."""
    if not any((directory / "exports").iterdir()):
        return
    keys = str(directory / "keys.json")
    done = engine.command("verify", "--json", "--keys", keys, str(directory / "exports"))
    told = [orjson.loads(line) for line in done.stdout.splitlines()]
    reports = [one for one in told if "summary" not in one]
    # A game that is not over is the checker's own finding.
    wrong = [report for report in reports if report.get("verdict") not in ("passed", "incomplete")]
    history.write(DRILL, {"is": "verify", "games": len(reports), "exit_code": done.returncode})
    for report in wrong:
        game_id = report.get("game_id")
        history.write(
            DRILL, {"is": "finding", "rule": "verify", "game_id": game_id, "detail": str(report)[:2000]}
        )
    if done.returncode and len(reports) != len(list((directory / "exports").iterdir())):
        detail = done.stderr[-2000:] or f"exit code {done.returncode}"
        history.write(DRILL, {"is": "finding", "rule": "verify", "detail": detail})
