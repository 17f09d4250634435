"""Guard of the addresses that we call for others: the public internet, and those that the operator allows.

A URL that somebody gives us must not lead into our own network (server-side request forgery). What counts is the
address that is connected to: a name is resolved once, every address that it has is checked, and the connection is made
to one of those (`workers.remote.poster`). What a URL looks like is refused early only where it is plain.
"""

import re
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from threading import BoundedSemaphore, Thread
from typing import Final, NamedTuple

from events.errors import UrlRefused

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
Resolve = Callable[[str, int], list[str]]

NAME: Final = re.compile(r"[0-9a-z_-]+(\.[0-9a-z_-]+)*")
URL: Final = re.compile(
    rf"(?P<scheme>https?)://(\[(?P<literal>[0-9a-f:.]+)\]|(?P<name>{NAME.pattern})\.?)(:(?P<port>[0-9]{{1,5}}))?"
    r"(?P<path>/[!$-;=?-Z_a-z~]*)?",  # printable ASCII, less quotes, brackets and what begins a fragment
    re.ASCII | re.IGNORECASE,  # in Unicode, k and s have more than two forms
)
URL_LENGTH: Final = 2048
NAME_LENGTH: Final = 253  # what DNS can hold, and so what can be looked up
LABEL_LENGTH: Final = 63
NUMBER: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")  # as a last label it makes an address to some (0x7f.1)
PORTS: Final = {"http": 80, "https": 443}

UNICAST: Final = IPv6Network("2000::/3")  # IANA's public space, without mapped and translated addresses
# What is special in IANA's registries beyond what `is_global` knows in every Python since 3.11.0.
SPECIAL: Final = tuple(
    ip_network(network)
    for network in (
        "192.0.0.0/24",  # protocol assignments
        "192.88.99.0/24",  # relays to 6to4
        "168.63.129.16/32",  # a cloud's own services (Azure), under an address that looks public
        "2001::/23",  # protocol assignments; among them Teredo, which carries IPv4 addresses
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, which carries IPv4 addresses
        "3fff::/20",  # documentation
    )
)

LOOKS: Final = 4  # names that a process looks up at once for those who create games
LOOK_SECONDS: Final = 1.0

MALFORMED: Final = (
    "Must be an address such as https://bots.example.com/move; without a user, a fragment, or IDNs."
)
TOO_LONG: Final = f"The host's name may have {NAME_LENGTH} characters, and {LABEL_LENGTH} between two dots."
ALLOWING: Final = "The operator allows other networks and hosts, by http too, in MIGRATO_REMOTE_ALLOW."


class Target(NamedTuple):
    """A URL taken apart: `host` in lower case, without brackets and final dot; `path` with its query."""

    scheme: str
    host: str
    port: int
    path: str


@dataclass(frozen=True, slots=True)
class Allowed:
    """Addresses that the operator allows besides public ones, by http too: networks, and hosts by their names."""

    networks: tuple[Network, ...] = ()
    hosts: frozenset[str] = frozenset()

    @classmethod
    def of(cls, entries: Iterable[str]) -> "Allowed":
        """The addresses of entries like 10.0.0.0/8, ::1 and bots.internal; ValueError for another form."""
        networks, hosts = list[Network](), set[str]()
        for entry in entries:
            if _is_name(entry.lower()) and not _looks_like_number(entry.lower()):
                hosts.add(entry.lower())
            else:
                networks.append(ip_network(entry))
        return cls(tuple(networks), frozenset(hosts))

    def has(self, host: str, address: Address) -> bool:
        """True if the operator named the host or a network of the address."""
        return host in self.hosts or any(address in network for network in self.networks)


