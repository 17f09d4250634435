# compiled into migo
"""Bots that play by the net: by its judgement alone, or by a search of the running round that the net judges."""

from collections.abc import Sequence

from domain.bot import Bot, Budget, Choice, Considered, Rng, Stop
from domain.migo.bots.evaluation import lead, promises
from domain.migo.bots.maxn import searching
from domain.migo.net.checked_in import WEIGHTS, chances
from domain.migo.observation import Observation
from domain.migo.rules.decide import taken
from domain.migo.rules.moves import Move, Take
from domain.migo.rules.state import State, fold


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


def by_net(weights: str) -> tuple[Bot, Bot]:
    """`net` and `net-search` by the net of that name; they need no chance."""

    def by(state: State) -> tuple[float, ...]:
        return chances(state, weights)

    def policy(observation: Observation, _rng: Rng, _budget: Budget, _stop: Stop) -> Choice:
        """The first of the best moves."""
        return Choice(
            max(observation.moves, key=lambda move: by(_after(observation, move))[observation.seat])
        )

    return (
        Bot(
            "net",
            f"1-{weights}",
            "Judges by a small neural net what each move leaves; looks no further.",
            policy,
            milliseconds=10,
            chance=False,
        ),
        Bot(
            "net-search",
            f"1-{weights}",
            "Searches the running round and judges by the net.",
            searching(by, 0.5),
            milliseconds=600,
            budget=Budget(iterations=200),
            chance=False,
        ),
    )


NET, NET_SEARCH = by_net(WEIGHTS)
