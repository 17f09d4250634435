"""Requests that a browser sends for a page of another site, where no app keys identify callers.

Such a page can reach a service on its reader's own machine that nobody else can reach. The browser's `Origin` header
names the page's site. A page that makes its own host name point to this machine (DNS rebinding) is recognised by the
`Host` header, which still has that name.
"""

import ipaddress
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit
from wsgiref.types import WSGIEnvironment

from events.runtime.settings import ANY_ORIGIN, Settings, is_origin
from service.http.admission.hosts import host_name

SETTING = "MIGRATO_ORIGINS"
FRAMES = "MIGRATO_EMBED_ANCESTORS"
DEFAULT_PORTS = {"http": ":80", "https": ":443"}


class Origins:
    """A service's own names, and the sites that its operator trusts.

    `watched`: True if the site of a page can make a difference.
    """

    def __init__(self, settings: Settings, are_there_keys: Callable[[], bool] = lambda: False) -> None:
        """`are_there_keys`: True once apps were created, whose keys are needed then. May raise StoreUnavailable."""
        self._are_there_keys = are_there_keys
        self.watched = not settings.app_keys and ANY_ORIGIN not in settings.origins
        configured = (*settings.origins, settings.public_url)
        known = [address for address in configured if address and address != ANY_ORIGIN]
        self._origins = {origin_of(address) for address in known}
        self._hosts = {settings.host.lower(), *(host_name(urlsplit(address).netloc) for address in known)} - {
            None
        }

    def objection(self, environ: WSGIEnvironment) -> str | None:
        """A sentence that says how a page of another site may have sent the request; None if none has, or it is
        harmless.

        Raises StoreUnavailable.
        """
        if not self.watched:
            return None
        objection = self._objection(environ)
        return None if objection is None or self._are_there_keys() else objection

    def _objection(self, environ: WSGIEnvironment) -> str | None:
        host, origin = environ.get("HTTP_HOST"), environ.get("HTTP_ORIGIN")
        if host and not self._is_ours(host_name(host)):
            return f"The request was sent to {host[:100]!r}, which is no name of this service."
        if origin is None or origin.lower() in self._origins or origin.lower() in _origins_of(host or ""):
            return None
        return f"The request comes from a page of {origin[:100]!r}."

    def _is_ours(self, name: str | None) -> bool:
        if name is None:
            return False
        if name in self._hosts or name == "localhost" or name.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(name).is_loopback
        except ValueError:
            return False


def origin_of(address: str) -> str:
    """The origin of an address, as browsers write it: no path, no default port."""
    parts = urlsplit(address.lower())
    return _written(parts.scheme, parts.netloc)


def framing_origin(settings: Settings, text: str) -> str | None:
    """The origin in the text, as browsers write it, if its pages may frame a table; None for any other text."""
    if not is_origin(text):
        return None
    origin, allowed = origin_of(text), settings.embed_ancestors
    return origin if ANY_ORIGIN in allowed or origin in map(origin_of, allowed) else None


def _origins_of(host: str) -> Iterator[str]:
    """The origins of the service's own pages when they are reached under that Host."""
    return (_written(scheme, host.lower()) for scheme in DEFAULT_PORTS)


def _written(scheme: str, host: str) -> str:
    return f"{scheme}://{host.removesuffix(DEFAULT_PORTS[scheme])}"