def target_of(url: str) -> Target:
    """The URL taken apart; UrlRefused for whatever two readers might understand differently."""
    match = URL.fullmatch(url) if len(url) <= URL_LENGTH else None
    if match is None:
        raise UrlRefused(MALFORMED)
    scheme, host = match["scheme"].lower(), (match["literal"] or match["name"]).lower()
    port = PORTS[scheme] if match["port"] is None else int(match["port"])
    address = _address(host)
    as_it_must_be = (
        isinstance(address, IPv6Address)
        if match["literal"]
        else address is not None or not _looks_like_number(host)
    )
    if not (0 < port < 65536 and as_it_must_be):
        raise UrlRefused(MALFORMED)
    if match["name"] and not _is_name(host):
        raise UrlRefused(TOO_LONG)
    return Target(scheme, host, port, match["path"] or "/")


def refusal(target: Target) -> UrlRefused:
    """The refusal of a URL that may not be called: what is wrong as far as its text shows that, and the setting.

    Whether a name exists, and where it leads, is not told.
    """
    address = _address(target.host)
    if address is not None and not is_public(address):
        wrong = f"{target.host} is not on the public internet"
    elif target.scheme == "http":
        wrong = "It must be https"
    else:
        wrong = f"{target.host} is not found, or not on the public internet"
    return UrlRefused(f"{wrong}. {ALLOWING}")


def is_public(address: Address) -> bool:
    """True if the address is one host's on the public internet, and does not stand for another address."""
    if isinstance(address, IPv6Address) and address not in UNICAST:
        return False
    return address.is_global and not address.is_multicast and not any(address in net for net in SPECIAL)


def resolve(host: str, port: int) -> list[str]:
    """Every address of the host, in the system's order of preference; OSError."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(where[0]) for *_, where in found))


class Guard:
    """Says which URLs may be called."""

    def __init__(self, allowed: Allowed, resolve: Resolve = resolve) -> None:
        self._allowed = allowed
        self._resolve = resolve
        self._looks = BoundedSemaphore(LOOKS)

    def addresses(self, target: Target) -> list[str]:
        """Addresses of the target; UrlRefused if it may not be called, OSError if it cannot be found.

        A name with a single forbidden address is refused: its owner could hope that this address is used one day.
        """
        found = self._resolve(target.host, target.port)
        if not found or not all(self._may_call(target, address) for address in found):
            raise refusal(target)
        return found

    def check(self, url: str) -> None:
        """Refuse a URL that will not be called anyway, as far as can be told quickly. Raises UrlRefused.

        Whether a name does not exist or leads into our own network is answered alike.
        """
        target = target_of(url)
        if target.host in self._allowed.hosts:
            return
        address = _address(target.host)
        found = self._looked_up(target) if address is None else [target.host]
        if found is not None and not (found and all(self._may_call(target, one) for one in found)):
            raise refusal(target)

    def _may_call(self, target: Target, written: str) -> bool:
        address = _address(written)
        if address is None:
            return False
        return self._allowed.has(target.host, address) or (target.scheme == "https" and is_public(address))

    def _looked_up(self, target: Target) -> list[str] | None:
        """The name's addresses, [] if there is no such name; None where that takes too long or cannot be told now.

        Only a few names at a time: one whose servers are silent holds a thread for many seconds.
        """
        if not self._looks.acquire(blocking=False):
            return None
        found: list[list[str]] = []

        def look() -> None:
            try:
                found.append(self._resolve(target.host, target.port))
            except OSError as error:
                if isinstance(error, socket.gaierror) and error.errno == socket.EAI_NONAME:
                    found.append([])
            finally:
                self._looks.release()

        thread = Thread(target=look, daemon=True)
        thread.start()
        thread.join(LOOK_SECONDS)
        return found[0] if found else None


def _address(written: str) -> Address | None:
    """The address that is written there in its one usual form (no octal, no zone); None if it is none."""
    try:
        address = ip_address(written)
    except ValueError:
        return None
    return None if "%" in written else address


def _is_name(text: str) -> bool:
    """True if the text, in lower case, is a name that can be looked up."""
    fits = len(text) <= NAME_LENGTH and all(len(label) <= LABEL_LENGTH for label in text.split("."))
    return fits and NAME.fullmatch(text) is not None


def _looks_like_number(name: str) -> bool:
    return NUMBER.fullmatch(name.rpartition(".")[2]) is not None
