"""`migrato fsck`: is the store whole?"""

import json
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import asdict

import click
from rich.console import Console

from domain.registry import GAMES
from events.errors import StoreUnavailable
from events.fsck.check import PATIENCE, Fsck, Report
from events.fsck.findings import Finding
from events.log.signing import Keyring
from events.runtime import adapters, bootstrap
from events.runtime.key_files import KeyFiles
from events.runtime.settings import Settings, SettingsError
from events.runtime.stores import archives
from events.runtime.stores.store_check import StoreCheck
from service.cli.exits import Failure
from service.cli.store_access import store_settings
from service.cli.wording import counted

EXAMPLES = """\b
Examples:
  migrato fsck                          beside a running `migrato serve`, or with nothing running
  migrato fsck --repair                 and put right what can be put right without a doubt
  migrato fsck --json | python -m json.tool
"""


@click.command(epilog=EXAMPLES)
@click.option("--data-dir", metavar="DIR", help="Where `migrato serve` keeps its games.  [MIGRATO_DATA_DIR]")
@click.option(
    "--repair", is_flag=True, help="Put right what is safe: indexes, orphaned keys, leftovers, half a move."
)
@click.option("--json", "as_json", is_flag=True, help="The findings as one JSON document.")
@click.option(
    "--patience",
    type=click.FloatRange(0),
    default=PATIENCE,
    show_default=True,
    metavar="SECONDS",
    help="How long a game may wait for a bot, and the feed for the dispatcher.",
)
def fsck(data_dir: str | None, repair: bool, as_json: bool, patience: float) -> None:
    """Check the event store and the archive: every stream, what stands beside it, every file, and the servers.

    It may run beside a live service. Each finding tells the game, the key or file, and what to do about it. Exit
    code 0: all is well, or was put right; 1: something is left, or it was interrupted; 2: it could not be checked.
    """
    report, interrupted = Report(), False
    with store_settings(data_dir) as settings:
        report.findings += _of_servers(settings)
        try:
            checked(settings, repair=repair, patience=patience, report=report)
        except KeyboardInterrupt:
            interrupted = True
    if as_json:
        click.echo(json.dumps({**_document(report), "interrupted": interrupted}, indent=2))
    else:
        for finding in report.findings:
            click.echo(_sentence(finding))
        click.echo(_summary(report, interrupted))
    if report.left or interrupted:
        sys.exit(Failure.exit_code)


def checked(settings: Settings, *, repair: bool, patience: float, report: Report | None = None) -> Report:
    """Look through the settings' store and archive; `patience` in seconds, `report` as `Fsck.run` fills it."""
    reader = archives.archive_reader(settings)
    archive = None if reader is None else (reader, bootstrap.mover(settings))
    console = Console(stderr=True)
    link = adapters.patient_link(settings)
    forks = adapters.seat_forks(settings)
    keyring = Keyring()
    with suppress(SettingsError):  # without keys, or with broken ones, everything else can be checked
        keyring = KeyFiles(settings.signing_keys).keyring()
    walk = Fsck(link, GAMES, archive, repair=repair, patience=patience, seat_forks=forks, keyring=keyring)
    if not console.is_terminal:
        return walk.run(report=report)
    with console.status("checking") as status:
        return walk.run(lambda what, count: status.update(f"checking: {count:,} {what}"), report)


def _of_servers(settings: Settings) -> list[Finding]:
    """Check that the servers keep all that they are given; a queue that does not answer is not the store's business."""
    check = StoreCheck(settings)
    faults = check.of_store()
    with suppress(StoreUnavailable):
        faults += check.of_queue()
    return [Finding(fault.code, None, fault.where, fault.detail) for fault in faults]


def _sentence(finding: Finding) -> str:
    named = [finding.code, *([finding.game_id] if finding.game_id else []), finding.where]
    what = "Repaired." if finding.repaired else finding.kind.remedy
    return f"{'  '.join(named)}\n    {finding.detail} {what}"


def _summary(report: Report, interrupted: bool) -> str:
    files = counted(report.files, "file")
    looked = f"{counted(report.games, 'game')} in Redis, {report.archived:,} in {files} of the archive"
    until = " Interrupted: what came after was not looked at." if interrupted else ""
    if not report.findings:
        return f"{looked}: all is well.{until}"
    repaired = len(report.findings) - len(report.left)
    return f"{looked}: {counted(len(report.findings), 'finding')}, {repaired} of them repaired.{until}"


def _document(report: Report) -> dict[str, object]:
    return {
        "games": report.games,
        "archived": report.archived,
        "files": report.files,
        "codes": dict(sorted(Counter(finding.code for finding in report.findings).items())),
        "left": len(report.left),
        "findings": [{**asdict(finding), "remedy": finding.kind.remedy} for finding in report.findings],
    }
