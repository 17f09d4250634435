"""`migrato archive`: finished games outside Redis."""

import json
import sys
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from events.archive.reader import ArchiveReader
from events.archive.record import ArchivedGame
from events.archive.restoring import restore as put_back
from events.archive.rolls import Rolls, day_number
from events.errors import CorruptStream, StoreUnavailable
from events.log.partitions import partition_of
from events.ports import WholeGames
from events.runtime.settings import Settings, SettingsError
from events.runtime.stores import archives
from service.cli.apps.values import Duration
from service.cli.exits import Failure, Refusal
from service.cli.store_access import archive_settings, store_settings
from service.cli.verify_report import Outcome, lines
from service.cli.verify_run import (
    bots_option,
    jobs_option,
    json_option,
    keys_option,
    own_keys,
    sum_up,
    trusted_by,
)
from service.cli.verify_run import run as checked
from service.cli.wording import counted, duration

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

EXAMPLES = """\b
Examples:
  migrato archive run                                  move now what has been over for long enough
  migrato archive list --from 2026-11-01
  migrato archive prune --older-than 730d
  migrato archive verify --keys migrato-keys.json --jobs 4
  migrato archive restore --all                        after the loss of Redis
  migrato archive export --parquet tables              for DuckDB, Polars or a notebook
  migrato archive export --game 4xSVfbmBqHEAXRrbbhmKCa > game.ndjson
"""

DAY = 86_400  # seconds

data_dir_option = click.option(
    "--data-dir", metavar="DIR", help="Where `migrato serve` keeps its games.  [MIGRATO_DATA_DIR]"
)
from_option = click.option("--from", "first", type=click.DateTime(["%Y-%m-%d"]), help="The first day (UTC).")
to_option = click.option("--to", "last", type=click.DateTime(["%Y-%m-%d"]), help="The last day (UTC).")
as_json = click.option("--json", "as_json", is_flag=True, help="A line of JSON for each game.")


@click.group(epilog=EXAMPLES)
def archive() -> None:
    """Finished games outside Redis: move them there, look at them, bring them back.

    The archive is where MIGRATO_ARCHIVE says; beside an embedded event store, the directory `archive` in the data
    directory. `run`, `prune` and `restore` need the event store, all else the archive alone.
    """


@archive.command()
@data_dir_option
def run(data_dir: str | None) -> None:
    """Move the games that have been over for MIGRATO_ARCHIVE_AFTER, and tidy up what an interrupted run has left."""
    from events.runtime import bootstrap

    with store_settings(data_dir) as settings, _progress() as progress:
        if settings.archive is None:
            raise Refusal("There is no archive: set MIGRATO_ARCHIVE to where it is.")
        task = progress.add_task("moving", total=None)
        moved = bootstrap.mover(settings).run(
            lambda done, total: progress.update(task, completed=done, total=total)
        )
    done = counted(moved.games, "game") + " moved"
    if moved.files:
        done += f", {counted(moved.files, 'file')} written"
    if moved.waiting:
        wait = "waits until it has" if moved.waiting == 1 else "wait until they have"
        done += f"; {moved.waiting:,} {wait} been over for {duration(settings.archive_after)}"
    click.echo(f"{done}.")
    for game_id, why in moved.left.items():
        click.echo(f"{game_id} was left: {why}", err=True)
    if moved.busy:
        click.echo(f"Left to another archiver: {counted(len(moved.busy), 'partition')}.", err=True)
    if moved.left:
        raise Failure(f"{counted(len(moved.left), 'game')} could not be moved.")


@archive.command()
@data_dir_option
@click.option("--older-than", "kept", type=Duration(DAY, 36_600 * DAY), metavar="TIME",
              help="Prune the games that ended so long ago, as in 365d.  [MIGRATO_ARCHIVE_KEEP]")  # fmt: skip
def prune(data_dir: str | None, kept: int | None) -> None:
    """Remove the games of days that ended MIGRATO_ARCHIVE_KEEP ago, and keep what proves them.

    The roll of each day keeps the head and the digest of every game, signed: so there must be a signing key. The games'
    lines leave the listings first. An interrupted run is ended by the next one; an archiver does the same by itself.
    """
    from events.retention.retention import NoSigningKey
    from events.runtime import bootstrap

    with _errors_reported(), store_settings(data_dir) as settings, _progress() as progress:
        if settings.archive is None:
            raise Refusal("There is no archive: set MIGRATO_ARCHIVE to where it is.")
        if kept is not None:
            settings = replace(settings, archive_keep=kept)
        if not settings.archive_keep:
            raise Refusal("Say for how long games are kept: --older-than, or MIGRATO_ARCHIVE_KEEP.")
        task = progress.add_task("pruning", total=None)
        try:
            done = bootstrap.retention(
                settings, lambda what: progress.update(task, description=f"pruning: {what}")
            ).run()
        except NoSigningKey:
            told = "There is no signing key (MIGRATO_SIGNING_KEYS): nobody could tell pruned games from lost ones."
            raise Refusal(f"{told} `migrato signing-key` makes one.") from None
    unlisted = f"{counted(done.unlisted, 'game')} left the listings"
    click.echo(f"{counted(done.pruned, 'game')} of {counted(done.days, 'day')} pruned; {unlisted}.")
    for what, why in done.left.items():
        click.echo(f"{what} was left: {why}", err=True)
    if done.busy:
        click.echo("Left to somebody else who is letting old games go just now.", err=True)


