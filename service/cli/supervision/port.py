"""The address that the service listens on: the socket there, and whether the service answers."""

import errno
import os
import socket
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException
from typing import Final

from events.runtime.settings import Settings
from service.cli.exits import Refusal

FROM_SYSTEMD: Final = 3  # descriptor of the first socket that systemd hands over


def listener(settings: Settings, environ: Mapping[str, str]) -> socket.socket:
    """Socket that is bound to the service's address, for web processes one after the other to listen on; Refusal.

    systemd may have opened it (sd_listen_fds(3)): then callers wait while this process is started again.
    """
    if environ.get("LISTEN_PID") == str(os.getpid()):
        if environ.get("LISTEN_FDS") != "1":
            raise Refusal("The unit of systemd must have one socket with one address.")
        return socket.socket(fileno=FROM_SYSTEMD)
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        with _bound(family, settings) as probe:
            probe.listen(1)
        return _bound(family, settings)
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        reason = "is in use already" if taken else f"cannot be used ({error.strerror})"
        raise Refusal(
            f"Port {settings.port} of {settings.host} {reason}. Choose another with --port (or MIGRATO_PORT)."
        ) from error


def _bound(family: socket.AddressFamily, settings: Settings) -> socket.socket:
    """A socket at the service's address; nobody who connects gets through before somebody listens on it."""
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((settings.host, settings.port))
    except OSError:
        bound.close()
        raise
    return bound


def is_ready(settings: Settings) -> bool:
    """True if the service says that it can serve games."""
    return _status_of(settings, "/readyz") == 200


def wants_key(settings: Settings) -> bool:
    """True if the service serves only callers with an app key."""
    return _status_of(settings, "/metrics") == 401


def _status_of(settings: Settings, path: str) -> int | None:
    """Status of the answer to a request without a key; None if there is none."""
    connection = HTTPConnection(reachable(settings.host), settings.port, timeout=2)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, HTTPException):
        return None
    finally:
        connection.close()


def reachable(host: str) -> str:
    """An address under which this machine reaches what listens on `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 (to be reached, not bound)
