"""`python -m tests.golden.record`: keep games for all releases to refold.

A file holds one game: a line for each stored event, with the digest of what every seat and a spectator saw after it.
"""

import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from domain.lifecycle import Create, Fork, Origin, PlayBotMove, ReissueToken, Seat, TakeHint
from domain.migrato.game import MIGRATO
from domain.migrato.rules.state import State
from domain.migrato.rules.view import view
from tests.domain.playing import OPTIONS, SEATS, chance_of, next_move
from tests.golden.recorded import Commands, played, state_after, write

HERE = Path(__file__).parent
LOST = (Seat("human", "pl_0123456789abcdefghij"), Seat("human", "pl_abcdefghij0123456789"))
BOTS = (Seat("bot", bot="ismcts-easy"), Seat("human", "pl_0123456789abcdefghij"))
FORKED_AT = 40  # events


def digest(state: State) -> str:
    """SHA-256 of all three views and the standing of a state."""
    seen = [view(state, viewer) for viewer in (0, 1, None)]
    result = state.result and [state.result.winner, state.result.reason, state.result.scores]
    told = [*seen, state.to_act, state.turn, result]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def game(seed: int, first: Any) -> list[Any]:
    """A whole game by sensible players who sometimes make any move; what a bot's seat does, a bot has chosen."""
    rng = random.Random(seed)
    return played(MIGRATO, chance_of(seed), first, lambda state: _next(state, rng))


def _next(state: State, rng: random.Random) -> Commands:
    """The next commands of the seat to act: a bot says how it chose, a person may take a hint first."""
    if (seat := state.to_act) is None:
        return []
    move, seed = next_move(state, rng, 0.1), f"{rng.getrandbits(64):016x}"
    assert state.setup is not None
    if state.setup.seats[seat].kind == "bot":
        return [(seat, PlayBotMove(move, "ismcts-easy", "1", {"iterations": 8}, seed))]
    if state.setup.seats == BOTS and rng.random() < 0.1:
        return [(seat, TakeHint("ismcts", "1", {"iterations": 200}, seed)), (seat, move)]
    if state.setup.seats == LOST and rng.random() < 0.1:
        return [(None, ReissueToken(1 - seat)), (seat, move)]
    return [(seat, move)]


def games() -> Iterator[list[Any]]:
    """One for each set of options, one with bots and hints, one that goes on from the middle of that, one with seats
    whose tokens are issued anew.
    """
    for number, options in enumerate(OPTIONS):
        yield game(2027 + number, Create("test", "c", options, SEATS))
    seed = 2027 + len(OPTIONS)
    of_bots = game(seed, Create("test", "c", {"turn_limit": 60}, BOTS))
    yield of_bots
    state = state_after(MIGRATO, of_bots[:FORKED_AT])
    origin = Origin("test", FORKED_AT, "ab" * 32, resampled=False, seat=None)
    yield game(seed + 1, Fork("fork", "c", SEATS, origin, state))
    yield game(seed + 2, Create("test", "c", {"turn_limit": 60}, LOST))


def main() -> None:
    """Write them."""
    for number, events in enumerate(games()):
        write(MIGRATO, digest, events, HERE / f"{number}.jsonl")


if __name__ == "__main__":
    main()
