"""`migrato signing-key`: the key that signs the heads of games."""

import os
from pathlib import Path

import click
import orjson

from events.runtime.key_files import CURRENT, ensure, keys_of, rotate
from events.runtime.settings import SettingsError, load
from service.cli.exits import Refusal
from service.cli.wording import counted

EXAMPLES = """\b
Examples:
  migrato signing-key                                  the key of the data directory, made if there is none
  migrato signing-key --rotate                         a new key signs from now on
  migrato signing-key --keys /etc/migrato/keys         for the processes of a cluster: MIGRATO_SIGNING_KEYS
"""


@click.command("signing-key", epilog=EXAMPLES)
@click.option(
    "--keys",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="The keys' directory.  [MIGRATO_SIGNING_KEYS; default: keys in MIGRATO_DATA_DIR]",
)
@click.option(
    "--rotate", "wants_new", is_flag=True, help="Make a new key. Former public keys stay published."
)
def signing_key(keys: Path | None, wants_new: bool) -> None:
    """Print the public key that signs now, as a JSON Web Key; make one if there is none.

    Running processes notice a new key by themselves. The former private key is deleted; the former public key stays
    in the directory, and published, for as long as anybody is to check what it signed.
    """
    try:
        settings = load(os.environ)
        directory = keys or settings.signing_keys or keys_of(settings.data_dir)
        known = (directory / CURRENT).exists()
        keyring = rotate(directory) if wants_new else ensure(directory)
    except SettingsError as error:
        raise Refusal(str(error)) from error
    current, *former = keyring.jwk_set()["keys"]
    click.echo(orjson.dumps(current).decode())
    stay = "stays" if len(former) == 1 else "stay"
    click.echo(f"{counted(len(former), 'former public key')} {stay} published beside it.", err=True)
    found = "was found" if known and not wants_new else "was made"
    click.echo(f"The key {found} in {directory.absolute()}.", err=True)
