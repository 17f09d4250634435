"""A game's stored events, and the file that keeps them."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from domain.game import Game

Commands = list[tuple[int | None, Any]]


def played(game: Game, chance: Any, first: Any, following: Callable[[Any], Commands]) -> list[Any]:
    """Events of a whole game: of the first command, and of those that follow in each state, until there are none."""
    events: list[Any] = []
    state, commands = game.initial(), Commands([(None, first)])
    while commands:
        for seat, command in commands:
            new = game.decide(state, seat, command, chance)
            events += new
            for event in new:
                state = game.evolve(state, event)
        commands = following(state)
    return events


def state_after(game: Game, events: Iterable[Any]) -> Any:
    """The state that they lead to."""
    state = game.initial()
    for event in events:
        state = game.evolve(state, event)
    return state


def write(game: Game, digest: Callable[[Any], str], events: Iterable[Any], file: Path) -> None:
    """A line for each event, with the digest of what was seen after it."""
    state, lines = game.initial(), list[str]()
    for event in events:
        state = game.evolve(state, event)
        line = [*game.encode(event).document.values(), digest(state)]
        lines.append(json.dumps(line, separators=(",", ":")) + "\n")
    file.write_text("".join(lines))
