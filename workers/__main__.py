"""`python -m workers dispatch`, and `work`, `think`, `remote`, `archive` likewise: the worker processes."""

import os
import signal
import sys
from collections.abc import Callable
from threading import Event

import compiled.preferred  # noqa: F401 (before anything imports the domain)
import workers.monkeypatching  # noqa: F401 (before anything opens connections)
from events.runtime import bootstrap as events_bootstrap
from events.runtime.pulse import Pulse
from events.runtime.settings import SettingsError
from workers import bootstrap
from workers.bot_query_worker import think_for_others
from workers.bot_worker import work
from workers.dispatcher import CONSUMER, GROUP, Dispatcher
from workers.queues import JobQueue

Question = Callable[[], bool]

USAGE = "usage: python -m workers dispatch|work|think|remote|archive"


def dispatch(stopping: Question) -> None:
    """Run a dispatcher."""
    feed = events_bootstrap.feed(bootstrap.settings(), GROUP, CONSUMER)
    server = bootstrap.queue_server()
    queue = JobQueue(server, bootstrap.settings().remote_seconds)
    Dispatcher(feed, bootstrap.application(), queue, server).run(stopping)


def carry_out(stopping: Question) -> None:
    """Run a bot worker."""
    bootstrap.application()  # a wrong setting shows now, not with the first job
    work(bootstrap.queue_server, stopping)


def call(stopping: Question) -> None:
    """Run a worker that calls remote bots."""
    from workers.remote.worker import work_remotely

    settings = bootstrap.settings()
    bootstrap.application()
    work_remotely(bootstrap.queue_server, stopping, settings.remote_calls, settings.remote_seconds)


def answer(stopping: Question) -> None:
    """Run a worker that thinks about questions to bots."""
    bootstrap.advice()
    think_for_others(bootstrap.queue_server, stopping)


def move(stopping: Question) -> None:
    """Run an archiver."""
    from workers.archiver import Archiver, Heartbeat

    settings, beat = bootstrap.settings(), Heartbeat(bootstrap.queue_server())
    Archiver(events_bootstrap.mover(settings, beat), settings.archive_after, beat).run(stopping)


ROLES: dict[str, Callable[[Question], None]] = {
    "dispatch": dispatch,
    "work": carry_out,
    "think": answer,
    "remote": call,
    "archive": move,
}


def until_signalled() -> Question:
    """Says whether SIGTERM or SIGINT has come; both only ever set this."""
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    return stop.is_set


def main(arguments: list[str]) -> int:
    """The exit code: 0, or 2 for wrong use and wrong settings."""
    if len(arguments) != 1 or arguments[0] not in ROLES:
        sys.stderr.write(f"{USAGE}\n")
        return 2
    try:
        bootstrap.set_up_logging()
        ROLES[arguments[0]](Pulse.of(os.environ).around(until_signalled()))
    except SettingsError as error:
        sys.stderr.write(f"Error: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
