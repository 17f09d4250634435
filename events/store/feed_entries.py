"""Entries of the feed, as they stand in Redis."""

from collections.abc import Sequence
from typing import Final

from events.engine.pending_action import PENDING
from events.log.usage import USED
from events.ports import FeedEntry

ID_SIZE: Final = 22
DIGITS: Final = 15  # of a version, at most
FIELDS: Final = [b"game", b"first", b"last", b"types", b"due"]
WAITS: Final = {kind.encode(): kind for kind in ("", *PENDING)}
AND_USED: Final = f",{USED}"
AND_USED_BYTES: Final = AND_USED.encode()


def entry_of(partition: int, entry_id: bytes, flat: Sequence[bytes]) -> FeedEntry | None:
    """The entry; None for one that this engine has not written."""
    if flat[::2] != FIELDS:
        return None
    game_id, first, last, types, due = flat[1::2]
    waits = WAITS.get(due)
    if waits is None or len(game_id) != ID_SIZE or not (game_id.isalnum() and types.isascii()):
        return None
    if not (first.isdigit() and last.isdigit() and len(first) <= DIGITS and len(last) <= DIGITS):
        return None
    kinds, _, used = types.decode().partition(AND_USED)
    return FeedEntry(
        *(partition, entry_id.decode(), game_id.decode(), int(first), int(last)),
        *(tuple(kinds.split(",")), waits, used),
    )


def used_of(flat: Sequence[bytes]) -> bytes:
    """The text of usage in an entry, without checking the rest; b"" where there is none."""
    return flat[7].partition(AND_USED_BYTES)[2] if flat[::2] == FIELDS else b""
