"""`migrato openapi`: the API's description, generated from the code."""

import difflib
from itertools import islice

import click

from service.cli.exits import Failure
from service.cli.installation import ROOT

COMMITTED = ROOT / "openapi.yaml"
DIFFERENCES = 20  # lines of the difference that are shown
EXAMPLES = """\b
Examples:
  migrato openapi > openapi.yaml           renew the committed document
  migrato openapi --check                  fail if it is not what the code says
"""


@click.command(epilog=EXAMPLES)
@click.option("--check", is_flag=True, help="Print nothing, but fail if openapi.yaml differs.")
def openapi(check: bool) -> None:
    """Print the OpenAPI document of the HTTP service."""
    from service.http.documentation.openapi import as_yaml

    current = as_yaml()
    if not check:
        click.echo(current, nl=False)
        return
    try:
        committed = COMMITTED.read_text(encoding="utf-8")
    except OSError as error:
        raise Failure(f"{COMMITTED} cannot be read: {error.strerror}.") from error
    if committed != current:
        lines = difflib.unified_diff(
            committed.splitlines(), current.splitlines(), "openapi.yaml", "the code", lineterm=""
        )
        click.echo("\n".join(islice(lines, DIFFERENCES)), err=True)
        raise Failure(
            "openapi.yaml is not what the code says: renew it with `migrato openapi > openapi.yaml`."
        )
