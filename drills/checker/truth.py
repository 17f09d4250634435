"""The real course of a game: its export after the end, played through by the rules."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from domain.game import Game
from domain.lifecycle import EventRecord, Viewer
from domain.registry import game_named

Json = dict[str, Any]
FINISHED = "finished"


class Truth:
    """One game as its export has it, with nothing hidden, and its state after every event."""

    def __init__(self, lines: Sequence[Json]) -> None:
        """`lines`: the header, the events, the end."""
        self.header, *self.events = lines[:-1]
        self.end: Json = lines[-1]["end"]
        self.game: Game = game_named(self.header["game"])

    @classmethod
    def of(cls, export: Path) -> "Truth":
        """The game of this file, which holds one export."""
        return cls([orjson.loads(line) for line in export.read_bytes().splitlines()])

    @property
    def complete(self) -> bool:
        """True once the game is over, and its result confirmed."""
        return bool(self.header["complete"])

    @property
    def version(self) -> int:
        """The last version."""
        return len(self.events)

    def record(self, version: int) -> EventRecord:
        """The event of this version, whole."""
        event = self.events[version - 1]
        return EventRecord(event["type"], event["schema"], event["seat"], event["data"])

    @cached_property
    def states(self) -> list[Any]:
        """The state at each version, from 0 on."""
        states = [self.game.initial()]
        for version in range(1, self.version + 1):
            states.append(self.game.evolve(states[-1], self.game.decode(self.record(version))))
        return states

    @cached_property
    def over_from(self) -> int:
        """The first version at which nothing is hidden any more; one beyond the last if there is none."""
        states = enumerate(self.states[1:], 1)
        over = (at for at, state in states if self.game.status(state).status == FINISHED)
        return next(over, self.version + 1)

    def expected_event(self, version: int, viewer: Viewer, seen_at: int) -> tuple[Json, list[str]]:
        """The event's data as the viewer is shown them when the game is at version `seen_at`, and what is hidden."""
        record = self.record(version)
        return (record.data, []) if seen_at >= self.over_from else self.game.redact(record, viewer)

    def expected_view(self, version: int, viewer: Viewer) -> Any:
        """The state as the viewer is shown it at a version, as it comes out of JSON."""
        return as_json(self.game.view(self.states[version], viewer))

    def otherwise(self, version: int, seat: int, seed: int) -> Any:
        """Another state that the seat cannot tell from the true one, with its hidden cards drawn anew."""
        return self.game.resample(self.states[version], seat, self._knowledge(seat)[version], seed)

    def observation(self, version: int, seat: int) -> Any:
        """The observation that the seat's bot gets."""
        return self.game.observe(self.states[version], seat, self._knowledge(seat)[version])

    def _knowledge(self, seat: int) -> list[Any]:
        """Knowledge of the seat at each version, if it forgets nothing."""
        if seat not in self._known:
            known = [self.game.initial_knowledge()]
            for version in range(1, self.version + 1):
                before, after = self.states[version - 1], self.states[version]
                event = self.game.decode(self.record(version))
                changed = after is not before
                known.append(
                    self.game.update_knowledge(known[-1], seat, before, event, after)
                    if changed
                    else known[-1]
                )
            self._known[seat] = known
        return self._known[seat]

    @cached_property
    def _known(self) -> dict[int, list[Any]]:
        return {}


def as_json(document: Any) -> Any:
    """The document as it comes out of JSON."""
    return orjson.loads(orjson.dumps(document))
