"""`migrato bots`: an app's own bots, over HTTP as the app itself."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from domain.bot import with_version
from service.cli.commands.listen import app_key
from service.cli.exits import Refusal
from service.cli.http_client import Client, Json, Refused, default_url

C = TypeVar("C", bound=Callable[..., Any])

EXAMPLES = """\b
Examples:
  migrato bots register my-bot https://bots.example.com/1   the first version; its secret is shown once
  migrato bots register my-bot https://bots.example.com/2 --share 10
  migrato bots try my-bot@2                                  what is wrong with its answers
  migrato bots promote my-bot 2
  migrato bots rollback my-bot                               the version that was current before
  migrato bots share my-bot 2 25
  migrato bots retire my-bot 1
  migrato bots list
"""


def _common(command: C) -> C:
    """The options that all of them have."""
    told = "The engine.  [default: as MIGRATO_HOST and MIGRATO_PORT say]"
    command = click.option("--url", metavar="URL", help=told)(command)
    command = click.option("--json", "as_json", is_flag=True, help="The answer as one JSON document.")(
        command
    )
    return click.option(
        "--key-file",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="A file with the app's key.  [default: the key in MIGRATO_APP_KEY]",
    )(command)


@click.group(epilog=EXAMPLES)
def bots() -> None:
    """Register an app's own bots, and say which of their versions play.

    It asks a running engine, with the app's key.
    """


@bots.command("list")
@_common
def list_bots(url: str | None, key_file: Path | None, as_json: bool) -> None:
    """List the app's bots with their versions."""
    with _engine(url, key_file) as engine:
        _show(engine.get("/v1/bots")["own"], as_json=as_json)


@bots.command()
@click.argument("name")
@click.argument("address")
@click.option("--strength", default="", help="What you say of its strength.")
@click.option("--share", type=click.IntRange(0, 100), help="Per cents of new games.  [default: 0]")
@_common
def register(
    name: str,
    address: str,
    strength: str,
    share: int | None,
    url: str | None,
    key_file: Path | None,
    as_json: bool,
) -> None:
    """Register the bot NAME at ADDRESS, or its next version."""
    wanted = {"name": name, "url": address, "strength": strength} | (
        {} if share is None else {"share": share}
    )
    with _engine(url, key_file) as engine:
        bot = engine.post("/v1/bots", wanted)
        _show([bot], as_json=as_json)
    if "secret" in bot and not as_json:
        click.echo(f"secret  {bot['secret']}")
        click.echo("The secret is shown this once.", err=True)


@bots.command("try")
@click.argument("name")
@click.option("--game", metavar="GAME", help="The game of which it gets a fresh deal.")
@_common
def try_out(name: str, game: str | None, url: str | None, key_file: Path | None, as_json: bool) -> None:
    """Ask NAME, such as my-bot or my-bot@3, for one move, and say what is wrong with its answer.

    The exit status is 1 if a game would make a fallback move in place of the answer.
    """
    with _engine(url, key_file) as engine:
        made = engine.post(f"/v1/bots/{name}/try", {"game": game} if game else {})
    if as_json:
        click.echo(json.dumps(made, indent=2))
    else:
        took = "" if made["milliseconds"] is None else f"  {made['milliseconds']} ms"
        what = json.dumps(made["move"]) if made["fallback"] is None else made["fallback"]
        click.echo(f"{with_version(made['bot'], made['version'])}{took}  {what}")
        for words in made["wrong"]:
            click.echo(words)
    if made["fallback"] is not None:
        raise SystemExit(1)


@bots.command()
@click.argument("name")
@click.argument("version", type=click.IntRange(1))
@_common
def promote(name: str, version: int, url: str | None, key_file: Path | None, as_json: bool) -> None:
    """Make VERSION the current one: the name alone means it in new games."""
    with _engine(url, key_file) as engine:
        _show([engine.patch(f"/v1/bots/{name}", {"current": version})], as_json=as_json)


@bots.command()
@click.argument("name")
@_common
def rollback(name: str, url: str | None, key_file: Path | None, as_json: bool) -> None:
    """Make the former version current again."""
    with _engine(url, key_file) as engine:
        bot = _bot(engine, name)
        if bot["former"] is None:
            raise Refusal(f"{name} has no former version.")
        changed = engine.patch(f"/v1/bots/{name}", {"current": int(bot["former"])})
        _show([changed], as_json=as_json)


@bots.command()
@click.argument("name")
@click.argument("version", type=click.IntRange(1))
@click.argument("percent", type=click.IntRange(0, 100))
@_common
def share(
    name: str, version: int, percent: int, url: str | None, key_file: Path | None, as_json: bool
) -> None:
    """Give VERSION so many PERCENT of new games; the current one gets the rest."""
    with _engine(url, key_file) as engine:
        bot = _bot(engine, name)
        others = [one for one in bot["versions"] if one["share"] and one["version"] != bot["current"]]
        shares = {one["version"]: one["share"] for one in others} | {str(version): percent}
        _show([engine.patch(f"/v1/bots/{name}", {"shares": shares})], as_json=as_json)


@bots.command()
@click.argument("name")
@click.argument("version", type=click.IntRange(1))
@_common
def retire(name: str, version: int, url: str | None, key_file: Path | None, as_json: bool) -> None:
    """Let VERSION play in no new game; running games keep it."""
    with _engine(url, key_file) as engine:
        retired = [int(one["version"]) for one in _bot(engine, name)["versions"] if one["retired"]]
        changed = engine.patch(f"/v1/bots/{name}", {"retired": sorted({*retired, version})})
        _show([changed], as_json=as_json)


@bots.command()
@click.argument("name")
@click.argument("version", type=click.IntRange(1))
@click.option("--yes", is_flag=True, help="Do not ask.")
@_common
def remove(name: str, version: int, yes: bool, url: str | None, key_file: Path | None, as_json: bool) -> None:
    """Remove VERSION: it is not called any more, and its games go on with fallback moves."""
    if not yes:
        click.confirm(f"Remove {with_version(name, version)} for good?", abort=True, err=True)
    with _engine(url, key_file) as engine:
        _show([engine.patch(f"/v1/bots/{name}", {"removed": [version]})], as_json=as_json)


@contextmanager
def _engine(url: str | None, key_file: Path | None) -> Iterator[Client]:
    """The engine; what it refuses ends in a sentence."""
    try:
        yield Client(url or default_url(), app_key(key_file))
    except Refused as refused:
        raise Refusal(str(refused)) from refused


def _bot(engine: Client, name: str) -> Json:
    found: list[Json] = [bot for bot in engine.get("/v1/bots")["own"] if bot["name"] == name]
    if not found:
        raise Refusal(f"The app has no bot {name}.")
    return found[0]


def _show(found: list[Json], *, as_json: bool) -> None:
    if as_json:
        shown = found[0] if len(found) == 1 else {"bots": found}
        click.echo(json.dumps(shown, indent=2))
        return
    if not found:
        click.echo("There are no bots.")
    for bot in found:
        for version in bot["versions"]:
            state = "retired" if version["retired"] else f"{version['share']} %"
            rated = " ".join(
                f"{one['game']} {one['rating']['elo']} ({one['games']} games)" for one in version["ratings"]
            )
            click.echo(
                "  ".join(
                    (with_version(bot["name"], version["version"]), state, version["url"], rated)
                ).rstrip()
            )
