# compiled into rules
"""Information-set Monte Carlo tree search with priors and an evaluation instead of playouts.

One tree over what the seat sees (single-observer ISMCTS: Cowling, Powley and Whitehouse, "Information Set Monte Carlo
Tree Search", 2012). Each iteration samples a game that may be the true one, goes down the tree by PUCT (Rosin 2011;
Silver et al. 2017) among the moves that are legal in that game, and judges the first new move by the evaluation. What
comes back is a value for each seat, the probability that it wins; each seat takes the move that is best for itself
(max^n: Luckhardt and Irani, "An algorithmic solution of N-person games", 1986).

Luck is taken out of what comes back (as rollouts in backgammon do it): how good the sampled game is for each seat
beside the other samples, and how lucky each draw on the way was by the evaluation.

Seats are counted from the searching one on. All seats' values add up to 1, so that the last one's is not kept.

The constants were measured with Migrato (docs/explanation/how-strong-the-bots-are.md).
"""

from collections.abc import Sequence
from math import exp, sqrt
from typing import Any, Final

from domain.bot import Budget, Choice, Considered, Stop
from domain.search.ports import Ended, Imagination, Position

EXPLORATION: Final = 0.3  # how much a prior counts beside what was found
PRIOR_SHARPNESS: Final = 12.0  # the logarithm of a prior for each logit that the move gains
UNTRIED_PENALTY: Final = 0.03  # how much worse than its parent a move is thought to be before it is tried
PROBABILITY_OF_LOGIT: Final = 0.2  # how much probability a logit is taken for, where moves were not tried
DECIDED_INTERVAL: Final = 16  # iterations between two looks at whether the leader can still be overtaken


_NO_OTHERS: Final[list[float]] = []  # one for all nodes: each list more costs time


class Node:
    """A move after the moves above it: how often it was tried, and the sums of what came of it for each seat.

    `value`: for the searching seat, `squares` the same squared; `others`: for the seats after it, but for the last one.

    `gain`: what the move seemed to gain, in logits, when it first was possible; `prior` follows from it.
    """

    __slots__ = ("available", "children", "gain", "move", "others", "prior", "squares", "value", "visits")

    def __init__(self, move: Any, gain: float, seats: int) -> None:
        self.move = move
        self.gain = gain
        self.prior = exp(max(min(gain * PRIOR_SHARPNESS, 60.0), -60.0))
        self.visits = 0
        self.available = 0
        self.value = 0.0
        self.squares = 0.0
        self.others = _NO_OTHERS if seats == 2 else [0.0] * (seats - 2)
        self.children: dict[int, Node] = {}

    def mean(self, seat: int) -> float:
        """The mean of what came of the move for a seat, counted from the searching one; it was tried."""
        mine = self.value / self.visits
        if seat == 0:
            return mine
        if seat <= len(self.others):
            return self.others[seat - 1] / self.visits
        rest = 1 - mine
        for value in self.others:
            rest -= value / self.visits
        return rest

    def spread(self) -> float | None:
        """The standard deviation of what came of the move for the searching seat; None if it was not tried."""
        if not self.visits:
            return None
        mean = self.value / self.visits
        return min(1.0, sqrt(max(0.0, self.squares / self.visits - mean * mean)))


