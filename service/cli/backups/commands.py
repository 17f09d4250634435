"""The two commands: what they ask for, and what they say."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import click

from events.backup.at_rest import ArchiverAtWork
from events.backup.dump import DumpRefused
from events.backup.package import BadBackup, PackageWriter, private
from events.errors import CorruptStream, StoreUnavailable
from events.runtime.embedded import EmbeddedServerError
from events.runtime.scratch import Scratch
from events.runtime.settings import Settings
from service.cli.backups.restoring import restore_from
from service.cli.backups.taking import Taken, note, take
from service.cli.exits import Failure, Refusal, writing
from service.cli.store_access import new_store_settings, of_server, store_settings
from service.cli.wording import counted

BACKUP_EXAMPLES = """\b
Examples:
  migrato backup games-2026-11-22.tar               beside a running `migrato serve`, or with nothing running
  migrato backup - | age -r age1... > games.tar.age  encrypted for the holder of the key
  migrato backup --without-archive games.tar        where the archive has a backup of its own
"""
RESTORE_EXAMPLES = """\b
Examples:
  migrato restore games-2026-11-22.tar --data-dir .migrato-restored
  MIGRATO_REDIS_URL=redis://db:6379 MIGRATO_ARCHIVE=/srv/archive migrato restore games-2026-11-22.tar
  age -d games.tar.age | migrato restore - --data-dir .migrato-restored
"""
PREFIX = ".migrato-backup-"
data_dir_option = click.option(
    "--data-dir", metavar="DIR", help="Where `migrato serve` keeps its games.  [MIGRATO_DATA_DIR]"
)


@click.command(epilog=BACKUP_EXAMPLES)
@click.argument("file", metavar="FILE")
@data_dir_option
@click.option("--without-archive", is_flag=True, help="Leave out the files of the archive.")
@click.option(
    "--with-signing-key",
    is_flag=True,
    help="With the private key that signs, not only the public ones: a holder of the backup can then sign.",
)
@click.option(
    "--unchecked", is_flag=True, help="Do not load the copy and check it, which takes as much memory."
)
def backup(
    file: str, data_dir: str | None, without_archive: bool, with_signing_key: bool, unchecked: bool
) -> None:
    """Copy the whole store, as it is at one moment, into FILE (- for standard output).

    It may run beside a live service, and while the server rewrites its own file. The copy is loaded into a server of
    its own and checked as `migrato fsck` does. A backup holds what the store holds: seeds, hands, names. Exit code 0:
    done; 1: it failed, or what the store holds is damaged; 2: it cannot be done.
    """
    with _errors_reported(), store_settings(data_dir) as settings:
        with _new_file(file) as (stream, scratch):
            taken = take(
                settings,
                PackageWriter.to(stream),
                scratch,
                archive=not without_archive,
                private_key=with_signing_key,
                check=not unchecked,
            )
        _report(file, taken)
        _note(settings, taken)


def _report(file: str, taken: Taken) -> None:
    where = "" if file == "-" else f"{file}: "
    archived = f" and {counted(taken.files, 'file')} of the archive" if taken.files else ""
    if taken.report is None:
        click.echo(f"{where}{counted(taken.keys, 'key')}{archived}, not checked.", err=True)
        return
    games = counted(taken.report.games, "game")
    evidence = [finding for finding in taken.report.findings if finding.kind.is_evidence]
    for finding in evidence:
        click.echo(f"{finding.code}  {finding.game_id or finding.where}\n    {finding.detail}", err=True)
    if evidence:
        damage = counted(len(evidence), "finding")
        raise Failure(f"{where}{games}{archived}. The backup is whole, but the store is damaged: {damage}.")
    click.echo(f"{where}{games}{archived}, all sound.", err=True)


def _note(settings: Settings, taken: Taken) -> None:
    """Note in the store, for the metrics, when this backup was begun; the backup is good even if the note fails."""
    if taken.report is None:
        return
    try:
        note(settings, taken)
    except StoreUnavailable as error:
        click.echo(f"The metrics will not tell of this backup: the event store {error.said}.", err=True)


@click.command(epilog=RESTORE_EXAMPLES)
@click.argument("file", metavar="FILE")
@data_dir_option
def restore(file: str, data_dir: str | None) -> None:
    """Put the backup in FILE (- for standard input) into an empty store, with its archive and its public keys.

    Stop the engine first. A store or an archive in which there is anything is refused, and left as it is; a restore
    that was interrupted can be repeated. In the end everything is checked as `migrato fsck` does. Exit code 0: done;
    1: it failed; 2: it was refused.
    """
    with (
        _errors_reported(),
        _opened(file) as stream,
        Scratch("migrato-restore-") as scratch,
        new_store_settings(data_dir) as settings,
    ):
        restored = restore_from(stream, settings, scratch)
    for finding in restored.left:
        click.echo(f"{finding.code}  {finding.game_id or finding.where}\n    {finding.detail}", err=True)
    told = f"{counted(restored.games, 'game')} restored, {restored.archived:,} more in the archive"
    if restored.left:
        raise Failure(f"{told}: {counted(len(restored.left), 'finding')}; see `migrato fsck`.")
    click.echo(f"{told}: all is well.")


@contextmanager
def _new_file(name: str) -> Iterator[tuple[IO[bytes], Path]]:
    """A file that gets its name when it is whole, and a directory for what is too large for memory."""
    if name == "-":
        if sys.stdout.isatty():
            raise Refusal("A backup is not for a terminal: redirect it.")
        with Scratch(PREFIX) as scratch:
            yield sys.stdout.buffer, scratch
            sys.stdout.buffer.flush()
        return
    path = Path(name).absolute()
    if path.exists():
        raise Refusal(f"{name} exists already.")
    if not path.parent.is_dir():
        raise Refusal(f"There is no directory {path.parent}.")
    with Scratch(PREFIX, path.parent) as scratch:
        part = scratch / "backup"
        with writing(path), open(part, "xb", opener=private) as stream:
            yield stream, scratch
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)


@contextmanager
def _opened(name: str) -> Iterator[IO[bytes]]:
    if name == "-":
        yield sys.stdin.buffer
        return
    try:
        with Path(name).open("rb") as stream:
            yield stream
    except FileNotFoundError as error:
        raise Refusal(f"There is no file {error.filename}.") from error


@contextmanager
def _errors_reported() -> Iterator[None]:
    try:
        yield
    except (ArchiverAtWork, BadBackup) as error:
        raise Failure(str(error)) from error
    except DumpRefused as error:
        raise Failure(error.detail) from error
    except EmbeddedServerError as error:
        raise of_server(error) from error
    except CorruptStream as error:
        raise Failure(str(error)) from error
