# compiled into migo
"""Bots that play by the net: by its judgement alone, and by the search of the running round with it at the leaves."""

from collections.abc import Sequence
from typing import Final

from domain.bot import Bot, Budget, Choice, Considered, Rng, Stop
from domain.migo.bots.evaluation import lead, promises
from domain.migo.bots.maxn import searching
from domain.migo.net.checked_in import WEIGHTS, chances
from domain.migo.observation import Observation
from domain.migo.rules.decide import taken
from domain.migo.rules.moves import Move, Take
from domain.migo.rules.state import State, fold


def _policy(observation: Observation, _rng: Rng, _budget: Budget, _stop: Stop) -> Choice:
    """The first of the best; chance is not needed."""
    return Choice(
        max(observation.moves, key=lambda move: chances(_after(observation, move))[observation.seat])
    )


def judged(observation: Observation) -> Sequence[Considered]:
    """Every legal move, the best first; `value` is the lead in the running round right after it."""
    seat, found = observation.seat, list[Considered]()
    for move in observation.moves:
        state = _after(observation, move)
        points = lead(promises(state), seat, state.resigned)
        found.append(Considered(move, 0, points, min(1.0, max(0.0, chances(state)[seat]))))
    found.sort(key=_likeliest)
    return found


def _after(observation: Observation, move: Move) -> State:
    assert isinstance(move, Take)
    return fold(observation.table, taken(observation.table, observation.seat, move))


def _likeliest(one: Considered) -> float:
    return -one.win_probability


NET: Final = Bot(
    "net",
    f"1-{WEIGHTS}",
    "Judges by a small neural net what each move leaves; looks no further.",
    _policy,
    milliseconds=10,
    chance=False,
)
NET_SEARCH: Final = Bot(
    "net-search",
    f"1-{WEIGHTS}",
    "Searches the running round and judges by the net.",
    searching(chances, 0.5),
    milliseconds=600,
    budget=Budget(iterations=200),
    chance=False,
)
