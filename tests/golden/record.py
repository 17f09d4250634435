"""`python -m tests.golden.record RELEASE`: keep games of a release for all later ones to refold.

A file holds one game: a line for each stored event, with the digest of what every seat and a spectator saw after it.
"""

import hashlib
import json
import random
import sys
from pathlib import Path

from domain.lifecycle import Json
from domain.migrato.decide import decide
from domain.migrato.events import Event
from domain.migrato.state import INITIAL, State, evolve, fold
from domain.migrato.view import view
from domain.migrato.wire import encode
from tests.domain.playing import OPTIONS, chance_of, next_move, start

HERE = Path(__file__).parent


def digest(state: State) -> str:
    """SHA-256 of all three views and the standing of a state."""
    seen = [view(state, viewer) for viewer in (0, 1, None)]
    result = state.result and [state.result.winner, state.result.reason, state.result.scores]
    told = [*seen, state.to_act, state.turn, result]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def game(seed: int, options: Json) -> list[Event]:
    """A whole game by sensible players who sometimes make any move."""
    state, events = start(seed, options)
    rng, chance = random.Random(seed), chance_of(seed)
    while state.to_act is not None:
        new = decide(state, state.to_act, next_move(state, rng, 0.1), chance)
        state, events = fold(state, new), events + new
    return events


def lines(events: list[Event]) -> list[str]:
    """The file's lines."""
    state, written = INITIAL, []
    for event in events:
        state = evolve(state, event)
        written.append(json.dumps([*encode(event), digest(state)], separators=(",", ":")))
    return written


def main(release: str) -> None:
    """Write one game for each set of options."""
    for number, options in enumerate(OPTIONS):
        path = HERE / f"{release}-{number}.jsonl"
        path.write_text("\n".join(lines(game(2026 + number, options))) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
