"""Refusals of sub-commands: one sentence on stderr and an exit code, never a traceback."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

NO_ROOM: Final = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class Refusal(click.ClickException):
    """The request is impossible as things are; exit code 2, as for a wrong option."""

    exit_code = 2


class Failure(click.ClickException):
    """A command that was tried and failed; exit code 1."""

    exit_code = 1


@contextmanager
def writing(place: Path | str) -> Iterator[None]:
    """Add the place to the OSError of a full disk, because the system does not name a file that is already open."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM and error.filename is None:
            error.filename = str(place)
        raise


def of_system(error: OSError) -> Refusal | None:
    """The machine's error as a Refusal in the machine's words; None if these do not tell what the error is about."""
    if error.filename is None and error.errno not in {*NO_ROOM, errno.EIO}:
        return None
    return Refusal(f"{error.filename or 'Standard output'}: {error.strerror or error}.")
