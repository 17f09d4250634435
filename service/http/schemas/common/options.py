"""Options as they are asked for when a game is created."""

from typing import Final

from service.http.schemas.fields import RequestDocument

FOLLOWS: Final = {
    "description": "Follows from the other options and cannot be chosen; "
    "accepted if it is what it would be, so that the options of any game can be posted again.",
    "x-follows": True,
}

STARTER: Final = (
    "Who starts. The default is 0, in quick match `random`. Only games in which it is `random` are rated."
)


class GameOptions(RequestDocument):
    """The options of a game. An unknown one is refused with the names of those that there are."""