class Search:
    """One search for a seat; `iterate` as often as there is time, then take the `choice`."""

    def __init__(self, seat: int, imagination: Imagination) -> None:
        self._seat = seat
        self._seats = imagination.seats
        self._imagination = imagination
        self._root = Node(None, 0.0, self._seats)
        self._done = 0
        self._sampled = [0.0] * (self._seats - 1)  # the sums of the win probabilities in the sampled games

    def iterate(self) -> None:
        """Sample a game, go down the tree to a new move, judge it, remember."""
        position = self._imagination.sample()
        values = self._beside_other_samples(position)
        node = self._root
        path = [node]
        while True:
            moves = position.moves()
            move = moves[0]
            if len(moves) > 1:
                node = self._select(node, position, moves)
                path.append(node)
                move = node.move
            expected = probability_of(position.worth(move))
            if len(moves) > 1 and not node.visits:
                self._add_estimate(values, position, expected)
                break
            after = position.after(move)
            if isinstance(after, Ended):
                self._add_outcome(values, after)
                break
            if after.turn != position.turn:
                self._take_luck(values, position.seat, after.win_probability(position.seat) - expected)
            position = after
        value = values[0]
        for node in path:
            node.visits += 1
            node.value += value
            node.squares += value * value
            for at in range(self._seats - 2):
                node.others[at] += values[at + 1]

    def _beside_other_samples(self, position: Position) -> list[float]:
        """The difference by which each seat wins less than in the samples so far, the position included."""
        self._done += 1
        values: list[float] = []
        for seat in range(self._seats - 1):
            sampled = position.win_probability(self._absolute(seat))
            self._sampled[seat] += sampled
            values.append(self._sampled[seat] / self._done - sampled)
        return values

    def _add_estimate(self, values: list[float], position: Position, expected: float) -> None:
        """Add the estimate `expected` for the seat to act; the others share the rest as they did before its move."""
        mover = self._relative(position.seat)
        for seat in range(self._seats - 1):
            values[seat] += expected if seat == mover else (1 - expected) * self._share(position, seat)

    def _share(self, position: Position, seat: int) -> float:
        """A seat's share of the probability that the seat to act does not win."""
        if self._seats == 2:
            return 1.0
        others = 0.0
        for other in range(self._seats):
            if other != position.seat:
                others += position.win_probability(other)
        if others <= 0:
            return 1 / (self._seats - 1)
        return position.win_probability(self._absolute(seat)) / others

    def _add_outcome(self, values: list[float], ended: Ended) -> None:
        for seat in range(self._seats - 1):
            values[seat] += ended.win_probability(self._absolute(seat))

    def _take_luck(self, values: list[float], mover: int, luck: float) -> None:
        """Take the luck of the seat that moved from its value, and give it to the other seats in equal parts."""
        lucky = self._relative(mover)
        for seat in range(self._seats - 1):
            values[seat] -= luck if seat == lucky else -luck / (self._seats - 1)

    def _absolute(self, seat: int) -> int:
        """The game's number of a seat that is counted from the searching one."""
        return (self._seat + seat) % self._seats

    def _relative(self, seat: int) -> int:
        """The number, counted from the searching seat, of one of the game's seats."""
        return (seat - self._seat) % self._seats

    def decided(self, left: int) -> bool:
        """True if no move can overtake the leader in so many more iterations."""
        first = second = 0
        for node in self._root.children.values():
            if node.visits > first:
                first, second = node.visits, first
            elif node.visits > second:
                second = node.visits
        return first - second > left

    def choice(self, moves: Sequence[Any]) -> Choice:
        """The most visited of the observation's moves; of equals the one that came first."""
        values = self._imagination.values(moves)
        at_root = {node.move: node for node in self._root.children.values()}
        considered: list[tuple[int, int, Considered]] = []
        for at, move in enumerate(moves):
            node = at_root.get(move)
            if node is not None:
                probability = node.mean(0) if node.visits else 0.0
                one = Considered(
                    move, node.visits, values[at], min(1.0, max(0.0, probability)), node.spread()
                )
                considered.append((-node.visits, at, one))
        considered.sort(key=_order)
        ranked = tuple([one for _, _, one in considered])
        return Choice(ranked[0].move, ranked, self._done)

    def _select(self, node: Node, position: Position, moves: list[Any]) -> Node:
        """The child to try: PUCT over the moves that are legal in this game, each with its count of having been so."""
        seat = self._relative(position.seat)
        here = _children(node, position, moves, self._seats)
        total, top = 0.0, -1e9
        for child in here:
            total += child.prior
            top = max(top, child.gain)
        untried = (node.mean(seat) if node.visits else 1 / self._seats) - UNTRIED_PENALTY
        best, most = here[0], -1e9
        for child in here:
            child.available += 1
            visits = child.visits
            if visits:
                worth = child.mean(seat)
            else:
                worth = untried + PROBABILITY_OF_LOGIT * max(child.gain - top, -2.0)
            worth += EXPLORATION * child.prior / total * sqrt(child.available) / (1 + visits)
            if worth > most:
                best, most = child, worth
        return best


def search(seat: int, moves: Sequence[Any], imagination: Imagination, budget: Budget, stop: Stop) -> Choice:
    """The best of a seat's legal moves.

    At least one iteration, then until the budget is spent, the caller stops it, or the move is settled anyway.
    """
    tree = Search(seat, imagination)
    limit = 1_000_000_000 if budget.iterations is None else budget.iterations
    interval = limit if budget.exact else DECIDED_INTERVAL
    done = 0
    while True:
        tree.iterate()
        done += 1
        if done >= limit or stop() or (done % interval == 0 and tree.decided(limit - done)):
            return tree.choice(moves)


def probability_of(logit: float) -> float:
    """The logistic function."""
    return 1 / (1 + exp(-logit))


def _children(node: Node, position: Position, moves: list[Any], seats: int) -> list[Node]:
    """The nodes of the moves; new ones get their prior."""
    children = node.children
    here: list[Node] = []
    for move in moves:
        key = position.key(move)
        child = children.get(key)
        if child is None:
            child = Node(move, position.worth(move) - position.logit, seats)
            children[key] = child
        here.append(child)
    return here


def _order(item: tuple[int, int, Considered]) -> tuple[int, int]:
    return item[0], item[1]
