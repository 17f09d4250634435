# compiled into serving
"""The Host header of a request: a name or an address, and perhaps a port (RFC 9110, 7.2)."""

import re
from functools import lru_cache
from ipaddress import IPv6Address
from typing import Final
from wsgiref.types import WSGIEnvironment

from service.http.problems import Problem

_HOST = re.compile(
    r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*)\.?)(?::(?P<port>[0-9]{0,5}))?",
    re.IGNORECASE,
)
_LONGEST: Final = 253  # characters of a name
_PORTS: Final = 65_536


@lru_cache(maxsize=256)
def host_name(host: str) -> str | None:
    """The name or address in a Host header, in lower case and without its port; None if the header cannot
    name a host.
    """
    match = _HOST.fullmatch(host)
    if match is None or int(match["port"] or 0) >= _PORTS:
        return None
    if match["name"] is not None:
        return match["name"].lower() if len(match["name"]) <= _LONGEST else None
    try:
        IPv6Address(match["address"])
    except ValueError:
        return None
    return match["address"].lower()


def refuse_impossible_host(environ: WSGIEnvironment) -> None:
    """RFC 9112, 3.2: Problem "bad-request" for an impossible Host header, and for a request of HTTP/1.1 without one."""
    host: str | None = environ.get("HTTP_HOST")
    if host is None:
        if environ.get("SERVER_PROTOCOL") == "HTTP/1.1":
            raise Problem("bad-request", "The Host header is missing.")
    elif host_name(host) is None:
        raise Problem("bad-request", "The Host header has neither a name nor an address.")
