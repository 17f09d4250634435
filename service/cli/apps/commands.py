"""The commands: what they ask for, and what they say."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import click

from domain.errors import DomainError
from domain.lifecycle import Json
from events.engine.access import ANONYMOUS
from events.errors import EngineError, StoreUnavailable
from events.features.apps.administration import (
    LONGEST_LIFE,
    LONGEST_OVERLAP,
    OVERLAP,
    SHORTEST_LIFE,
    Apps,
    IssuedKey,
)
from events.features.apps.documents import app_document, issued_document
from events.features.apps.port import FoundApp
from events.features.apps.records import LIMITED
from events.features.apps.scopes import SCOPES, USUAL
from events.features.usage.quotas import DAY as A_DAY
from events.features.usage.quotas import GAMES, MONTH, QUESTIONS
from events.runtime import bootstrap
from service.cli.apps import usage as rendering
from service.cli.apps.values import A_KEY_ID, APP_NAME, Duration, Quota
from service.cli.exits import Failure, Refusal
from service.cli.store_access import directory_at_rest, store_settings, unavailable
from service.cli.wording import counted, duration

C = TypeVar("C", bound=Callable[..., Any])

EXAMPLES = """\b
Examples:
  migrato apps create chess-club                        a key for an application: it is shown once
  migrato apps create ops --scope admin                 a key that administers apps over HTTP
  migrato apps create feed --scope games:read --expires 90d
  migrato apps list
  migrato apps rotate chess-club --overlap 24h          another key; the former one is good for a day more
  migrato apps revoke chess-club --key 4fGh2Kd93LmQ     one key
  migrato apps revoke chess-club                        all keys of an application
  migrato apps quota chess-club --games-per-day 1000    games beyond that are refused until midnight (UTC)
  migrato apps limit chess-club --bots 600              questions beyond that in a minute are refused
  migrato apps usage --from 2026-11-01 --csv            what each application has used on each day
  migrato apps delete chess-club                        an application, with its players
