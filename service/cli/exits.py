"""How a sub-command refuses: one sentence on stderr and an exit code, never a traceback."""

import click


class Refusal(click.ClickException):
    """What was asked for is impossible as things are; exit code 2, as for a wrong option."""

    exit_code = 2


class Failure(click.ClickException):
    """It was tried and failed; exit code 1."""

    exit_code = 1
