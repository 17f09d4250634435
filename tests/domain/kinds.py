"""The types of the games' events, as they are named on the wire."""

import re
from typing import Any, Final, get_args

from domain.migo.game import AnyEvent as MigoEvent
from domain.migrato.game import AnyEvent


def _kinds(union: Any) -> frozenset[str]:
    return frozenset(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event.__name__).lower() for event in get_args(union))


KINDS: Final = _kinds(AnyEvent)
MIGO_KINDS: Final = _kinds(MigoEvent)
