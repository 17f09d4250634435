"""The settings' archive, for readers without an engine: nothing here needs the event store, or imports it."""

from events.archive.reader import ArchiveReader
from events.archive.storage import Storage, storage_of
from events.caching import MIB, Memory
from events.runtime.settings import Settings, SettingsError


def archive_reader(settings: Settings) -> ArchiveReader | None:
    """A reader of the settings' archive, without an engine; None if there is no archive."""
    if settings.archive is None:
        return None
    return ArchiveReader(storage(settings), memory=Memory(settings.cache_mb * MIB))


def storage(settings: Settings) -> Storage:
    """The place of the settings' archive."""
    if settings.archive is None:
        raise SettingsError("MIGRATO_ARCHIVE must be set: there is no archive.")
    try:
        return storage_of(settings.archive)
    except ValueError as error:
        raise SettingsError(f"MIGRATO_ARCHIVE cannot be used: {error}") from error
