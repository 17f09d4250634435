"""Processes that die at once, alone or together, or stand still."""

import os
import random
import signal
import time
from contextlib import suppress
from functools import partial
from typing import Final

from drills.engine import KINDS, QUEUE, STORE, SUPERVISOR
from drills.faults.fault import Fault, Scene, Struck, its_own_store

COMES_BACK: Final = 15.0  # seconds until a process that was just killed is there again, to be killed again
BESIDE_ITS_STORE: Final = ("archiver", STORE, QUEUE)  # what the engine starts where it starts its store
ANYWHERE: Final = (*(kind for kind in KINDS.values() if kind not in BESIDE_ITS_STORE), "web worker")
EVERY_KIND: Final = (*KINDS.values(), "web worker", STORE, QUEUE)


def _kill(kind: str, scene: Scene, rng: random.Random) -> Struck:
    pid = _found(scene, kind)
    os.kill(pid, signal.SIGKILL)
    return Struck(f"process {pid}", scene.history.now(), kills=1)


def _found(scene: Scene, kind: str) -> int:
    deadline = time.monotonic() + COMES_BACK
    while (pid := scene.engine.pid_of(kind)) is None:
        if time.monotonic() > deadline:
            raise AssertionError(f"there is no {kind}:\n{scene.engine.tail()}")
        time.sleep(0.05)
    return pid


def _kill_several(scene: Scene, rng: random.Random) -> Struck:
    """Processes of several kinds at the same moment."""
    chosen = rng.sample(sorted(EVERY_KIND), rng.randint(2, 4))
    killed = [kind for kind in chosen if _killed(scene, kind)]
    return Struck(", ".join(killed), scene.history.now(), kills=len(killed))


def _killed(scene: Scene, kind: str) -> bool:
    pid = scene.engine.pid_of(kind)
    with suppress(ProcessLookupError):
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
            return True
    return False


def _kill_supervisor(scene: Scene, rng: random.Random) -> Struck:
    """Everything dies with it, as in a power cut; the operator starts it again."""
    kills = scene.engine.kill()
    healed = scene.history.now()
    scene.engine.start()
    return Struck("started again", healed, kills, scene.history.now())


def _pause(kind: str, scene: Scene, rng: random.Random) -> Struck:
    """Stand still, as on a machine that is short of memory; connections stay open, and nothing is answered."""
    pid = _found(scene, kind)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGSTOP)
        time.sleep(scene.hold)
        os.kill(pid, signal.SIGCONT)
    return Struck(f"{scene.hold:.0f} s", scene.history.now())


FAULTS: Final = (
    *(Fault(f"kill {kind}", partial(_kill, kind)) for kind in ANYWHERE),
    *(Fault(f"kill {kind}", partial(_kill, kind), missing=its_own_store) for kind in BESIDE_ITS_STORE),
    Fault("kill several", _kill_several),
    Fault(f"kill {SUPERVISOR}", _kill_supervisor),
    Fault(f"pause {STORE}", partial(_pause, STORE), missing=its_own_store),
    Fault("pause web worker", partial(_pause, "web worker")),
)
