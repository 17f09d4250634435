"""Scopes: what an app's key may do. Every operation of the API needs one of them."""

from typing import Final

READ: Final = "games:read"
WRITE: Final = "games:write"
CHOOSE: Final = "bots:choose"
WEBHOOKS: Final = "webhooks"
ADMIN: Final = "admin"
SCOPES: Final = (READ, WRITE, CHOOSE, WEBHOOKS, ADMIN)
# The scopes of a key of MIGRATO_APP_KEYS, and of an app that is created without naming any.
USUAL: Final = frozenset(SCOPES) - {ADMIN}
NO_SCOPES: Final = frozenset[str]()
