"""Options in the address of a Redis server, as `redis://host/0?socket_timeout=5`: those that its client knows.

They are known here by name, for the client is not to be imported where settings are read: it would use the standard
library as it is before gevent changes it.
"""

from collections.abc import Callable, Mapping
from math import isfinite
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import SplitResult, parse_qsl

TLS: Final = "ssl_"


class Option(NamedTuple):
    """An option: in words what it must be, and whether a value is that."""

    wants: str
    fits: Callable[[str], bool]


def _is_seconds(value: str) -> bool:
    return isfinite(float(value)) and float(value) > 0


TEXT: Final = Option("some text", bool)
NUMBER: Final = Option("a number", str.isdecimal)
SECONDS: Final = Option("seconds, more than 0", _is_seconds)
YES_OR_NO: Final = Option("yes or no", ("yes", "no", "true", "false", "1", "0").__contains__)
FILE: Final = Option("a file that is there", lambda value: Path(value).is_file())
OPTIONS: Final[Mapping[str, Option]] = {
    "client_name": Option("a name without spaces", lambda value: bool(value) and " " not in value),
    "db": NUMBER,
    "health_check_interval": NUMBER,
    "password": TEXT,
    "socket_connect_timeout": SECONDS,
    "socket_keepalive": YES_OR_NO,
    "socket_timeout": SECONDS,
    "username": TEXT,
    "ssl_ca_certs": FILE,
    "ssl_ca_data": TEXT,
    "ssl_ca_path": Option("a directory that is there", lambda value: Path(value).is_dir()),
    "ssl_cert_reqs": Option("none, optional or required", ("none", "optional", "required").__contains__),
    "ssl_certfile": FILE,
    "ssl_check_hostname": YES_OR_NO,
    "ssl_ciphers": TEXT,
    "ssl_keyfile": FILE,
    "ssl_password": TEXT,
}


def fault(parts: SplitResult) -> str | None:
    """A clause that names the first option of an address that will not do, and never its value; None if all do."""
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        option = OPTIONS.get(name)
        if option is None or (name.startswith(TLS) and not parts.scheme.startswith("rediss")):
            known = [one for one in OPTIONS if parts.scheme.startswith("rediss") or not one.startswith(TLS)]
            return f"has an option that is none: {_shown(name)}. There are {', '.join(known)}"
        if not _fits(option, value):
            return f"has an option that will not do: {name} must be {option.wants}"
    return None


def _shown(name: str) -> str:
    """A name that cannot be read as one may be part of a password."""
    return name if name.isidentifier() and name.islower() and len(name) < 30 else "its name is no word"


def _fits(option: Option, value: str) -> bool:
    try:
        return option.fits(value)
    except (ValueError, OSError):
        return False
