# compiled into migo
"""A search of the running round, in which nothing is hidden: a best-first tree of max-n values, for two to four seats.

Each iteration goes down the tree by PUCT (Rosin 2011; Silver et al. 2017), each seat choosing what is best for itself
(max-n: Luckhardt and Irani 1986), to a position that is not expanded yet. It judges the moves from there, and carries
the best value for the seat to act back up the tree. The evaluation judges what follows the round.
"""

from collections.abc import Callable
from math import exp, sqrt
from typing import Final

from domain.bot import Bot, Budget, Choice, Considered, Policy, Rng, Stop
from domain.migo.bots.evaluation import lead, promises
from domain.migo.bots.prospects import prospects
from domain.migo.observation import Observation
from domain.migo.rules.decide import taken
from domain.migo.rules.legal import legal_moves
from domain.migo.rules.moves import Move, Take
from domain.migo.rules.state import State, fold, setup_of

EXPLORATION: Final = 1.0
PRIOR_WIDTH: Final = 0.06  # a difference of chance: a move that looks worse by it is tried a third as often
DECIDED_INTERVAL: Final = 16  # iterations between two looks at whether the leader can still be overtaken

Evaluation = Callable[[State], tuple[float, ...]]  # by seat, the chance of winning the game


class Node:
    """A position of the round: by seat its `worth` at first sight, and the `total` of the values that its `visits`
    found.
    """

    __slots__ = ("children", "move", "over", "prior", "seat", "state", "total", "visits", "worth")

    def __init__(self, move: Move | None, state: State, evaluation: Evaluation) -> None:
        self.move = move
        self.state = state
        self.seat = 0 if state.to_act is None else state.to_act
        limit = setup_of(state).options.turn_limit
        self.over = not state.lying or state.takes == limit
        self.worth = evaluation(state)
        self.total = [0.0] * len(self.worth)
        self.visits = 0
        self.prior = 1.0
        self.children: list[Node] = []

    def expand(self, evaluation: Evaluation) -> None:
        """Judge the position after every move."""
        state, seat = self.state, self.seat
        for move in legal_moves(state):
            if isinstance(move, Take):
                self.children.append(Node(move, fold(state, taken(state, seat, move)), evaluation))
        best = max([child.worth[seat] for child in self.children])
        total = 0.0
        for child in self.children:
            child.prior = exp((child.worth[seat] - best) / PRIOR_WIDTH)
            total += child.prior
        for child in self.children:
            child.prior /= total

    def best(self) -> "Node":
        """The child that looks best to the seat to act."""
        best = self.children[0]
        for child in self.children:
            if child.worth[self.seat] > best.worth[self.seat]:
                best = child
        return best

    def select(self, exploration: float) -> "Node":
        """The child to try next."""
        seat, chosen, most = self.seat, self.children[0], -1e9
        root = exploration * sqrt(self.visits + 1)
        for child in self.children:
            worth = child.total[seat] / child.visits if child.visits else child.worth[seat]
            worth += root * child.prior / (1 + child.visits)
            if worth > most:
                chosen, most = child, worth
        return chosen


class Search:
    """One search: call `iterate` as often as there is time, then read the `choice`."""

    def __init__(self, state: State, evaluation: Evaluation, exploration: float) -> None:
        self._evaluation = evaluation
        self._exploration = exploration
        self.root = Node(None, state, evaluation)
        self.root.expand(evaluation)
        self.done = 0

    def iterate(self) -> None:
        """Go down to a position that is not expanded, judge its moves, and record the values."""
        node = self.root.select(self._exploration)
        path = [self.root, node]
        while node.children:
            node = node.select(self._exploration)
            path.append(node)
        if node.over:
            worth = node.worth
        else:
            node.expand(self._evaluation)
            worth = node.best().worth
        for passed in path:
            passed.visits += 1
            for seat, chance in enumerate(worth):
                passed.total[seat] += chance
        self.done += 1

    def decided(self, left: int) -> bool:
        """True if no move can overtake the leader in so many more iterations."""
        visits = sorted([child.visits for child in self.root.children], reverse=True)
        return visits[0] - visits[1] > left

    def choice(self) -> Choice:
        """The most visited move; of equals the one that came first."""
        seat, considered = self.root.seat, list[Considered]()
        for child in self.root.children:
            state = child.state
            chance = child.total[seat] / child.visits if child.visits else child.worth[seat]
            points = lead(promises(state), seat, state.resigned)
            considered.append(Considered(child.move, child.visits, points, min(1.0, max(0.0, chance))))
        considered.sort(key=_most_visited)
        return Choice(considered[0].move, tuple(considered), self.done)


def _most_visited(one: Considered) -> int:
    return -one.visits


def searching(evaluation: Evaluation, exploration: float) -> Policy:
    """A policy: one iteration at least, then until the budget is spent, the caller stops it, or the move is settled."""

    def policy(observation: Observation, _rng: Rng, budget: Budget, stop: Stop) -> Choice:
        search = Search(observation.table, evaluation, exploration)
        limit = 1_000_000_000 if budget.iterations is None else budget.iterations
        interval = limit if budget.exact else DECIDED_INTERVAL
        while True:
            search.iterate()
            done = search.done
            if done >= limit or stop() or (done % interval == 0 and search.decided(limit - done)):
                return search.choice()

    return policy


_POLICY: Final = searching(prospects, EXPLORATION)
EASY: Final = Bot(
    "maxn-easy",
    "1",
    "Looks a few moves ahead in the running round.",
    _POLICY,
    milliseconds=60,
    budget=Budget(iterations=32),
    chance=False,
)
NORMAL: Final = Bot(
    "maxn",
    "1",
    "Searches the running round, each seat doing what is best for itself.",
    _POLICY,
    milliseconds=400,
    budget=Budget(iterations=200),
    chance=False,
)
EXPERT: Final = Bot(
    "maxn-expert",
    "1",
    "The same search, longer.",
    _POLICY,
    milliseconds=3000,
    budget=Budget(iterations=1500),
    chance=False,
)
