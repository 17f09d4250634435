"""`python -m workers ROLE`: a worker process. Roles that mostly wait can share one: `python -m workers dispatch
remote`.
"""

import os
import signal
import sys
from collections.abc import Callable, Sequence
from functools import partial

import compiled.preferred  # noqa: F401 (before anything imports the domain)
import workers.greenlets.monkeypatching  # (before anything opens connections)
from events.runtime import adapters, logs
from events.runtime import bootstrap as events_bootstrap
from events.runtime.heartbeat import Heartbeat
from events.runtime.settings import SettingsError
from events.runtime.stores.format_watch import announce
from events.runtime.stores.store_check import StoreCheck, StoreWatch, refuse_unfit
from workers import bootstrap
from workers.batch_worker import BatchWorker
from workers.bot_worker import work
from workers.dispatcher import CONSUMER, GROUP, Dispatcher
from workers.greenlets.beside import Beside
from workers.job_queue.queue import JobQueue
from workers.question_worker import answer_questions
from workers.reactions.clocks import ClockWatch

StopCheck = Callable[[], bool]

USAGE = """usage: python -m workers dispatch|work|think|remote|webhooks|archive
or several of dispatch, remote, webhooks and archive"""
TOGETHER = "background"  # the name of a process in several roles


def run_dispatcher(stopping: StopCheck) -> None:
    """Run a dispatcher."""
    feed = adapters.feed(bootstrap.settings(), GROUP, CONSUMER)
    server = bootstrap.queue_server()
    queue = JobQueue(server, bootstrap.settings().remote_seconds)
    together = bootstrap.together() or Beside()
    application, watch = bootstrap.application(), None
    if application.timekeeping is not None:
        watch = ClockWatch(adapters.clock_store(bootstrap.settings()), application.timekeeping)
    store_watch = StoreWatch(StoreCheck(bootstrap.settings()))
    usage = bootstrap.usage_counting()
    Dispatcher(
        *(feed, application, queue, server),
        together=together,
        watch=watch,
        store_watch=store_watch,
        usage=usage,
    ).run(stopping)


def run_bot_worker(stopping: StopCheck) -> None:
    """Run a bot worker."""
    bootstrap.application()  # so that a wrong setting shows now, not with the first job
    together = bootstrap.together()
    work(bootstrap.queue_server, stopping, worker=lambda server: BatchWorker(server, stopping, together))


def run_remote_worker(stopping: StopCheck) -> None:
    """Run a worker that calls remote bots."""
    from workers.remote.worker import work_remotely

    settings = bootstrap.settings()
    bootstrap.application()
    work_remotely(bootstrap.queue_server, stopping, settings.remote_calls, settings.remote_seconds)


def run_question_worker(stopping: StopCheck) -> None:
    """Run a worker that thinks about questions to bots."""
    bootstrap.bot_questions()
    answer_questions(bootstrap.queue_server, stopping)


def run_webhook_worker(stopping: StopCheck) -> None:
    """Run a worker that fills apps' logs and sends webhooks."""
    from workers.webhooks.worker import WebhookWorker

    settings = bootstrap.settings()
    parts = events_bootstrap.webhook_parts(settings, bootstrap.application())
    WebhookWorker(parts, bootstrap.queue_server()).run(stopping)


def run_archiver(stopping: StopCheck) -> None:
    """Run an archiver."""
    from workers.archiver import AliveKey, Archiver

    settings, alive = bootstrap.settings(), AliveKey(bootstrap.queue_server())
    mover = events_bootstrap.mover(settings, alive, bootstrap.slices())
    retention = None
    if settings.archive_keep or settings.listings_keep:
        retention = events_bootstrap.retention(settings, alive, bootstrap.slices())
    Archiver(mover, settings.archive_after, alive, retention).run(stopping)


ROLES: dict[str, Callable[[StopCheck], None]] = {
    "dispatch": run_dispatcher,
    "work": run_bot_worker,
    "think": run_question_worker,
    "remote": run_remote_worker,
    "webhooks": run_webhook_worker,
    "archive": run_archiver,
}

NAMES = {
    "dispatch": "dispatcher",
    "work": "bots",
    "think": "thinker",
    "remote": "remote",
    "webhooks": "webhooks",
    "archive": "archiver",
}


def until_signalled() -> StopCheck:
    """A function that says whether SIGTERM or SIGINT has come; the signal handler only notes that.

    It takes no lock, because a second signal would wait for one in the middle of the first signal.
    """
    come = list[int]()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: come.append(number))
    return lambda: bool(come)


def run(roles: Sequence[str]) -> None:
    """Work in these roles until told to stop. An error that ends one role is raised, and so ends all."""
    heartbeat, stopping = Heartbeat.from_environ(os.environ), until_signalled()
    if not workers.greenlets.monkeypatching.ON_GREENLETS:
        ROLES[roles[0]](heartbeat.around(stopping))
        return
    from workers.greenlets.roles import beside_each_other
    from workers.greenlets.watchdog import watchdog

    with watchdog():
        beside_each_other({NAMES[role]: partial(ROLES[role], heartbeat.around(stopping)) for role in roles})


def main(arguments: list[str]) -> int:
    """Run the roles of the command line. Returns the exit code: 0, or 2 for a wrong use or wrong settings."""
    roles, shared = set(arguments), len(arguments) > 1
    known = workers.greenlets.monkeypatching.WAITING if shared else ROLES
    if not roles or not roles.issubset(known) or len(roles) < len(arguments):
        sys.stderr.write(f"{USAGE}\n")
        return 2
    try:
        logs.set_up(TOGETHER if shared else NAMES[arguments[0]], bootstrap.settings())
        refuse_unfit(bootstrap.settings())
        announce(bootstrap.settings())
        run(arguments)
    except SettingsError as error:
        sys.stderr.write(f"Error: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
