"""`migrato listen`: webhooks for a developer's own machine, by any engine, without a setting of it."""

import os
import re
from pathlib import Path
from typing import Final

import click

from events.engine.remote_seat import new_secret
from service.cli.exits import Refusal
from service.cli.http_client import Client, default_url
from service.cli.listening.forwarder import Forwarder
from service.cli.listening.reader import Reader
from service.cli.listening.receiver import Receiver

SECRET: Final = re.compile(r"whsec_[A-Za-z0-9+/]{32,}={0,2}")  # 24 bytes or more
EXAMPLES = """\b
Examples:
  migrato listen --forward-to http://127.0.0.1:3000/hook
  migrato listen --forward-to http://127.0.0.1:3000/hook --events turn.changed,game.finished
  MIGRATO_APP_KEY=... migrato listen --url https://games.example.com --forward-to http://127.0.0.1:3000/hook
"""


@click.command(epilog=EXAMPLES)
@click.option("--forward-to", required=True, metavar="URL", help="Your server: where events are sent.")
@click.option("--url", metavar="URL", help="The engine.  [default: as MIGRATO_HOST and MIGRATO_PORT say]")
@click.option(
    "--key-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A file with the app's key.  [default: MIGRATO_APP_KEY holds it]",
)
@click.option(
    "--events",
    "types",
    metavar="TYPE[,TYPE]...",
    help="Only events of these types.  [default: all but seat.connected and seat.disconnected]",
)
@click.option(
    "--since",
    default="now",
    show_default=True,
    metavar="ID",
    help="Begin after this event; 0 begins with the oldest one that is kept.",
)
@click.option(
    "--secret-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Sign with the secret in this file, which is made if it is not there.  [default: a new secret]",
)
def listen(
    forward_to: str,
    url: str | None,
    key_file: Path | None,
    types: str | None,
    since: str,
    secret_file: Path | None,
) -> None:
    """Send the events of an app's games to a server on your machine, as the engine sends webhooks.

    Body, headers and signature are those of a webhook; the secret is printed at the start. The engine needs no setting,
    no webhook and no way to your machine: this command asks it for events. A line tells of each attempt. An event
    whose attempt fails is tried again after 1 second, then after twice as long each time, up to 10 seconds, for a day;
    later events of its game wait for it. Ctrl-C ends, and says how to go on without losing an event.
    """
    secret = new_secret() if secret_file is None else _secret_of(secret_file)
    receiver = Receiver(forward_to, secret)
    reader = Reader(Client(url or default_url(), app_key(key_file)), types, since)
    forwarder = Forwarder(reader, receiver.post)
    click.echo(f"signing secret  {secret}")
    click.echo(f"events of {reader.url} go to {forward_to}; Ctrl-C ends")
    try:
        forwarder.run()
    finally:
        click.echo(f"Go on with --since {forwarder.done}", err=True)


def app_key(file: Path | None) -> str | None:
    """The app's key; None where there is none. A list of processes shows no file's content, and no environment."""
    key = os.environ.get("MIGRATO_APP_KEY", "") if file is None else _text_of(file, "--key-file")
    if not (key.isascii() and key.isprintable() and (key or file is None)):
        raise Refusal(f"{'MIGRATO_APP_KEY' if file is None else f'--key-file: {file}'} holds no key.")
    return key or None


def _secret_of(file: Path) -> str:
    """The secret in the file, which is made if it is not there."""
    try:
        with os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as made:
            made.write(f"{new_secret()}\n")
    except FileExistsError:
        pass
    except OSError as error:
        raise Refusal(f"--secret-file: {file} cannot be made: {error.strerror}.") from error
    secret = _text_of(file, "--secret-file")
    if not SECRET.fullmatch(secret):
        raise Refusal(f"--secret-file: {file} must hold whsec_ and Base64 of 24 bytes or more.")
    return secret


def _text_of(file: Path, option: str) -> str:
    """The line in a file."""
    try:
        return file.read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise Refusal(f"{option}: {file} cannot be read: {reason}.") from error
