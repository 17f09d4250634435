"""All faults, by name."""

from typing import Final

from drills.faults import clock, cluster, connection, disk, keys, processes
from drills.faults.fault import Fault

FAULTS: Final[dict[str, Fault]] = {
    fault.name: fault
    for fault in (
        *processes.FAULTS,
        *disk.FAULTS,
        *keys.FAULTS,
        *clock.FAULTS,
        *connection.FAULTS,
        *cluster.FAULTS,
    )
}
