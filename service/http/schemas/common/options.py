"""Options as they are asked for when a game is created."""

from typing import Any, Final

from service.http.schemas.fields import RequestDocument

FOLLOWS: Final = {
    "description": "Follows from the other options and cannot be chosen; "
    "accepted if it is what it would be, so that the options of any game can be posted again.",
    "x-follows": True,
}


class GameOptions(RequestDocument):
    """The options of a game. An unknown one is refused with the names of those that there are."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        chosen = [f.data_key or name for name, f in self.fields.items() if "x-follows" not in f.metadata]
        self.error_messages["unknown"] = (
            f"Unknown option. The options are: {', '.join(chosen)}." if chosen else "The game has no options."
        )
