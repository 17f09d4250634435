"""The report of a server on itself (INFO), which every user may read whom an ACL does not forbid it."""

from collections.abc import Sequence


def fields(reports: Sequence[bytes]) -> dict[str, str]:
    """The members of several sections: lines of `name:value`."""
    lines = [line for report in reports for line in report.decode(errors="replace").splitlines()]
    pairs = [line.partition(":") for line in lines if not line.startswith("#")]
    return {name: value for name, _, value in pairs}
