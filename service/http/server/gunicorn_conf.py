"""Configuration of gunicorn for the service.

`gunicorn -c python:service.http.server.gunicorn_conf service.http.server.wsgi:application`
"""

import os
import resource
import sys
import time
from contextlib import suppress

from gunicorn.arbiter import Arbiter
from gunicorn.workers.base import Worker

import compiled.preferred  # noqa: F401 (before anything imports the domain)
from events.runtime.heartbeat import FIRST_WITHIN, Heartbeat
from events.runtime.settings import SettingsError, load
from service.http.server.bind_check import (
    are_there_apps_elsewhere,
    refuse_open_door,
    refuse_unfit_elsewhere,
)

try:
    settings = load(os.environ)
    refuse_open_door(settings, are_there_apps_elsewhere)
    if settings.redis_url is not None:
        refuse_unfit_elsewhere(settings)
except SettingsError as error:
    raise SystemExit(f"migrato: {error}") from error
if settings.redis_url is None:
    raise SystemExit(
        "migrato: MIGRATO_REDIS_URL must be set; only `migrato serve` brings a Redis of its own."
    )

LISTENER = "MIGRATO_LISTENER"  # number of the descriptor of a bound socket that this process has inherited
TURN = 5.0  # seconds; the arbiter's loop turns at least once a second


def on_starting(arbiter: Arbiter) -> None:
    """Let the arbiter give signs of life whenever it looks after its workers.

    It kills no worker right after it was stopped itself: they may have been stopped with it, and so could not tell it
    that they live.
    """
    look_after_workers, heartbeat, turned = (
        arbiter.murder_workers,
        Heartbeat.from_environ(os.environ),
        time.monotonic(),
    )

    def turn() -> None:
        nonlocal turned
        heartbeat.beat()
        before, turned = turned, time.monotonic()
        if turned - before < TURN:
            tell_silent(arbiter)
            look_after_workers()

    arbiter.murder_workers = turn


def tell_silent(arbiter: Arbiter) -> None:
    """Say why gunicorn is about to kill a worker: it only guesses, once it has, that the memory was full."""
    for pid, worker in list(arbiter.WORKERS.items()):
        with suppress(OSError, ValueError):  # it is just ending
            if not worker.aborted and time.monotonic() - worker.tmp.last_update() > arbiter.timeout:
                arbiter.log.critical("web worker %s hangs, it gives no sign of life: killed", pid)


def pre_fork(arbiter: Arbiter, worker: Worker) -> None:
    """Let the worker's start take its time, and no longer: gunicorn itself waits for a first sign of life for ever.

    All workers but one take connections where one stands by.
    """
    if settings.web_standby and arbiter.num_workers > 1:
        worker.places.number = arbiter.num_workers - 1
    else:
        worker.places.number = None
    first = time.monotonic() + max(0.0, FIRST_WITHIN - timeout)
    os.utime(worker.tmp.fileno(), (first, first))


def post_worker_init(worker: Worker) -> None:  # noqa: ARG001 (so it is called)
    """Tell other processes what this one reads, and the supervisor that it serves: another one may end now."""
    from events.runtime.stores.format_watch import announce

    try:
        announce(settings)
    except SettingsError as error:
        sys.stderr.write(f"migrato: {error}\n")
        raise SystemExit(Arbiter.WORKER_BOOT_ERROR) from error
    Heartbeat.from_environ(os.environ).say_ready()


def child_exit(arbiter: Arbiter, worker: Worker) -> None:  # noqa: ARG001 (so it is called)
    """Count the connections of a worker that is no more as nobody's."""
    worker.share.give_back()


# A stream takes a file, its caller's connection, and 1024 files are soon gone.
FILES = 65_536
few, most = resource.getrlimit(resource.RLIMIT_NOFILE)
if few < FILES:
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (FILES if most == resource.RLIM_INFINITY else min(FILES, most), most)
    )

# A stream or a long poll costs a greenlet, so one kind of worker serves everything on one port.
worker_class = "service.http.server.web_worker.ProblemWorker"
workers = settings.web_workers
worker_connections = 10_000
bind = f"[{settings.host}]:{settings.port}" if ":" in settings.host else f"{settings.host}:{settings.port}"
if LISTENER in os.environ:  # `migrato serve` has opened it
    bind = f"fd://{os.environ[LISTENER]}"
backlog = 2048

keepalive = (
    75  # seconds an idle connection is kept; also the time in which a head, and then a body, must arrive
)
timeout = settings.hang_seconds  # a worker that blocks its loop for so long, or is stopped, is replaced
graceful_timeout = settings.drain_seconds  # what is still open is then cut off, and its clients come again

limit_request_line = 4094
limit_request_fields = 64
limit_request_field_size = 4094

sendfile = False  # it would go past the worker, which hangs up on those who do not read
accesslog = None
errorlog = "-"
loglevel = settings.log_level
logger_class = "service.http.server.gunicorn_log.EngineLogger"
proc_name = "migrato"
control_socket_disable = True
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: PTH112, S108 -- heartbeats, not files
