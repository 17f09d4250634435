"""Views of the table, compared with what the rules make of the record: for a game that is over, event by event."""

from typing import Any, Final

import orjson

from domain.game import Game
from domain.lifecycle import EventRecord, Json
from events.log import serialisers
from events.log.envelope import RecordedEvent
from events.log.export import Exported
from events.log.game_secrets import OPEN, Secrets
from events.log.snapshot import Snapshot, unplayed

# Members of a view that follow from the events. Of a seat the engine alone knows the name and who is connected, and of
# a clock the time at which it was looked at is not known.
_MEMBERS: Final = (
    "game", "status", "turn_version", "updated_at", "turn", "to_act", "last_move", "state", "result", "finished_at",
    "aborted",
)  # fmt: skip
_OF_A_SEAT: Final = ("seat", "kind", "player_id", "bot", "bot_version", "budget")
_NOT_OF_A_CLOCK: Final = ("remaining_ms", "now")


class Views:
    """The views of a verified game that is over, at every version."""

    def __init__(self, game: Game, exported: Exported, seed: bytes) -> None:
        """`exported` has passed the verification: nothing is checked here again."""
        created = orjson.loads(exported.events[0])
        secrets = Secrets(seed, "", OPEN, game.name, created["at"])
        now = unplayed(str(created["data"]["id"]), game, secrets)
        self._stands = list[Snapshot]()
        for raw in exported.events:
            document = orjson.loads(raw)
            record = EventRecord(document["type"], document["schema"], document["seat"], document["data"])
            event = RecordedEvent(document["version"], document["at"], record, None, document["head"], b"")
            now = now.after([game.decode(record)], [event])
            self._stands.append(now)

    def differing(self, kept: Json) -> tuple[str, Any, Any] | None:
        """The first member of a view that is not what the rules come to, with both values; None if all are.

        After a game is over, the engine shows all of what was before: a view of everything passes, too.
        """
        version, viewer = kept["version"], kept.get("viewer")
        if not 0 < version <= len(self._stands):
            return None
        now = self._stands[version - 1]
        if viewer is not None and not (type(viewer) is int and 0 <= viewer < len(now.status.seats)):
            return "viewer", viewer, None
        found = _differing(serialisers.game_document(now, viewer), kept)
        if found is not None and _differing(serialisers.game_document(now, viewer, whole=True), kept) is None:
            return None
        return found


def _differing(made: Json, kept: Json) -> tuple[str, Any, Any] | None:
    for name in _MEMBERS:
        if name in kept and not _same(kept[name], made.get(name)):
            return name, kept[name], made.get(name)
    if (found := _differing_seats(kept.get("seats"), made["seats"])) is not None:
        return found
    if "clock" in kept or "state" in kept:  # who looks at a seat is not shown it
        clock, there = kept.get("clock"), made.get("clock")
        told = _part_of(clock) if type(clock) is dict else clock
        if not _same(told, None if there is None else _part_of(there)):
            return "clock", told, there
    return None


def _part_of(clock: Json) -> Json:
    return {name: value for name, value in clock.items() if name not in _NOT_OF_A_CLOCK}


def _differing_seats(kept: Any, made: list[Json]) -> tuple[str, Any, Any] | None:
    if kept is None:
        return None
    if type(kept) is not list or len(kept) != len(made) or any(type(seat) is not dict for seat in kept):
        return "seats", kept, made
    for seat, there in zip(kept, made, strict=True):
        for name in _OF_A_SEAT:
            if not _same(seat.get(name), there.get(name)):
                return f"{name} of seat {there['seat']}", seat.get(name), there.get(name)
    return None


def _same(one: Any, other: Any) -> bool:
    """True if both are the same JSON (unlike in Python, true is not 1); text with no UTF-8 form equals nothing."""
    try:
        return orjson.dumps(one, option=orjson.OPT_SORT_KEYS) == orjson.dumps(
            other, option=orjson.OPT_SORT_KEYS
        )
    except TypeError:
        return False
