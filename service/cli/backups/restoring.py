"""Putting a backup into an empty store. Whatever dies in between, the same restore can be done again."""

from pathlib import Path
from typing import IO

from events.backup import package
from events.backup.dump import copy, size
from events.backup.package import Manifest
from events.fsck.check import Report
from events.runtime import adapters
from events.runtime.key_files import CURRENT, DIRECTORY_MODE, PRIVATE_MODE, PUBLIC_MODE, keys_of, write
from events.runtime.settings import Settings
from events.runtime.stores import archives
from events.runtime.stores.store_check import refuse_unfit
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.link import link_to
from service.cli.backups.taking import FOR_EVER, loaded
from service.cli.commands.fsck import checked
from service.cli.exits import Failure, Refusal, writing


def restore_from(stream: IO[bytes], settings: Settings, scratch: Path) -> Report:
    """Put the backup into the settings' store and archive; what fsck finds there in the end.

    `scratch` is a private directory with room for the backup. Raises BadBackup, Refusal, Failure, SettingsError for a
    store that evicts, StoreUnavailable.
    """
    refuse_unfit(settings)
    link = adapters.patient_link(settings)
    _refuse_used(link, None)
    with writing(scratch):
        manifest = package.unpack(stream, scratch)
    with loaded(scratch / package.STORE) as url:
        source = link_to(url, adapters.PATIENT)
        again = _refuse_used(link, manifest.digest)
        _refuse_archive(settings, manifest, again=again)
        link.call("SET", keys.RESTORING, manifest.digest)
        _restore_archive(settings, manifest, scratch)
        _restore_keys(settings, manifest, scratch)
        copy(source, link)
        _compare(source, link)
    link.call("DEL", keys.RESTORING)
    return checked(settings, repair=False, patience=FOR_EVER)


def _refuse_used(link: RedisClient, digest: str | None) -> bool:
    """True if a restore of this backup was begun here, False for an empty store; Refusal for any other content.

    `digest` None: the backup is not known yet.
    """
    if size(link) == 0:
        return False
    mark = link.call("GET", keys.RESTORING)
    if mark is None:
        raise Refusal("The store is not empty, and is left as it is: restore into another one.")
    if digest is not None and mark.decode() != digest:
        raise Refusal(
            "Another backup was being restored into this store: restore that one, or use another store."
        )
    return True


def _refuse_archive(settings: Settings, manifest: Manifest, *, again: bool) -> None:
    wanted = manifest.names(package.ARCHIVE)
    if not wanted:
        return
    if settings.archive is None:
        raise Refusal("The backup has an archive: set MIGRATO_ARCHIVE to where it is to go.")
    if not again and archives.storage(settings).names():
        raise Refusal(
            f"The archive {settings.archive} is not empty, and is left as it is: name another place."
        )


def _restore_archive(settings: Settings, manifest: Manifest, scratch: Path) -> None:
    names = manifest.names(package.ARCHIVE)
    if not names:
        return
    storage = archives.storage(settings)
    there = set(storage.names())
    for member in names:
        name = member.removeprefix(package.ARCHIVE)
        if name in there:
            continue
        staged = f"{name}.restoring"
        storage.stage(staged, (scratch / member).read_bytes())
        storage.publish(staged, name)


def _restore_keys(settings: Settings, manifest: Manifest, scratch: Path) -> None:
    """Add the backup's public keys to those that are there, and its private key where there is none."""
    names = manifest.names(package.KEYS)
    if not names:
        return
    directory = settings.signing_keys or keys_of(settings.data_dir.absolute())
    directory.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
    for member in names:
        path = directory / member.removeprefix(package.KEYS)
        if path.exists():
            continue
        mode = PRIVATE_MODE if path.name == CURRENT else PUBLIC_MODE
        with writing(path):
            write(path, (scratch / member).read_bytes(), mode)


def _compare(source: RedisClient, link: RedisClient) -> None:
    wanted, found = size(source) + 1, size(link)  # the mark of a restore is one key more
    if found != wanted:
        raise Failure(f"{found - 1} keys were restored of {wanted - 1}: somebody else writes to this store.")
