"""Secret of an installation: random bytes in the event store, from which ids and tokens are derived."""

import secrets as randomness
from collections.abc import Callable, Sequence
from typing import Any

from events.errors import StoreUnavailable
from events.store.connections.client import RedisClient, Request

SIZE = 32
ATTEMPTS = 3  # at requests that follow from a secret, should that be another one by then


def secret(link: RedisClient, key: str) -> bytes:
    """The secret at `key`, 32 bytes; the first process that needs it makes it. Raises StoreUnavailable.

    It is read anew each time: the store may have been restored from a backup, and processes must agree.
    """
    found = link.call("GET", key)
    if found is None:
        making = ("SET", key, randomness.token_bytes(SIZE), "NX")
        _, found = link.calls([making, ("GET", key)])
    return bytes(found)


class Secret:
    """The installation's secret at a key, from which other values are derived; safe among threads and greenlets."""

    def __init__(self, link: RedisClient, key: str) -> None:
        self._link = link
        self._key = key
        self._last: bytes | None = None

    def read(self) -> bytes:
        """The present secret; made if there is none. Raises StoreUnavailable."""
        self._last = found = secret(self._link, self._key)
        return found

    def read_with(self, requests: Callable[[bytes], Sequence[Request]]) -> tuple[bytes | None, list[Any]]:
        """The secret as it is now, and the replies to the requests that follow from it. Raises StoreUnavailable.

        None and no replies where there is no secret: nothing can have followed from it. One round trip: what follows
        from the secret as it was last seen is asked for beside the secret itself, and once more where that is another
        one by now. So nothing may be asked that does harm.
        """
        for _ in range(ATTEMPTS):
            known = self._last or self._link.call("GET", self._key)
            if known is None:
                return None, []
            now, *replies = self._link.calls([("GET", self._key), *requests(known)])
            self._last = known if now == known else None
            if now == known:
                return known, replies
        raise StoreUnavailable(f"{self._key} changes while it is read")
