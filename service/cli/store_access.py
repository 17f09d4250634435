"""The event store and the archive of a sub-command: those of a running engine, or started for the command.

Modules that speak to the store are imported only when they are needed: a command that reads the archive alone does not
wait for them.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click

from events.errors import StoreRefuses, StoreUnavailable
from events.runtime.key_files import CURRENT, keys_of
from events.runtime.settings import NO_ARCHIVE, Settings, SettingsError, load
from service.cli.exits import Failure, Refusal
from service.cli.supervision.data_dir import DataDirLock, InUse


def with_archive(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment with an archive in the data directory where the store is the embedded one there.

    So it is for `migrato serve` and for every sub-command beside it; MIGRATO_ARCHIVE=off says otherwise.
    """
    environment = dict(environ)
    if environment.get("MIGRATO_ARCHIVE"):
        environment["MIGRATO_ARCHIVE"] = absolute(environment["MIGRATO_ARCHIVE"])
    if not environment.get("MIGRATO_ARCHIVE") and not environment.get("MIGRATO_REDIS_URL"):
        environment["MIGRATO_ARCHIVE"] = str(
            Path(environment.get("MIGRATO_DATA_DIR") or ".migrato").absolute() / "archive"
        )
    return environment


def absolute(where: str) -> str:
    """The same place of the archive for processes that work in other directories."""
    return where if "://" in where or where == NO_ARCHIVE else str(Path(where).absolute())


def archive_settings(data_dir: str | None = None) -> Settings:
    """The settings, for what needs the archive alone; Refusal if there is none."""
    settings = _settings(data_dir)
    if settings.archive is None:
        raise Refusal("There is no archive: set MIGRATO_ARCHIVE to where it is.")
    return settings


@contextmanager
def store_settings(data_dir: str | None = None, *, new: bool = False) -> Iterator[Settings]:
    """The settings with a store that answers: the configured one, the running embedded one, or one started for this.

    `new`: an embedded one is made where there is none. Raises Refusal, also for a store that does not answer, and
    Failure.
    """
    settings = _settings(data_dir)
    try:
        if settings.redis_url is not None:
            yield _readable(settings)
        elif (running := _running(settings)) is not None:
            yield _readable(replace(settings, redis_url=running))
        else:
            yield from map(_readable, _started(settings, new=new))
    except SettingsError as error:
        raise Refusal(str(error)) from error
    except StoreUnavailable as error:
        raise unavailable(error, settings) from error


def _readable(settings: Settings) -> Settings:
    """The settings, whose store is of a format that this release reads. Raises SettingsError."""
    from events.runtime.stores.format_watch import refuse_format

    refuse_format(settings)
    return settings


def unavailable(
    error: StoreUnavailable, settings: Settings, kind: type[click.ClickException] = Refusal
) -> click.ClickException:
    """The exception, of that `kind`, for a store or an archive that cannot be used; its text says why.

    An error reply of the store, and a full disk, are refusals in any case.
    """
    from events.runtime.embedded import hardly_any_room

    told = f"{error.detail} ({error.reason})"
    if isinstance(error, StoreRefuses):
        return Refusal(f"The event store {error.said}")
    if settings.redis_url is None and hardly_any_room(settings.data_dir):
        return Refusal(f"There is hardly any room left on the disk of {settings.data_dir}. {told}")
    return kind(told)


def of_server(error: Exception) -> click.ClickException:
    """The failure of an embedded server to start; exit code 2 if the disk is full, else 1."""
    from events.runtime.embedded import NoRoom

    return Refusal(str(error)) if isinstance(error, NoRoom) else Failure(str(error))


def directory_at_rest(data_dir: str | None = None) -> Path | None:
    """The data directory in which a sub-command would start the embedded store, as no engine runs there; else None."""
    settings = _settings(data_dir)
    return settings.data_dir if settings.redis_url is None and _running(settings) is None else None


@contextmanager
def new_store_settings(data_dir: str | None = None) -> Iterator[Settings]:
    """The settings with a store to be filled: the configured one, or an embedded one that is made for it.

    Raises Refusal, also where an engine is running, and Failure.
    """
    settings = _settings(data_dir)
    try:
        if settings.redis_url is not None:
            yield settings
        elif _running(settings) is not None:
            raise Refusal(f"An engine is running in {settings.data_dir}: stop it first.")
        else:
            yield from _started(settings, new=True)
    except SettingsError as error:
        raise Refusal(str(error)) from error
    except StoreUnavailable as error:
        raise unavailable(error, settings, Failure) from error


def _settings(data_dir: str | None) -> Settings:
    environ = {**os.environ, **({} if data_dir is None else {"MIGRATO_DATA_DIR": data_dir})}
    try:
        return _with_keys(load(with_archive(environ), with_queue=False))
    except SettingsError as error:
        raise Refusal(str(error)) from error


def _with_keys(settings: Settings) -> Settings:
    """The settings with the signing keys that `migrato serve` has in the data directory, unless others are named."""
    keys = keys_of(settings.data_dir)
    there = settings.signing_keys is None and (keys / CURRENT).exists()
    return replace(settings, signing_keys=keys) if there else settings


def _running(settings: Settings) -> str | None:
    """The address of a running engine's embedded server; the server of an engine that was killed is on its way out."""
    socket = settings.data_dir.absolute() / "redis" / "redis.sock"
    if not socket.exists():
        return None
    from events.runtime.embedded import SOCKET_PATH_MAX, EmbeddedServer, is_orphan
    from events.store.link import link_to

    if len(os.fsencode(socket)) > SOCKET_PATH_MAX or is_orphan(settings.data_dir):
        return None
    url = EmbeddedServer.of(settings).url
    try:
        link_to(url, timeout=2.0).call("PING")
    except StoreUnavailable:
        return None
    return url


def _engine_without_store(data_dir: Path, in_use: InUse) -> Refusal:
    """The refusal of a directory that an engine uses while its embedded store does not answer, with the
    likely reason.
    """
    from events.runtime.embedded import LOG, hardly_any_room, last_line

    said = last_line(data_dir / "redis" / LOG)
    room = f"There is hardly any room left on the disk of {data_dir}. " if hardly_any_room(data_dir) else ""
    store = f" Its event store does not answer; it said last: {said}" if room and said else ""
    return Refusal(f"{room}{in_use.message}{store}")


def _started(settings: Settings, *, new: bool = False) -> Iterator[Settings]:
    if not new and not (settings.data_dir / "redis").is_dir():
        raise Refusal(
            f"There is no event store in {settings.data_dir}: set MIGRATO_REDIS_URL or MIGRATO_DATA_DIR."
        )
    from events.backup.at_rest import forget_locks
    from events.runtime.embedded import EmbeddedServer, EmbeddedServerError
    from events.store.link import link_to

    server = EmbeddedServer.of(settings)
    try:
        lock = DataDirLock(settings.data_dir)
    except InUse as in_use:
        raise _engine_without_store(settings.data_dir, in_use) from in_use
    try:
        server.start()
        forget_locks(link_to(server.url, settings.redis_timeout))  # nobody lives who could hold any
        yield replace(settings, redis_url=server.url)
    except EmbeddedServerError as error:
        raise of_server(error) from error
    finally:
        server.stop()
        lock.release()
