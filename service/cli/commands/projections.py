"""`migrato projections`: listings and ratings, made anew from the events."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from events.application import Application
from events.archive.reader import ArchiveReader
from events.archive.rolls import Rolls
from events.engine.command_handler import utc_now
from events.errors import CorruptStream, EngineError, StoreUnavailable
from events.features.listings.projection import Listings
from events.features.ratings.port import Counted
from events.retention.periods import Periods
from events.runtime import adapters, bootstrap
from events.runtime.settings import Settings
from events.runtime.stores import archives
from events.store.whole_games import RedisGames
from service.cli.exits import Failure
from service.cli.store_access import store_settings
from service.cli.wording import counted

EXAMPLES = """\b
Examples:
  migrato projections rebuild                  beside a running `migrato serve`, or with nothing running
"""
CACHE_MB = 8  # every game is looked at once


@click.group(epilog=EXAMPLES)
def projections() -> None:
    """Listings and ratings: the engine keeps them up to date from the events, and can make them again."""


@projections.command(epilog=EXAMPLES)
@click.option("--data-dir", metavar="DIR", help="Where `migrato serve` keeps its games.  [MIGRATO_DATA_DIR]")
def rebuild(data_dir: str | None) -> None:
    """Make all listings and ratings anew, from every game of the event store and the archive.

    It may run beside a live service. Listings stay complete meanwhile; leaderboards are empty at first, and complete
    in the end. The numbers are the same as before, unless they were wrong. If it is interrupted, run it again. Exit
    code 0: done; 1: some games could not be read, which are named.
    """
    with store_settings(data_dir) as settings:
        rebuilt = rebuild_all(settings)
    for game_id, why in rebuilt.left.items():
        click.echo(f"{game_id} was left out: {why}", err=True)
    pruned = f" The results of {counted(rebuilt.pruned, 'pruned game')} were kept." if rebuilt.pruned else ""
    click.echo(f"{counted(rebuilt.games, 'game')} read, {rebuilt.rated:,} of them rated.{pruned}")
    if rebuilt.left:
        raise Failure(f"{counted(len(rebuilt.left), 'game')} could not be read; see `migrato fsck`.")


@dataclass(slots=True)
class Rebuilt:
    """Result of a rebuild: games read and rated, results of pruned ones, and unreadable games, by reason."""

    games: int = 0
    rated: int = 0
    left: dict[str, str] = field(default_factory=dict)
    pruned: int = 0


def rebuild_all(settings: Settings) -> Rebuilt:
    """Make the projections of the settings' store anew. Raises StoreUnavailable.

    The archive is walked through after the store, so that a game which moves there meanwhile is met.
    """
    application = bootstrap.application(replace(settings, cache_mb=CACHE_MB))
    redis, archive = adapters.whole_games(settings), archives.archive_reader(settings)
    rebuilt = Rebuilt()
    with _progress() as progress:
        task = progress.add_task("counting", total=None)
        total = sum(len(ids) for ids in _ids(redis, archive))
        application.leaderboards.wipe()
        listings = adapters.of_retention(settings)[0]
        Listings(listings).clear_horizons()
        since = Periods(settings.listings_keep, settings.archive_keep).unlisted_before(utc_now()) or 0
        progress.update(task, description="reading games", total=total)
        for ids in _ids(redis, archive):
            for game_id in ids:
                _enter(application, game_id, rebuilt, since)
                progress.advance(task)
        if archive is not None:
            _enter_pruned(application, Rolls(archive.storage), rebuilt)
        progress.update(task, description="working out ratings", total=rebuilt.rated, completed=0)
        application.leaderboards.fold_all(lambda games: progress.advance(task, games))
    return rebuilt


def _ids(redis: RedisGames, archive: ArchiveReader | None) -> Iterator[list[str]]:
    yield from redis.ids()
    if archive is not None:
        for _, game_id, _ in archive.entries():
            yield [game_id]


def _enter_pruned(application: Application, rolls: Rolls, rebuilt: Rebuilt) -> None:
    """Enter the results of games that were pruned, of all days whose rolls can be read."""
    for day in rolls.days():
        try:
            entries = rolls.of_day(day)
        except CorruptStream as error:
            rebuilt.left[f"What was pruned of {day}"] = error.detail
            continue
        for entry in entries.values():
            if entry.pruned is not None and entry.pruned.result is not None:
                counts = application.leaderboards.enter_result(Counted(entry.app, *entry.pruned.result))
                rebuilt.pruned += counts


def _enter(application: Application, game_id: str, rebuilt: Rebuilt, since: int) -> None:
    """Enter a game into listing and ratings; into no listing if it was over before a time, in milliseconds."""
    try:
        application.listing.update(game_id, anew=True, since=since)
        rebuilt.rated += application.leaderboards.enter(game_id) is not None
        rebuilt.games += 1
    except StoreUnavailable:
        raise
    except EngineError as error:
        rebuilt.left[game_id] = error.detail
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:  # its events are not what they say
        rebuilt.left[game_id] = f"{type(error).__name__}: {error}"


@contextmanager
def _progress() -> Iterator[Progress]:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield progress
