"""The types of the game's events, as they are named on the wire."""

import re
from typing import Final, get_args

from domain.migrato.game import AnyEvent

KINDS: Final = frozenset(
    re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event.__name__).lower() for event in get_args(AnyEvent)
)
