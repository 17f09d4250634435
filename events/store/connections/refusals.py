# compiled into serving
"""Refusals that say nothing of the request: the server cannot do it now, or does not let this user do it."""

from collections.abc import Mapping
from typing import Final

from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError

from events.errors import StoreForbids, StoreRefuses, StoreUnavailable

FORBIDDEN: Final = "NOPERM"
NOT_LET_IN: Final = "NOAUTH"
# By code, the server's refusal in words for everybody.
REASONS: Final[Mapping[str, str]] = {
    "BUSY": "a script keeps it busy",
    "CLUSTERDOWN": "its cluster is not whole",
    "LOADING": "it still reads its data",
    "MASTERDOWN": "it is a replica that has lost its master",
    "MISCONF": "it cannot write to its disk",
    NOT_LET_IN: "it wants another password",
    FORBIDDEN: "its user may not do that",
    "NOREPLICAS": "too few replicas follow it",
    "OOM": "its memory is full",
    "READONLY": "it is a replica, which takes no writes",
    "TRYAGAIN": "it moves data to another server",
    "UNBLOCKED": "it has become a replica, which takes no writes",
    "WRONGPASS": "it wants another password",
}
NO_ROOM: Final = "No space left on device"  # in a refusal, after a failed write
DISK_FULL: Final = "its disk is full"
LASTING: Final = {"MISCONF", NOT_LET_IN, FORBIDDEN, "OOM", "WRONGPASS"}  # until an operator does something
SOON: Final = 3  # seconds
LATER: Final = 30
# Refusals whose code is ERR, by what they contain.
CODES_BY_TEXT: Final[Mapping[str, str]] = {
    "unauthenticated": NOT_LET_IN,  # of a request that is too long for a stranger's
    "without any password configured": "WRONGPASS",
    "ACL failure in script": FORBIDDEN,
    "The user executing the script": FORBIDDEN,  # the same, of former servers
}


def code_of(refusal: RedisError) -> str:
    """The code of a server's refusal; that of an error without one is no member of REASONS."""
    text = str(refusal)
    code = refusal.status_code or text.partition(" ")[0]
    if code in REASONS:
        return code
    return next((known for part, known in CODES_BY_TEXT.items() if part in text), code)


def told(refusal: RedisError) -> str:
    """The refusal in the server's words, for the log, with the code that redis-py takes away."""
    text, code = str(refusal), code_of(refusal)
    return f"{code} {text}" if code in REASONS and not text.startswith(code) else text


def is_not_now(refusal: RedisError) -> bool:
    """True if the request may be asked again as it is, on another connection."""
    code = code_of(refusal)
    return code in REASONS and code != FORBIDDEN


def is_forbidden(refusal: RedisError) -> bool:
    """True if the server's user may not send the command, until an operator changes that."""
    return code_of(refusal) == FORBIDDEN


def not_now(refusal: RedisError) -> RedisConnectionError:
    """The failure for a request that the server cannot do now."""
    return RedisConnectionError(told(refusal))


def unavailable(failure: Exception | None) -> StoreUnavailable:
    """The error for callers after a failure; it says if the store refuses or is silent."""
    if not isinstance(failure, RedisError):
        return StoreUnavailable(str(failure or "no answer in time"))
    code = code_of(failure)
    if code not in REASONS:
        return StoreUnavailable(str(failure))
    kind = StoreForbids if code == FORBIDDEN else StoreRefuses
    seconds = LATER if code in LASTING else SOON
    if code == "MISCONF" and NO_ROOM in str(failure):
        return kind(f"{DISK_FULL} ({told(failure)})", DISK_FULL, seconds)
    return kind(told(failure), REASONS[code], seconds)