"""
AT_ONCE = 500  # apps that are read at once
COLUMNS = ("app", "status", "scopes", "key", "created", "expires", "last used")
DAY = click.DateTime(["%Y-%m-%d"])
LIFE = Duration(SHORTEST_LIFE, LONGEST_LIFE)


def _common(command: C) -> C:
    """The options that all of them have."""
    told = "Where `migrato serve` keeps its games.  [MIGRATO_DATA_DIR]"
    command = click.option("--json", "as_json", is_flag=True, help="The answer as one JSON document.")(
        command
    )
    return click.option("--data-dir", metavar="DIR", help=told)(command)


_expires = click.option(
    "--expires", "seconds", type=LIFE, help="How long the key is good, as in 90d.  [default: for ever]"
)


@click.group(epilog=EXAMPLES)
def apps() -> None:
    """Make, list, rotate and revoke the keys of applications, while the engine runs or not.

    It works on the store in MIGRATO_REDIS_URL, else on the embedded one of a data directory. A change counts in every
    process within 2 seconds. With the first app the service asks everybody for a key.
    """


@apps.command()
@click.argument("name", type=APP_NAME)
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice(SCOPES),
    help="What the app may do; may be given several times.  [default: all but admin]",
)
@_expires
@_common
def create(
    name: str, scopes: tuple[str, ...], seconds: int | None, data_dir: str | None, as_json: bool
) -> None:
    """Make the application NAME, with a key that is printed once and kept nowhere.

    The application sends it as `Authorization: Bearer KEY`. The store keeps its SHA-256.
    """
    resting = directory_at_rest(data_dir)
    with _apps(data_dir, new=True) as found:
        issued = found.create(name, scopes or USUAL, seconds)
    _show_issued(issued, resting, as_json=as_json)


@apps.command("list")
@_common
def list_apps(data_dir: str | None, as_json: bool) -> None:
    """List the applications, their keys by their ids, and when each was last used.

    Those in MIGRATO_APP_KEYS are not in the store, and not listed.
    """
    with _apps(data_dir) as found:
        everything = list(_all(found))
    if as_json:
        click.echo(json.dumps({"apps": [app_document(app) for app in everything]}, indent=2))
    else:
        click.echo(_table([row for app in everything for row in _rows(app_document(app))]))


@apps.command()
@click.argument("name", type=APP_NAME)
@click.option(
    "--overlap",
    type=Duration(0, LONGEST_OVERLAP),
    default=OVERLAP,
    help="How long the former key stays good; 0 ends all former keys at once.  [default: 24h]",
)
@_expires
@_common
def rotate(name: str, overlap: int, seconds: int | None, data_dir: str | None, as_json: bool) -> None:
    """Give the application NAME another key, which is printed once.

    At most two keys are good at a time. An application whose keys were revoked has a key again, and its games.
    """
    resting = directory_at_rest(data_dir)
    with _apps(data_dir) as found:
        issued = found.rotate(name, overlap, seconds)
    _show_issued(issued, resting, as_json=as_json)
    if not as_json and len(issued.found.app.keys) > 1:
        former = issued.found.app.keys[0]
        left = duration(max(0, (former.expires or 0) - issued.found.now) // 1000)
        click.echo(f"The former key {former.id} is good for {left} more.", err=True)


@apps.command()
@click.argument("name", type=APP_NAME)
@click.option("--key", "key_id", type=A_KEY_ID, help="Only the key of this id.")
@_common
def revoke(name: str, key_id: str | None, data_dir: str | None, as_json: bool) -> None:
    """Void all keys of the application NAME, or one of them. Its games stay, and play on."""
    with _apps(data_dir) as found:
        app = found.revoke(name) if key_id is None else found.revoke_key(name, key_id)
    if as_json:
        click.echo(json.dumps(app_document(app), indent=2))
    else:
        left = counted(len(app.app.keys), "key")
        click.echo(f"Revoked. {name} has {left} left. Every process knows it within 2 seconds.", err=True)


def _quota_option(kind: str, period: str) -> Callable[[C], C]:
    told = "The most in a month." if period == MONTH else "The most in a day (UTC); `off` for no quota."
    return click.option(f"--{kind}-per-{period}", type=Quota(), help=told)


@apps.command()
@click.argument("name", type=APP_NAME)
@_quota_option(GAMES, A_DAY)
@_quota_option(GAMES, MONTH)
@_quota_option(QUESTIONS, A_DAY)
@_quota_option(QUESTIONS, MONTH)
@_common
def quota(name: str, data_dir: str | None, as_json: bool, **numbers: int | None) -> None:
    """Show or change how much the application NAME may begin in a day and in a month (UTC).

    Games are those that the app creates; questions are those to bots, and hints. A refused request gets 429 and the
    time at which the quota begins anew. Running games go on. Every process applies a change within 2 seconds.
    """
    wanted: dict[str, dict[str, int | None]] = {}
    for option, number in numbers.items():
        if number is not None:
            kind, _, period = option.partition("_per_")
            wanted.setdefault(kind, {})[period] = None if number < 0 else number
    with _apps(data_dir) as found:
        app = (found.change(name, {"quotas": wanted}) if wanted else found.app(name)).app
    if as_json:
        click.echo(json.dumps({"name": name, "quotas": dict(app.quotas)}))
    else:
        for kind, periods in app.quotas.items():
            for period, number in periods.items():
                click.echo(f"{kind} per {period}  {number}")
        if not app.quotas:
            click.echo(f"{name} has no quotas.")


def _limit_option(name: str) -> Callable[[C], C]:
    told = "The most in a minute; `off` for its share of the engine's limit." if name == LIMITED[0] else None
    return click.option(f"--{name}", type=Quota(), help=told)


@apps.command()
@click.argument("name", type=APP_NAME)
@_limit_option(LIMITED[0])
@_limit_option(LIMITED[1])
@_limit_option(LIMITED[2])
@_limit_option(LIMITED[3])
@_common
def limit(name: str, data_dir: str | None, as_json: bool, **numbers: int | None) -> None:
    """Show or change the application NAME's own limits by minute.

    Each replaces the application's share of the engine's limit of that name, and may be higher or lower. A limit that
    MIGRATO_LIMITS switches off is off for every application. Every process applies a change within 2 seconds.
    """
    wanted = {what: None if number < 0 else number for what, number in numbers.items() if number is not None}
    with _apps(data_dir) as found:
        app = (found.change(name, {"limits": wanted}) if wanted else found.app(name)).app
    if as_json:
        click.echo(json.dumps({"name": name, "limits": dict(app.limits)}))
    else:
        for what, number in app.limits.items():
            click.echo(f"{what} per minute  {number}")
        if not app.limits:
            click.echo(f"{name} has no limits of its own.")


@apps.command()
@click.argument("name", type=APP_NAME, required=False)
@click.option("--from", "first", type=DAY, help="The first day, as in 2026-11-01.  [default: 30 days]")
@click.option("--to", "last", type=DAY, help="The last day.  [default: today]")
@click.option("--csv", "as_csv", is_flag=True, help="A line for each app, day and bot, as CSV.")
@_common
def usage(
    name: str | None,
    first: datetime | None,
    last: datetime | None,
    as_csv: bool,
    data_dir: str | None,
    as_json: bool,
) -> None:
    """Show what the application NAME has used on each day (UTC), or what all have.

    Games, moves, questions and hints, the time that bots have thought, streams and deliveries of webhooks, counted once
    each and kept for 400 days. Those of everybody without a key are the app `anonymous`.
    """
    with _apps(data_dir) as found, store_settings(data_dir) as settings:
        report = bootstrap.usage(settings).report
        names = {app.app.name for app in _all(found)} | {ANONYMOUS, *settings.app_keys}
        days = (None if first is None else first.date(), None if last is None else last.date())
        try:
            reports = [report(one, *days) for one in ([name] if name else sorted(names))]
        except DomainError as error:
            raise Refusal(error.detail) from error
    if as_json:
        click.echo(json.dumps({"apps": reports}, indent=2))
    elif as_csv:
        click.echo(rendering.as_csv(reports), nl=False)
    else:
        there = [one for one in reports if one["days"]]
        click.echo(_table(list(rendering.as_table(there)), rendering.TABLE, "Nothing was used."))


@apps.command()
@click.argument("name", type=APP_NAME)
@click.option("--yes", is_flag=True, help="Do not ask.")
@_common
def delete(name: str, yes: bool, data_dir: str | None, as_json: bool) -> None:
    """Delete the application NAME with everything that is its own. This cannot be undone.

    Its keys are void, its running games are aborted, and its players erased. Listings, ratings, own data, webhooks and
    logs go. Games that were played stay as long as games are kept, without names, and answer by their ids. If it is
    interrupted, run it again.
    """
    from events.features.listings.projection import Listings
    from events.retention.apps import delete_app
    from events.runtime import adapters

    with store_settings(data_dir) as settings:
        if name in settings.app_keys:
            raise Refusal(f"{name} is in MIGRATO_APP_KEYS: take it out there, and start the engine again.")
        if not yes:
            click.confirm(f"Delete {name}, and erase all of its players?", abort=True, err=True)
        try:
            listings = Listings(adapters.of_retention(settings)[0])
            store, games = adapters.app_store(settings), adapters.whole_games(settings)
            done = delete_app(name, bootstrap.application(settings), store, listings, games)
        except StoreUnavailable as error:
            raise unavailable(error, settings, Failure) from error
        except EngineError as error:
            raise Refusal(error.detail) from error
    if as_json:
        click.echo(json.dumps({"name": name, **asdict(done)}))
    else:
        gone = f"{counted(done.aborted, 'game')} aborted, {counted(done.players, 'player')} erased"
        click.echo(f"Deleted {name}: {gone}.")


@contextmanager
def _apps(data_dir: str | None, *, new: bool = False) -> Iterator[Apps]:
    """The apps of the store; what is refused ends in a sentence and exit code 2, what fails in exit code 1."""
    with store_settings(data_dir, new=new) as settings:
        try:
            yield bootstrap.apps(settings)
        except StoreUnavailable as error:
            raise unavailable(error, settings, Failure) from error
        except EngineError as error:
            raise Refusal(error.detail) from error


def _all(found: Apps) -> Iterator[FoundApp]:
    after: str | None = ""
    while after is not None:
        page, after = found.page(after, AT_ONCE)
        yield from page


def _show_issued(issued: IssuedKey, resting: Path | None, *, as_json: bool) -> None:
    """Show the key; `resting`: the data directory if no engine runs there, which is said on stderr."""
    document = issued_document(issued)
    if resting is not None:
        told = f"No engine runs in {resting}; one that is started there will know the key. For another engine set"
        click.echo(f"{told} MIGRATO_DATA_DIR or MIGRATO_REDIS_URL.", err=True)
        click.echo(
            "An engine with --ephemeral has its keys from MIGRATO_APP_KEYS alone: `migrato key`.", err=True
        )
    if as_json:
        click.echo(json.dumps(document, indent=2))
        return
    (key,) = [key for key in document["app"]["keys"] if key["id"] == issued.id]
    click.echo(f"app      {document['app']['name']}")
    click.echo(f"scopes   {' '.join(document['app']['scopes'])}")
    click.echo(f"expires  {key['expires_at'] or 'never'}")
    click.echo(f"key      {document['key']}")
    known = " Every process knows it within 2 seconds." if resting is None else ""
    click.echo(f"The key is shown this once.{known}", err=True)


def _rows(app: Json) -> Iterator[tuple[str, ...]]:
    """A row for each key; what is the app's stands in the first one alone."""
    about = (app["name"], app["status"], " ".join(app["scopes"]))
    if not app["keys"]:
        yield (*about, "-", "-", "-", "-")
    for number, key in enumerate(app["keys"]):
        its = (key["id"], key["created_at"], key["expires_at"] or "never", key["last_used_on"] or "never")
        yield (*(about if number == 0 else ("", "", "")), *its)


def _table(
    rows: list[tuple[str, ...]], head: tuple[str, ...] = COLUMNS, nothing: str = "There are no apps."
) -> str:
    if not rows:
        return nothing
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [zip(row, widths, strict=True) for row in (head, *rows)]
    return "\n".join("  ".join(text.ljust(width) for text, width in line).rstrip() for line in lines)
