"""Which requests a browser makes for a page of another site, where no app keys tell who may ask.

Such a page gets at a service on its reader's own machine, though nobody else does. A browser tells by `Origin` whose
page asks; a page that has made its own name lead to this machine (DNS rebinding) is told by `Host`, for that is still
its name.
"""

import ipaddress
from collections.abc import Iterator
from urllib.parse import urlsplit
from wsgiref.types import WSGIEnvironment

from events.settings import ANY_ORIGIN, Settings

SETTING = "MIGRATO_ORIGINS"
DEFAULT_PORTS = {"http": ":80", "https": ":443"}


class Origins:
    """What is known of a service's own names, and of the sites that its operator trusts."""

    def __init__(self, settings: Settings) -> None:
        self._watched = not settings.app_keys and ANY_ORIGIN not in settings.origins
        told = (*settings.origins, settings.public_url)
        known = [address for address in told if address and address != ANY_ORIGIN]
        self._origins = {_origin(address) for address in known}
        self._hosts = {settings.host.lower(), *(_name(urlsplit(address).netloc) for address in known)}

    def objection(self, environ: WSGIEnvironment) -> str | None:
        """Why a request may come from a page of another site, in a sentence; None if it cannot."""
        if not self._watched:
            return None
        host, origin = environ.get("HTTP_HOST"), environ.get("HTTP_ORIGIN")
        if host and not self._is_ours(_name(host)):
            return f"The request was sent to {host[:100]!r}, which is no name of this service."
        if origin is None or origin.lower() in self._origins or origin.lower() in _origins_of(host or ""):
            return None
        return f"The request comes from a page of {origin[:100]!r}."

    def _is_ours(self, name: str) -> bool:
        if name in self._hosts or name == "localhost" or name.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(name).is_loopback
        except ValueError:
            return False


def _origin(address: str) -> str:
    """The origin of an address, as browsers write it: no path, no default port."""
    parts = urlsplit(address.lower())
    return f"{parts.scheme}://{parts.netloc.removesuffix(DEFAULT_PORTS[parts.scheme])}"


def _origins_of(host: str) -> Iterator[str]:
    """The origins that pages of the service itself have when it is asked by that Host."""
    return (_origin(f"{scheme}://{host}") for scheme in DEFAULT_PORTS)


def _name(host: str) -> str:
    """The name or address in a Host field, without its port."""
    name, _, port = host.lower().rpartition(":")
    if not name or not port.isdecimal():
        name = host.lower()
    return name.removeprefix("[").removesuffix("]").removesuffix(".")
