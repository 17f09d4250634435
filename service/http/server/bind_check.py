"""Whether others can reach the service: it then needs app keys."""

import ipaddress
import socket

from events.runtime.settings import Settings, SettingsError


def refuse_open_door(settings: Settings) -> None:
    """SettingsError if anybody on other machines could create games here."""
    if not settings.app_keys and not is_loopback(settings.host):
        raise SettingsError(
            f"{settings.host} can be reached from other machines, and anybody could create games there. Make a key "
            "with `migrato key NAME`, put its entry into MIGRATO_APP_KEYS, and start again."
        )


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address; a name counts if all its addresses do."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        pass
    try:
        found = socket.getaddrinfo(host, None)
    except OSError as error:
        raise SettingsError(f"MIGRATO_HOST {host} has no address: {error.strerror}.") from error
    return all(ipaddress.ip_address(str(address[0]).partition("%")[0]).is_loopback for *_, address in found)
