"""The ids under which events know players; their names are kept elsewhere, and can be destroyed."""

import re

PLAYER_ID = re.compile(r"pl_[0-9a-z]{20}")


def is_player_id(text: str) -> bool:
    """Whether the text has the form of a player's id; former releases wrote names where ids stand now."""
    return PLAYER_ID.fullmatch(text) is not None
