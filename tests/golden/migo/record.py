"""`python -m tests.golden.migo.record`: keep games for all releases to refold.

A file holds one game: a line for each stored event, with the digest of what every seat and a spectator saw after it.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from domain.chance import SeededChance
from domain.lifecycle import (
    Create,
    Fork,
    Json,
    Origin,
    PlayBotMove,
    ReissueToken,
    Score,
    Seat,
    TakeHint,
    TakeSeat,
    seat_document,
)
from domain.migo.game import MIGO
from domain.migo.rules.layouts import LAYOUTS
from domain.migo.rules.state import State
from tests.domain.migo.table import laid
from tests.golden.recorded import Commands, played, state_after, write

HERE = Path(__file__).parent
PEOPLE = tuple(Seat("human", f"pl_{seat}0123456789abcdefghi", client_seed="mine") for seat in range(4))
FORKED_AT = 90  # events
RESIGNS_AT = 20  # takes


def digest(state: State) -> str:
    """SHA-256 of all views, of everybody's moves, and of how the game stands."""
    status = MIGO.status(state)
    viewers = (None, *range(len(status.seats)))
    views = [MIGO.view(state, viewer) for viewer in viewers]
    moves = None if state.to_act is None else MIGO.legal_moves(state, state.to_act)
    told: list[Any] = [views, moves, status.status, status.turn, status.to_act, status.rated, status.setup]
    told += [status.options, [seat_document(seat) for seat in status.seats], _result(state)]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _result(state: State) -> Json | None:
    result = MIGO.status(state).result
    if result is None:
        return None
    told: Json = {"winner": result.winner, "places": result.places, "reason": result.reason}
    return told | {"scores": result.scores, "scored": result.scored, "more": result.more}


def game(seed: int, first: Any, resigns: int | None = None) -> list[Any]:
    """A whole game at random; what a bot's seat does, a bot has chosen. `resigns`: a seat that gives up early."""
    rng, chance = Random(seed), SeededChance(seed.to_bytes(32, "big"), "test")
    return played(MIGO, chance, first, lambda state: _next(state, rng, resigns))


def _next(state: State, rng: Random, resigns: int | None) -> Commands:
    """The next commands; a person may be given a hint or a new token first. Nothing once the game is over."""
    status = MIGO.status(state)
    for number, sitting in enumerate(status.seats):
        if sitting.kind == "open":
            return [(None, TakeSeat(number, "pl_zzzzzzzzzzzzzzzzzzzz", "too"))]
    seat = state.to_act
    if seat is None:
        return [] if status.result and status.result.scored else [(None, Score())]
    if resigns is not None and state.takes == RESIGNS_AT and resigns not in state.resigned:
        return [(resigns, MIGO.parse_move({"type": "resign"}))]
    move = MIGO.parse_move(rng.choice(MIGO.legal_moves(state, seat)))
    seed, bot = f"{rng.getrandbits(64):016x}", status.seats[seat].bot
    if bot is not None:
        return [(seat, PlayBotMove(move, bot, "1", {"iterations": 8}, seed))]
    if rng.random() < 0.05 and status.seats[seat].kind == "human":
        return [(seat, TakeHint("maxn", "1", {"iterations": 200}, seed)), (seat, move)]
    if rng.random() < 0.05 and status.seats[seat].kind == "human":
        return [(None, ReissueToken(seat)), (seat, move)]
    return [(seat, move)]


def _first(wanted: Callable[[State], bool], seats: int, **options: Any) -> list[Any]:
    """The first game that comes to such an end."""
    for seed in range(1000):
        events = game(seed, Create("test", "c", options, PEOPLE[:seats]))
        if wanted(state_after(MIGO, events)):
            return events
    raise AssertionError


def _has_four_rounds(end: State) -> bool:
    return end.number == 4


def _ends_without_two_flags(end: State) -> bool:
    return end.result is not None and end.result.reason == "round_four"


def _fork(origin: list[Any], seed: int) -> list[Any]:
    """A game that goes on from the middle of that one."""
    at = next(at for at in range(FORKED_AT, len(origin)) if MIGO.encode(origin[at]).type == "card_taken")
    state = state_after(MIGO, origin[:at])
    seats = PEOPLE[: len(state.players)]
    return game(
        seed, Fork("fork", "c", seats, Origin("test", at, "ab" * 32, resampled=False, seat=None), state)
    )


def games() -> Iterator[list[Any]]:
    """Two, three and four seats, small and large layouts, every layout of round 4, prepared rounds, open seats, bots, a
    seat that resigns among each number of seats, a turn limit, a card table of somebody's own, and a fork.
    """
    yield game(1, Create("test", "c", {}, PEOPLE[:2]))
    yield game(2, Create("test", "c", {"layout_size": "large", "first_seat": "random"}, PEOPLE[:2]))
    for number, layout in enumerate(LAYOUTS):
        yield _first(_has_four_rounds, 3 + number % 2, round4_layout=layout)
    yield _first(_ends_without_two_flags, 4)
    yield game(3, Create("test", "c", {"turn_limit": 33, "first_seat": 2}, PEOPLE[:3]))
    for seats in (2, 3, 4):
        yield game(4 + seats, Create("test", "c", {}, PEOPLE[:seats]), resigns=1)
    prepared = {"rounds": [laid("E22b E20b"), laid("E20b E19b", number=2)]}
    yield game(10, Create("test", "c", {}, PEOPLE[:2], prepared))
    cards = dict(
        MIGO.status(state_after(MIGO, game(1, Create("test", "c", {}, PEOPLE[:2])))).options["card_table"]
    )
    cards["E01"] = {"a": {"kind": "hat", "count": 3}, "b": {"kind": "bottle", "count": 2}}
    table = (PEOPLE[0], Seat("open"), Seat("bot", bot="maxn-easy"), Seat("remote"))
    of_bots = game(11, Create("test", "c", {"card_table": cards, "first_seat": 3}, table))
    yield of_bots
    yield _fork(of_bots, 12)


def main() -> None:
    """Write them."""
    for number, events in enumerate(games()):
        write(MIGO, digest, events, HERE / f"{number:02}.jsonl")


if __name__ == "__main__":
    main()
