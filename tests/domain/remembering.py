"""Games as their seats live through them: what each sees, remembers, and is told by the documents of the API."""

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from domain.chance import SeededChance
from domain.lifecycle import Json
from domain.migrato.belief.knowledge import NOTHING, Knowledge, update_knowledge
from domain.migrato.belief.observation import Observation, observe
from domain.migrato.codec.event_codec import encode
from domain.migrato.rules.decide import decide
from domain.migrato.rules.events import Event
from domain.migrato.rules.moves import Move
from domain.migrato.rules.options import options_document
from domain.migrato.rules.state import INITIAL, State, evolve, setup_of
from domain.migrato.rules.view import redact, view
from tests.domain.playing import chance_of, next_move, start


@dataclass
class Told:
    """A game so far."""

    state: State = INITIAL
    memories: list[Knowledge] = field(default_factory=lambda: [NOTHING, NOTHING])
    events: list[Event] = field(default_factory=list)

    @classmethod
    def of(cls, events: Iterable[Event]) -> "Told":
        """A game of these events."""
        told = cls()
        for event in events:
            told.happens(event)
        return told

    @classmethod
    def dealt(cls, seed: int, options: dict[str, Any]) -> "Told":
        """A game just dealt."""
        return cls.of(start(seed, options)[1])

    def happens(self, event: Event) -> None:
        """The next event, as both seats live through it."""
        before, self.state = self.state, evolve(self.state, event)
        self.events.append(event)
        self.memories = [
            update_knowledge(memory, seat, before, event, self.state)
            for seat, memory in enumerate(self.memories)
        ]

    def plays(self, move: Move, chance: SeededChance) -> None:
        """The move of the seat that is to act."""
        for event in decide(self.state, self.state.to_act, move, chance):
            self.happens(event)

    def seen(self, seat: int) -> Observation:
        """All that the seat observes and remembers."""
        return observe(self.state, seat, self.memories[seat])

    def document(self, seat: int) -> Json:
        """The seat's view and history, as the API gives them."""
        document = {"view": view_document(self.state, seat), "history": history_document(self.events, seat)}
        copy: Json = json.loads(json.dumps(document))
        return copy


def view_document(state: State, seat: int) -> Json:
    """All that matters of the view, as a copy: parts of a view are shared."""
    document: Json = {
        "game": "migrato",
        "status": "playing",
        "viewer": seat,
        "turn": state.turn,
        "to_act": state.to_act,
        "state": view(state, seat),
        "options": options_document(setup_of(state).rules),
    }
    copy: Json = json.loads(json.dumps(document))
    return copy


def history_document(events: list[Event], seat: int) -> list[Json]:
    """Every event, as the seat may see it while the game runs."""
    history = []
    for version, event in enumerate(events, 1):
        wire = encode(event)
        data, hidden = redact(wire, seat)
        document = {"version": version, "type": wire.type, "schema": wire.schema, "seat": wire.seat}
        history.append(document | {"data": data, "redacted": hidden})
    return history


def games_told(seed: int, options: dict[str, Any], moves: int, wild: float = 0.3) -> Iterator[Told]:
    """The same game again and again, after each of its moves while it lasts."""
    told, rng, chance = Told.dealt(seed, options), random.Random(seed), chance_of(seed)
    yield told
    for _ in range(moves):
        told.plays(next_move(told.state, rng, wild), chance)
        if told.state.to_act is None:
            return
        yield told
