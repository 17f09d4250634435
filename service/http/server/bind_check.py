"""Checks at the start: a service that others can reach needs app keys, and its store must keep all that it is given."""

import ipaddress
import socket
import subprocess
import sys
from collections.abc import Callable
from typing import Final

from events.runtime.settings import Settings, SettingsError

SECONDS: Final = 30.0  # seconds for a process that looks for apps
THERE_ARE_APPS: Final = 7  # that process's exit code if there are apps; no other end has it
LOOKS: Final = f"""
import os, sys
from events.runtime.settings import load
from events.runtime.stores.app_check import has_apps
sys.exit({THERE_ARE_APPS} if has_apps(load(os.environ)) else 0)
"""
UNFIT: Final = 8  # likewise, the exit code for an unfit store
ASKS: Final = f"""
import os, sys
from events.runtime.settings import SettingsError, load
from events.runtime.stores.store_check import refuse_unfit
try:
    refuse_unfit(load(os.environ))
except SettingsError as error:
    print(error, end="")
    sys.exit({UNFIT})
"""


def refuse_open_door(settings: Settings, are_there_apps: Callable[[], bool] = lambda: False) -> None:
    """SettingsError if other machines can reach the service, and anybody could create games there.

    `are_there_apps`: True if the store has some; called only if the answer decides.
    """
    if not settings.app_keys and not is_loopback(settings.host) and not are_there_apps():
        raise SettingsError(
            f"{settings.host} can be reached from other machines, and anybody could create games there. Make a key "
            "with `migrato apps create NAME`, or with `migrato key NAME`, whose entry goes into MIGRATO_APP_KEYS, and "
            "start again."
        )


def are_there_apps_elsewhere() -> bool:
    """True if the store that the environment names has apps, found out by a process of its own.

    For gunicorn's arbiter, which must not import what makes locks. A store that does not answer has none.
    """
    done = _done_elsewhere(LOOKS)
    return done is not None and done.returncode == THERE_ARE_APPS


def refuse_unfit_elsewhere(settings: Settings) -> None:
    """SettingsError for an event store that evicts, or whose format is not read here, found out by a process of its
    own, as whether there are apps.
    """
    done = None if settings.allow_eviction else _done_elsewhere(ASKS)
    if done is not None and done.returncode == UNFIT:
        raise SettingsError(done.stdout)


def _done_elsewhere(text: str) -> subprocess.CompletedProcess[str] | None:
    try:
        return subprocess.run(  # noqa: S603 -- a text of ours
            [sys.executable, "-c", text], capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return None


def is_loopback(host: str) -> bool:
    """True if only this machine can reach the address; a name counts if all its addresses do."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        pass
    try:
        found = socket.getaddrinfo(host, None)
    except OSError as error:
        raise SettingsError(f"MIGRATO_HOST {host} has no address: {error.strerror}.") from error
    return all(ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback for *_, address in found)
