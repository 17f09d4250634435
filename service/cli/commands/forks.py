"""`migrato forks`: what seats have made for themselves."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import click

from events.errors import StoreUnavailable
from events.features.games.port import SeatForkStore
from events.runtime import adapters
from events.times import time_of
from service.cli.exits import Failure, Refusal
from service.cli.store_access import store_settings
from service.cli.wording import counted

EXAMPLES = """\b
Examples:
  migrato forks list
  migrato forks end 4xSVfbmBqHEAXRrbbhmKCa             one fork
  migrato forks end --from 2TtbPZ1oLrRxCN5kIaVeEw      all that go back to a game
"""
data_dir_option = click.option(
    "--data-dir", metavar="DIR", help="Where `migrato serve` keeps its games.  [MIGRATO_DATA_DIR]"
)


@click.group(epilog=EXAMPLES)
def forks() -> None:
    """List and end the forks that seats have made for themselves, which belong to no app.

    They are removed by themselves after MIGRATO_SEAT_FORKS_KEPT. It works beside a running engine, too.
    """


@forks.command("list")
@data_dir_option
@click.option("--json", "as_json", is_flag=True, help="A line of JSON for each fork.")
def list_(data_dir: str | None, as_json: bool) -> None:
    """A line for each fork: its id, the game that it goes back to, and when it expires.

    Over forks of forks that is the game of an app at which the first of them began.
    """
    is_empty = True
    with _forks(data_dir) as kept:
        for fork in kept.listed():
            is_empty, expires = False, time_of(fork.until)
            if as_json:
                line = {"game_id": fork.game_id, "first_origin": fork.first_origin, "expires_at": expires}
                click.echo(json.dumps(line))
            else:
                click.echo(f"{fork.game_id}  from {fork.first_origin}  until {expires}")
    if is_empty and not as_json:
        click.echo("There are no forks of seats.")


@forks.command()
@data_dir_option
@click.argument("ids", nargs=-1, metavar="[FORK]...")
@click.option("--from", "first_origin", metavar="GAME", help="All forks that go back to this game.")
def end(data_dir: str | None, ids: tuple[str, ...], first_origin: str | None) -> None:
    """Remove forks: their events, tokens and all else that is kept of them. Games of apps are left alone."""
    if bool(ids) is (first_origin is not None):
        raise Refusal("Name the forks to end, or say --from GAME.")
    with _forks(data_dir) as kept:
        found = [fork for fork in kept.listed() if fork.game_id in ids or fork.first_origin == first_origin]
        if missing := sorted(set(ids) - {fork.game_id for fork in found}):
            raise Refusal(f"No seat has made {', '.join(missing)}, or it has expired. Nothing was ended.")
        for fork in found:
            kept.end(fork)
    click.echo(f"{counted(len(found), 'fork')} ended.")


@contextmanager
def _forks(data_dir: str | None) -> Iterator[SeatForkStore]:
    """The forks of the store; a store that goes away meanwhile ends in exit code 1."""
    with store_settings(data_dir) as settings:
        try:
            yield adapters.seat_forks(settings)
        except StoreUnavailable as error:
            raise Failure(f"{error.detail} ({error.reason})") from error
