"""The address that the service listens on: whether it is free, and whether the service answers there."""

import errno
import socket
from http.client import HTTPConnection, HTTPException

from events.runtime.settings import Settings
from service.cli.exits import Refusal


def refuse_taken_port(settings: Settings) -> None:
    """Refusal if the service could not listen at its address."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
            probe.listen(1)
        except OSError as error:
            taken = error.errno == errno.EADDRINUSE
            reason = "is in use already" if taken else f"cannot be used ({error.strerror})"
            raise Refusal(
                f"Port {settings.port} of {settings.host} {reason}. Choose another with --port (or MIGRATO_PORT)."
            ) from error


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
