"""`migrato players`: players whom nobody has seen for long."""

import click

from service.cli.apps.values import Duration
from service.cli.exits import Failure
from service.cli.store_access import store_settings
from service.cli.wording import counted

EXAMPLES = """\b
Examples:
  migrato players erase-unseen --for 1095d --dry-run     how many there are
  migrato players erase-unseen --for 1095d
"""
DAY = 86_400  # seconds


@click.group(epilog=EXAMPLES)
def players() -> None:
    """Players of all apps: erase those whom nobody has seen for long."""


@players.command("erase-unseen")
@click.option("--data-dir", metavar="DIR", help="Where `migrato serve` keeps its games.  [MIGRATO_DATA_DIR]")
@click.option("--for", "seconds", type=Duration(DAY, 36_600 * DAY), required=True, metavar="TIME",
              help="For how long they have sat at no game, as in 1095d.")  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Only count them.")
def erase_unseen(data_dir: str | None, seconds: int, dry_run: bool) -> None:
    """Erase the players who sit at no game that is not over, and have sat at none for so long.

    Each is erased as by DELETE /v1/players/{player_id}. Those who are known only since then stay. Games that are not
    listed any more are found by the archive's rolls.
    """
    from events.archive.rolls import Rolls
    from events.engine.command_handler import utc_now
    from events.errors import CorruptStream
    from events.features.listings.projection import Listings
    from events.retention.players import erase_unseen as erase
    from events.runtime import adapters, bootstrap
    from events.runtime.stores.archives import storage

    found = 0

    def wanted(_: str) -> bool:
        nonlocal found
        found += 1
        return not dry_run

    with store_settings(data_dir) as settings:
        rolls = None if settings.archive is None else Rolls(storage(settings))
        before = int((utc_now().timestamp() - seconds) * 1000)
        listings = Listings(adapters.of_retention(settings)[0])
        application = bootstrap.application(settings)
        try:
            erase(before, adapters.whole_games(settings), application, listings, rolls, wanted)
        except CorruptStream as error:
            raise Failure(f"{error.detail} `migrato fsck` tells more.") from error
    click.echo(f"{counted(found, 'player')} {'would be' if dry_run else 'were'} erased.")
