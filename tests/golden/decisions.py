"""`python -m tests.golden.decisions`: record the decisions of all bots, whenever a bot has a new version."""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from domain.bot import Budget, Considered
from domain.chance import SeededChance
from domain.game import Game
from domain.lifecycle import Create, Json, Seat
from domain.migo.game import MIGO
from domain.migrato.game import MIGRATO
from domain.prng import Prng
from tests.domain.playing import FAR_OPTIONS

RECORDED: Final = Path(__file__).with_name("decisions.json")
TABLES: Final[tuple[tuple[Game, int, Json], ...]] = (
    (MIGRATO, 2, {"first_seat": 0}),
    (MIGRATO, 2, {"rules": "opla", "memory_aid": True, "first_seat": 1}),
    (MIGRATO, 2, {"return_flight": True, "turn_limit": 8}),
    (MIGRATO, 2, {"rules": "opla", "return_flight": True}),
    (MIGRATO, 2, FAR_OPTIONS["half-dangers"]),
    (MIGO, 2, {"layout_size": "large"}),
    (MIGO, 3, {"round4_layout": "pyramid"}),
    (MIGO, 4, {"round4_layout": "pyramids", "turn_limit": 80}),
)
WILD: Final = 10  # one of so many moves is any that is legal
QUESTIONS: Final = 8  # positions of a game in which the bots are asked
BUDGET: Final = Budget(iterations=20)
DIGITS: Final = 6  # of what a bot thinks of a move: the last bits of an exponential differ among machines


def decisions() -> dict[str, dict[str, str]]:
    """By bot its version, and by table a digest of its decisions; with the net's, its judgements and their reasons."""
    found: dict[str, dict[str, str]] = {}
    for number, (game, seats, options) in enumerate(TABLES):
        digests = {name: sha256() for name in game.bots}
        for seen in positions(game, seats, options, number):
            for name, bot in game.bots.items():
                choice = bot.think(seen, Prng(number), BUDGET)
                said = [repr(choice.move), [_weighed(one) for one in choice.considered], choice.iterations]
                digests[name].update(json.dumps(said).encode())
            digests["net"].update(json.dumps([_weighed(one) for one in game.judged(seen)]).encode())
        for name, digest in digests.items():
            row = found.setdefault(f"{game.name} {name}", {"version": game.bots[name].version})
            row[f"table {number}"] = digest.hexdigest()[:16]
    return found


def positions(game: Game, seats: int, options: Json, seed: int) -> Iterator[Any]:
    """Observations throughout a game of sensible players: a new version of `heuristic` changes them for all bots."""
    asked = list(_game(game, seats, options, seed))
    yield from asked[:: max(1, len(asked) // QUESTIONS)]


def _game(game: Game, seats: int, options: Json, seed: int) -> Iterator[Any]:
    chance, rng = SeededChance(bytes([seed]) * 32, "decisions"), Prng(seed)
    sitting = tuple(Seat("human", f"p{seat}") for seat in range(seats))
    events = game.decide(game.initial(), None, Create("decisions", "c", options, sitting), chance)
    state, known = game.initial(), [game.initial_knowledge()] * seats
    while True:
        for event in events:
            before, state = state, game.evolve(state, event)
            known = [game.update_knowledge(one, seat, before, event, state) for seat, one in enumerate(known)]
        seat = game.status(state).to_act
        if seat is None:
            return
        seen = game.observe(state, seat, known[seat])
        yield seen
        bot = game.bots["heuristic" if rng.randrange(WILD) else "random"]
        events = game.decide(state, seat, bot.choose(seen, rng), chance)


def _weighed(one: Considered) -> list[Any]:
    figures = [one.value, one.win_probability, one.spread or 0.0, *(reason.change for reason in one.reasons)]
    reasons = [[reason.kind, reason.code, reason.about, reason.points] for reason in one.reasons]
    return [repr(one.move), one.visits, reasons, *(round(figure, DIGITS) for figure in figures)]


if __name__ == "__main__":
    RECORDED.write_text(json.dumps(decisions(), indent=1) + "\n")
