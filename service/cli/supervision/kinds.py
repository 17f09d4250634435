"""Kinds of nurseries, and the one that a role is forked from."""

from collections.abc import Sequence
from typing import Final

PLAIN: Final = "plain"
GREENLETS: Final = "greenlets"
ALONE: Final = (
    "remote",
    "webhooks",
)  # workers on greenlets even alone: see `workers.greenlets.monkeypatching`
LISTENER: Final = (
    "MIGRATO_LISTENER"  # see `service.http.server.gunicorn_conf`; who has it, has inherited the socket
)
ROOM: Final = "-" * 160  # in the command line of a nursery, for those of the roles that it forks


def kind_of(command: Sequence[str]) -> str:
    """The nursery of a role, by the role's command."""
    module, *roles = command[command.index("-m") + 1 :]
    return GREENLETS if module == "gunicorn" or len(roles) > 1 or roles[0] in ALONE else PLAIN
