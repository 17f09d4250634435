"""`python -m workers dispatch` and `python -m workers work`: the worker processes."""

import signal
import sys
from collections.abc import Callable
from threading import Event

from events import bootstrap as events_bootstrap
from events.settings import SettingsError
from workers import bootstrap
from workers.bot_worker import work
from workers.dispatcher import CONSUMER, GROUP, Dispatcher
from workers.queues import JobQueue

Question = Callable[[], bool]

USAGE = "usage: python -m workers dispatch|work"


def dispatch(stopping: Question) -> None:
    """Run a dispatcher."""
    feed = events_bootstrap.feed(bootstrap.settings(), GROUP, CONSUMER)
    server = bootstrap.queue_server()
    Dispatcher(feed, bootstrap.application(), JobQueue(server), server).run(stopping)


def carry_out(stopping: Question) -> None:
    """Run a bot worker."""
    bootstrap.application()  # a wrong setting shows now, not with the first job
    work(bootstrap.queue_server, stopping)


ROLES: dict[str, Callable[[Question], None]] = {"dispatch": dispatch, "work": carry_out}


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
        ROLES[arguments[0]](until_signalled())
    except SettingsError as error:
        sys.stderr.write(f"Error: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
