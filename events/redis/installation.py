"""What an installation keeps secret: random bytes in the event store, from which other things are derived."""

import secrets as randomness

from events.redis.client import RedisClient

SIZE = 32


def secret(link: RedisClient, key: str) -> bytes:
    """The secret that stands at `key`, made by whoever needs it first; 32 bytes. Raises StoreUnavailable.

    It is read anew each time: the store may have been restored from a backup, and processes must agree.
    """
    found = link.call("GET", key)
    if found is None:
        making = ("SET", key, randomness.token_bytes(SIZE), "NX")
        _, found = link.calls([making, ("GET", key)])
    return bytes(found)
