"""Metrics of the servers, the disks and the roles, read when the metrics are asked for."""

import platform
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from redis.exceptions import ResponseError

from compiled import in_use
from events.errors import StoreForbids
from events.runtime.settings import Settings
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.servers.info import told_by
from service import __version__

Family = GaugeMetricFamily | CounterMetricFamily
Told = Mapping[str, Mapping[str, str]]  # by the name of a server, its report (INFO)

# By member of the report.
GAUGES: Final = {
    "migrato_store_memory_bytes": ("used_memory", "Memory that a server uses."),
    "migrato_store_memory_peak_bytes": ("used_memory_peak", "The most that it has used since its start."),
    "migrato_store_memory_limit_bytes": ("maxmemory", "The most that it may use; 0 is no limit."),
}
PERSISTENCE: Final = {
    "aof-write": "aof_last_write_status",
    "aof-rewrite": "aof_last_bgrewrite_status",
    "snapshot": "rdb_last_bgsave_status",
}


def reports(role: str, link: RedisClient) -> Told:
    """The report of each server of the role, of a cluster by number; none of a server that forbids it."""
    servers = link.servers()
    names = [role] if len(servers) == 1 else [f"{role}-{number}" for number in range(1, len(servers) + 1)]
    try:
        ordered = sorted(servers, key=lambda server: server.address())
        return {name: told_by(server) for name, server in zip(names, ordered, strict=True)}
    except (ResponseError, StoreForbids):
        return {}  # `migrato_store_faults` counts the missing report as a fault


def last_backup(store: RedisClient) -> GaugeMetricFamily:
    """The time at which the last good backup began, unless the store's user may not read it."""
    text = "The time of the last backup that was checked and sound; 0 if there was none."
    family = GaugeMetricFamily("migrato_backup_last_success_timestamp_seconds", text)
    with suppress(StoreForbids):
        family.add_metric((), int(store.call("GET", keys.LAST_BACKUP) or 0) / 1000)
    return family


def of_servers(told: Told) -> Iterator[Family]:
    """The metrics of the servers that have reports."""
    for name, (member, text) in GAUGES.items():
        values = [(server, float(report[member])) for server, report in told.items() if member in report]
        yield gauge(name, text, "server", values)
    evicted = CounterMetricFamily(
        "migrato_store_evicted_keys", "Keys that a server threw away to make room.", labels=("server",)
    )
    failed = GaugeMetricFamily(
        "migrato_store_persistence_failed",
        "1 if a server's last attempt to write that to its disk failed.",
        labels=("server", "what"),
    )
    for server, report in told.items():
        if "evicted_keys" in report:
            evicted.add_metric((server,), float(report["evicted_keys"]))
        for what, member in PERSISTENCE.items():
            if member in report:
                failed.add_metric((server, what), float(report[member] != "ok"))
    yield evicted
    yield failed


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine of this process: its disks, by what is stored on them, and the build of the engine."""

    places: Mapping[str, Path]

    @classmethod
    def from_settings(cls, settings: Settings) -> "Machine":
        """The disks of the data directory and of an archive in a directory."""
        places = {"data": settings.data_dir}
        if settings.archive is not None and "://" not in settings.archive:
            places["archive"] = Path(settings.archive)
        return cls(places)

    def families(self) -> Iterator[Family]:
        """Free space on the disks that exist, and the build."""
        disks = {}
        for place, path in self.places.items():
            with suppress(OSError):
                disks[place] = shutil.disk_usage(path)
        free = ((place, float(usage.free)) for place, usage in disks.items())
        yield gauge("migrato_disk_free_bytes", "Room that is left on a disk for the engine.", "place", free)
        size = ((place, float(usage.total)) for place, usage in disks.items())
        yield gauge("migrato_disk_size_bytes", "The size of the disk.", "place", size)
        build = GaugeMetricFamily(
            "migrato_build_info", "1, with the build that answers.", labels=("version", "code", "python")
        )
        build.add_metric((__version__, in_use(), platform.python_version()), 1.0)
        yield build


def gauge(name: str, text: str, label: str, values: Iterable[tuple[str, float]]) -> GaugeMetricFamily:
    """A gauge with one label."""
    family = GaugeMetricFamily(name, text, labels=(label,))
    for label_value, value in values:
        family.add_metric((label_value,), value)
    return family
