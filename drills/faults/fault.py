"""A fault, and the engine that it is done to."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from drills.clients.client import AppKey
from drills.cluster.servers import Cluster
from drills.engine import Engine
from drills.history import History


@dataclass(frozen=True, slots=True)
class Scene:
    """The engine to be hurt. `hold`: seconds for which the long faults last; `disk`: the engine has one of its own.

    `clock` is the file that holds the offset of the engine's clock; None where its clock cannot be moved. `cluster`
    keeps the games; None where a server of the engine does.
    """

    engine: Engine
    history: History
    app_key: AppKey
    hold: float
    disk: bool
    clock: Path | None
    cluster: Cluster | None = None


class Struck(NamedTuple):
    """Course of a fault in words, the time from which nothing was broken any more, and the number of killed processes.

    `ready`: when an engine that was started again said that it is ready; None where none was.
    """

    detail: str
    healed: float
    kills: int = 0
    ready: float | None = None


def everywhere(scene: Scene) -> str | None:
    """None, for a fault that any scene allows."""
    return None


def its_own_store(scene: Scene) -> str | None:
    """The engine has started its store itself."""
    return None if scene.cluster is None else "the games are in a cluster, which the engine has not started"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that can go wrong.

    `strike` breaks something, holds it broken, mends it. `loses`: the engine may lose what it has answered, because
    what had been on the disk was destroyed. `missing` says why it cannot be done to a scene; None if it can.
    """

    name: str
    strike: Callable[[Scene, random.Random], Struck]
    loses: bool = False
    missing: Callable[[Scene], str | None] = everywhere
