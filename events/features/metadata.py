"""Metadata: an app's own keys and texts about something that the engine stores for it, within Stripe's limits."""

import re
from collections.abc import Mapping
from typing import Final

from domain.errors import invalid

MOST_KEYS: Final = 50
LONGEST_KEY: Final = 40  # characters
LONGEST_VALUE: Final = 500  # characters
KEY: Final = re.compile(rf"[^=]{{1,{LONGEST_KEY}}}", re.DOTALL)  # in a query it ends with "="

Metadata = Mapping[str, str]
Change = Mapping[str, str | None]  # None removes the key


def merged(known: Metadata, change: Change | None, where: str) -> Metadata:
    """The metadata after a change; keys that it does not name stay. A change of None removes all metadata.

    `where`: the member of the request that asks for it. Raises DomainError "validation-error" for too many keys.
    """
    if change is None:
        return {}
    found = {key: value for key, value in {**known, **change}.items() if value is not None}
    if len(found) > MOST_KEYS:
        raise invalid(where, f"Would have {len(found)} keys; {MOST_KEYS} are the most.")
    return found
