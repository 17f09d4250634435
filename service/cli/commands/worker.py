"""`migrato worker`: one worker process in the foreground."""

import os
import sys

import click

from service.cli.installation import ROOT
from service.cli.store_access import absolute

EXAMPLES = """\b
Examples:
  migrato worker dispatch           the dispatcher: turns recorded events into jobs, sweeps what got stuck
  migrato worker work               a bot worker: bot moves and scoring
  migrato worker think              a thinker: hints, and moves in positions that callers describe
  migrato worker remote             calls the bots of remote seats, many at a time
  migrato worker webhooks           fills apps' event logs and sends webhooks
  migrato worker archive            moves finished games to the archive
  migrato worker dispatch remote    several that wait in one process; bots and thinkers have one each
"""


@click.command(epilog=EXAMPLES)
@click.argument(
    "roles",
    nargs=-1,
    required=True,
    type=click.Choice(["dispatch", "work", "think", "remote", "webhooks", "archive"]),
)
def worker(roles: tuple[str, ...]) -> None:
    """Run one worker process in the foreground, for deployments that supervise processes themselves.

    It uses MIGRATO_REDIS_URL and MIGRATO_QUEUE_URL. `migrato serve` runs all that are needed by itself.
    """
    if os.environ.get("MIGRATO_ARCHIVE"):
        os.environ["MIGRATO_ARCHIVE"] = absolute(os.environ["MIGRATO_ARCHIVE"])
    os.chdir(ROOT)
    os.execv(sys.executable, [sys.executable, "-m", "workers", *roles])  # noqa: S606 (this process becomes it)
