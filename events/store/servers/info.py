"""The report of a server on itself (INFO), which every user may read whom an ACL does not forbid it."""

from collections.abc import Sequence
from typing import Final

from events.store.connections.client import ServerClient

SECTIONS: Final = ("memory", "persistence", "replication", "stats")


def told_by(server: ServerClient) -> dict[str, str]:
    """The members of the sections about memory, disk, role and what the server did since its start."""
    return fields([server.call("INFO", section) for section in SECTIONS])


def fields(reports: Sequence[bytes]) -> dict[str, str]:
    """The members of several sections: lines of `name:value`."""
    lines = [line for report in reports for line in report.decode(errors="replace").splitlines()]
    pairs = [line.partition(":") for line in lines if not line.startswith("#")]
    return {name: value for name, _, value in pairs}
