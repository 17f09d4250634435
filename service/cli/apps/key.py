"""`migrato key`: app keys for integrating applications."""

import hashlib
import re
import secrets

import click

from service.cli.exits import Refusal

EXAMPLES = """\b
Example:
  migrato key chess-club                     prints the key and the entry
  export MIGRATO_APP_KEYS=chess-club=4f1b...
  migrato serve --host 0.0.0.0
"""


@click.command(epilog=EXAMPLES)
@click.argument("name")
def key(name: str) -> None:
    """Make an app key for the application NAME.

    Printed once and kept nowhere: the key itself, which the application sends as `Authorization: Bearer KEY`,
    and the entry for MIGRATO_APP_KEYS (entries are separated by commas), which holds only the key's SHA-256.
    """
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,63}", name):
        raise Refusal(
            "A name is 1 to 64 lower-case letters, digits, - and _, and begins with a letter or digit."
        )
    token = "mgapp_" + secrets.token_urlsafe(32)
    click.echo(f"key    {token}")
    click.echo(f"entry  {name}={hashlib.sha256(token.encode()).hexdigest()}")
    click.echo("Give the key to the application and add the entry to MIGRATO_APP_KEYS.", err=True)
