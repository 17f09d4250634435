"""`python -m workers dispatch` and `python -m workers work`: the worker processes."""

import logging
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

USAGE = "usage: python -m workers dispatch|work"


def dispatch() -> None:
    """Run a dispatcher until SIGTERM or SIGINT."""
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    feed = events_bootstrap.feed(bootstrap.settings(), GROUP, CONSUMER)
    server = bootstrap.queue_server()
    Dispatcher(feed, bootstrap.application(), JobQueue(server), server).run(stop.is_set)
    logging.getLogger("migrato.dispatcher").info("stopped")


def work_on_jobs() -> None:
    """Run a bot worker until SIGTERM or SIGINT."""
    bootstrap.application()  # a wrong setting shows now, not with the first job
    work(bootstrap.queue_server)


ROLES: dict[str, Callable[[], None]] = {"dispatch": dispatch, "work": work_on_jobs}


def main(arguments: list[str]) -> int:
    """The exit code: 0, or 2 for wrong use and wrong settings."""
    if len(arguments) != 1 or arguments[0] not in ROLES:
        sys.stderr.write(f"{USAGE}\n")
        return 2
    try:
        bootstrap.set_up_logging()
        ROLES[arguments[0]]()
    except SettingsError as error:
        sys.stderr.write(f"Error: {error}\n")
        return 2
    except KeyboardInterrupt:  # before the handlers were there
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
