# compiled into recording
"""The ids under which events know players; their names are kept elsewhere, and can be destroyed."""

import re
from typing import Final

PLAYER_ID = re.compile(r"pl_[0-9a-z]{20}")
BOT = "bot:"  # beginning of a bot's name among the rated, before `name:version`
OF_A_GUEST = "pl_guest"  # beginning of guests' ids alone: it shows a guest of whom nothing else is left
_CONTROLS: Final = r"\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
_NAME: Final = re.compile(rf"[^{_CONTROLS}\s][^{_CONTROLS}]{{0,63}}")


def may_be_recorded(text: str) -> bool:
    """True for a text by which an event may name a player: an id, or a name if no service gave ids."""
    return _NAME.fullmatch(text) is not None


def is_player_id(text: str) -> bool:
    """True if the text has the form of a player's id."""
    return PLAYER_ID.fullmatch(text) is not None


def is_guest_id(text: str) -> bool:
    """True if the text is the id of a guest, which is for one seat only."""
    return text.startswith(OF_A_GUEST)


def may_be_rated(player: str | None) -> bool:
    """True if the player has a name to be rated by: one that an app gave."""
    return player is not None and is_player_id(player) and not is_guest_id(player)