@archive.command(name="list")
@data_dir_option
@from_option
@to_option
@as_json
def list_(data_dir: str | None, first: datetime | None, last: datetime | None, as_json: bool) -> None:
    """A line for each game: the day of its end, its id, its number of events, the file it is in."""
    reader = _archive_reader(archive_settings(data_dir))
    with _errors_reported():
        for name, game_id, entry in reader.entries(*_days(first, last)):
            day = name[:10].replace("/", "-")
            if as_json:
                line = {"day": day, "game_id": game_id, "events": entry.version, "head": entry.head}
                click.echo(json.dumps({**line, "file": name}))
            else:
                click.echo(f"{day}  {game_id}  {entry.version:>5}  {name}")


@archive.command()
@data_dir_option
@bots_option
@keys_option
@json_option
@jobs_option
def verify(data_dir: str | None, bots: bool, keys: Path | None, as_json: bool, jobs: int) -> None:
    """Check every file and every game, as `migrato verify` does: hashes, commitments, signatures, and all by the rules.

    Each file must be what its name says, and each game what the file's index and its private line say. A game of which
    a roll tells must be in a file, or pruned by a signed roll. Only games with which something is wrong are told of,
    and a sum; with --json all. Exit code 0: nothing is wrong; 1: something is, or bots were to be asked for their moves
    and could not be, or (with --keys) a game or a roll is not signed by one of the keys. Without --keys those of the
    engine are trusted, if they are here (MIGRATO_SIGNING_KEYS, or in the data directory): only games that were never
    signed pass beside those.
    """
    from service.cli.archive_audit import RollTotals, Trust, outcomes, roll_faults

    settings = archive_settings(data_dir)
    reader = _archive_reader(settings)
    trust = Trust(own_keys(settings), unsigned=True) if keys is None else Trust(trusted_by(keys))
    with _errors_reported(), _progress() as progress:
        task = progress.add_task("verifying", total=len(reader.files()))
        rolls, games = RollTotals(), outcomes(reader, trust, bots, jobs, lambda: progress.advance(task))

        def everything() -> Generator[Outcome, None, None]:
            yield from games
            yield from roll_faults(reader, trust.keys, rolls)

        total = checked(everything(), lambda outcome, _: _tell(outcome, as_json))
    if rolls.rolls and as_json:
        click.echo(json.dumps({"rolls": asdict(rolls)}))
    elif rolls.rolls:
        click.echo(f"{counted(rolls.pruned, 'game')} pruned, by {counted(rolls.rolls, 'roll')}.")
    sum_up(total, as_json=as_json)
    if total.games and total.exit_code:
        sys.exit(Failure.exit_code)


def _tell(outcome: Outcome, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(outcome.document))
    elif outcome.exit_code:
        for line in lines(outcome, briefly=True):
            click.echo(line, err=outcome.report is None)


@archive.command()
@data_dir_option
@click.argument("ids", nargs=-1, metavar="[GAME]...")
@click.option("--all", "everything", is_flag=True, help="Every game of the archive.")
def restore(data_dir: str | None, ids: tuple[str, ...], everything: bool) -> None:
    """Bring games back into Redis: their events byte by byte, seats' tokens, idempotency keys, listings.

    Where another stream of the same id is there, that one is left alone. The archive keeps its copies.
    """
    if bool(ids) is everything:
        raise Refusal("Name the games to bring back, or say --all.")
    from events.runtime import adapters, bootstrap

    damaged = list[str]()
    with _errors_reported(), store_settings(data_dir) as settings, _progress() as progress:
        reader = _archive_reader(settings)
        for _ in _named(reader, ids):
            pass  # so that nothing is done if one of them is not there, or damaged
        total = len(ids) if ids else len(reader.files())
        task = progress.add_task("restoring", total=total)
        records = _named(reader, ids) if ids else _by_files(reader, progress, task, damaged)
        outcomes = put_back(
            adapters.whole_games(settings),
            records,
            bootstrap.application(settings).listing.update,
            lambda game_id, outcome: _restored(progress, task if ids else None, game_id, outcome),
        )
        if everything:
            noted = _note_pruned(adapters.whole_games(settings), reader, damaged)
    for detail in damaged:
        click.echo(detail, err=True)
    if everything and noted:
        click.echo(f"{counted(noted, 'game')} that were pruned are known as such.")
    were = "was" if outcomes["present"] == 1 else "were"
    click.echo(
        f"{counted(outcomes['restored'], 'game')} restored, {outcomes['present']:,} {were} there already."
    )
    if outcomes["different"]:
        raise Failure(
            f"Left, for another stream of that id is there: {counted(outcomes['different'], 'game')}."
        )
    if damaged:
        raise Failure(f"Games or files of the archive that are damaged: {len(damaged)}.")


