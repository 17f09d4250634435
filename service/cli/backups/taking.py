"""Taking a backup: the store and the archive of one moment, and the public keys."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from events.archive import file_format
from events.backup import package
from events.backup.at_rest import archive_at_rest, forget_locks
from events.backup.dump import copy, dump, size
from events.backup.package import PackageWriter
from events.fsck.check import Report
from events.runtime import adapters
from events.runtime.embedded import EmbeddedServer
from events.runtime.key_files import CURRENT, PUBLIC_SUFFIX
from events.runtime.settings import Settings
from events.runtime.stores import archives
from events.store.connections.client import RedisClient, ServerClient
from events.store.keys import LAST_BACKUP
from events.store.link import link_to
from service.cli.commands.fsck import checked
from service.cli.exits import writing

FOR_EVER = float("inf")  # no process plays the games of the copy on, so none of them waits too long


@dataclass(frozen=True, slots=True)
class Taken:
    """Content of a backup, which was begun `at`; `report` is None where it was not checked."""

    at: datetime
    keys: int
    files: int
    report: Report | None


def take(
    settings: Settings,
    writer: PackageWriter,
    scratch: Path,
    *,
    archive: bool = True,
    private_key: bool = False,
    check: bool = True,
) -> Taken:
    """Write a backup of the settings' store; `scratch` is a private directory with room for a copy.

    Raises StoreUnavailable, DumpRefused, ArchiverAtWork.
    """
    at = datetime.now(UTC)
    link = adapters.patient_link(settings)
    with nullcontext() if settings.archive is None else archive_at_rest(link):
        path = scratch / package.STORE
        _dump_all(link, path)
        keys, report = (size(link), None) if not check else _checked(settings, path)
        writer.add_file(package.STORE, path)
        path.unlink()
        files = _add_archive(settings, writer) if archive and settings.archive is not None else 0
    _add_keys(settings, writer, private_key=private_key)
    facts = {
        "engine": version("migrato-engine"),
        "taken_at": at.isoformat(timespec="seconds"),
        "keys": keys,
        "games": None if report is None else report.games,
        "findings": None if report is None else dict(Counter(finding.code for finding in report.findings)),
    }
    writer.finish(facts)
    return Taken(at, keys, files, report)


def note(settings: Settings, taken: Taken) -> None:
    """Note in the store when the backup was begun. Raises StoreUnavailable."""
    adapters.patient_link(settings).call("SET", LAST_BACKUP, round(taken.at.timestamp() * 1000))


def _dump_all(link: RedisClient, path: Path) -> None:
    """Write a dump of the store: of a cluster, what its servers had, one after the other, put together in one."""
    servers = link.servers()
    if len(servers) == 1:
        _dump(servers[0], path)
        return
    part = path.with_suffix(".part")
    with EmbeddedServer(None) as whole:
        target = ServerClient.of(whole.url, adapters.PATIENT)
        for server in servers:
            _dump(server, part)
            with EmbeddedServer(None, dump=part) as one:
                copy(link_to(one.url, adapters.PATIENT), target)
            part.unlink()
        _dump(target, path)


def _dump(server: ServerClient, path: Path) -> None:
    with writing(path), open(path, "wb", opener=package.private) as file:
        dump(server, file)


def _checked(settings: Settings, path: Path) -> tuple[int, Report]:
    """The number of keys in a dump, and what fsck finds there."""
    with loaded(path) as url:
        store = replace(settings, redis_url=url, queue_url=url)
        return size(link_to(url, adapters.PATIENT)), checked(store, repair=False, patience=FOR_EVER)


@contextmanager
def loaded(path: Path) -> Iterator[str]:
    """A server of our own that has read a dump; its address."""
    with EmbeddedServer(None, dump=path) as server:
        forget_locks(link_to(server.url, adapters.PATIENT))
        yield server.url


def _add_archive(settings: Settings, writer: PackageWriter) -> int:
    storage = archives.storage(settings)
    names = [name for name in storage.names() if file_format.parts_of(name) is not None]
    for name in names:
        content = storage.read(name)
        file_format.checked(name, content)
        writer.add(package.ARCHIVE + name, content)
    return len(names)


def _add_keys(settings: Settings, writer: PackageWriter, *, private_key: bool) -> None:
    if settings.signing_keys is None or not settings.signing_keys.is_dir():
        return
    for path in sorted(settings.signing_keys.glob(f"*{PUBLIC_SUFFIX}")):
        writer.add(package.KEYS + path.name, path.read_bytes())
    if private_key:
        writer.add(package.KEYS + CURRENT, (settings.signing_keys / CURRENT).read_bytes())