@archive.command()
@data_dir_option
@click.option("--parquet", "directory", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
              help="Write games.parquet and events.parquet there.")  # fmt: skip
@click.option(
    "--game", "game_id", metavar="GAME", help="Write the export of one game to stdout, for an auditor."
)
@from_option
@to_option
def export(
    data_dir: str | None,
    directory: Path | None,
    game_id: str | None,
    first: datetime | None,
    last: datetime | None,
) -> None:
    """Write the games as two tables, or one game as its export (NDJSON)."""
    if (directory is None) is (game_id is None):
        raise Refusal("Say what to export: --parquet DIR, or --game GAME.")
    reader = _archive_reader(archive_settings(data_dir))
    with _errors_reported():
        if game_id is not None:
            sys.stdout.buffer.write(_there(reader, game_id, reader.find_once(game_id)).export)
            return
        assert directory is not None
        _tables(reader, directory, *_days(first, last))


def _tables(reader: ArchiveReader, directory: Path, first: str, last: str) -> None:
    try:
        from domain.registry import GAMES
        from events.archive.tables import write
    except ImportError as error:
        raise Refusal("--parquet needs pyarrow: install migrato-engine[parquet].") from error
    with _progress() as progress:
        damaged: list[str] = []
        task = progress.add_task("exporting", total=len(reader.files(first, last)))
        try:
            records = _by_files(reader, progress, task, damaged, first, last)
            games, events = write(records, GAMES, directory)
        except OSError as error:
            raise Refusal(f"{directory} cannot be written: {error.strerror}.") from error
    written = f"{directory / 'games.parquet'}, {directory / 'events.parquet'}"
    click.echo(f"{counted(games, 'game')}, {counted(events, 'event')}: {written}")
    for detail in damaged:
        click.echo(detail, err=True)
    if damaged:
        raise Failure(f"Games or files that are damaged, and not in the tables: {len(damaged)}.")


def _by_files(
    reader: ArchiveReader,
    progress: "Progress",
    task: "TaskID",
    damaged: list[str],
    first: str = "",
    last: str = "9999/99/99",
) -> Iterator[ArchivedGame]:
    """All games. The progress counts days and partitions: a count of games would need all indexes first."""
    before: tuple[str, int] | None = None
    for record in reader.records(first, last, damaged.append):
        now = (record.day, partition_of(record.raw.game_id))
        if now != before:
            progress.advance(task)
        before = now
        yield record


def _note_pruned(games: WholeGames, reader: ArchiveReader, damaged: list[str]) -> int:
    """Note in the store which games were pruned, by the rolls that can be read; their number."""
    rolls, noted = Rolls(reader.storage), 0
    for day in rolls.days():
        try:
            gone = [game_id for game_id, entry in rolls.of_day(day).items() if entry.pruned is not None]
        except CorruptStream as error:
            damaged.append(error.detail)
            continue
        if gone:
            games.note_pruned(day_number(day), gone)
        noted += len(gone)
    return noted


def _restored(progress: "Progress", task: "TaskID | None", game_id: str, outcome: str) -> None:
    if task is not None:
        progress.advance(task)
    if outcome == "different":
        click.echo(f"{game_id} was left: another stream of that id is there.", err=True)


def _named(reader: ArchiveReader, ids: Iterable[str]) -> Iterator[ArchivedGame]:
    for game_id in ids:
        yield _there(reader, game_id, reader.find(game_id, None))


def _there(reader: ArchiveReader, game_id: str, record: ArchivedGame | None) -> ArchivedGame:
    if record is None:
        partition = partition_of(game_id)
        _refuse_damaged(reader, f"/p{partition:03d}-")
        raise Refusal(f"The archive has no game {game_id}; it would be in a file p{partition:03d}-....gz.")
    return record


def _refuse_damaged(reader: ArchiveReader, part: str) -> None:
    """CorruptStream if a file with this part in its name cannot be looked through."""
    for name in reader.files():
        if part in name:
            reader.index(name)


def _archive_reader(settings: Settings) -> ArchiveReader:
    try:
        reader = archives.archive_reader(settings)
    except SettingsError as error:
        raise Refusal(str(error)) from error
    if reader is None:
        raise Refusal("There is no archive: set MIGRATO_ARCHIVE to where it is.")
    where = str(settings.archive)
    if "://" not in where and not Path(where).is_dir():
        raise Refusal(
            f"There is no archive in {where}: no game was ever moved there, or MIGRATO_ARCHIVE or --data-dir is wrong."
        )
    return reader


def _days(first: datetime | None, last: datetime | None) -> tuple[str, str]:
    return (
        "" if first is None else f"{first:%Y/%m/%d}",
        "9999/99/99" if last is None else f"{last:%Y/%m/%d}",
    )


def _progress() -> "Progress":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )


@contextmanager
def _errors_reported() -> Iterator[None]:
    try:
        yield
    except CorruptStream as error:
        raise Failure(f"{error.detail} `migrato archive verify` tells more.") from error
    except SettingsError as error:
        raise Refusal(str(error)) from error
    except StoreUnavailable as error:
        raise Failure(f"{error.detail} ({error.reason})") from error
