"""Information-set Monte Carlo tree search with priors and a fitted evaluation instead of playouts.

One tree over what the seat sees (single-observer ISMCTS: Cowling, Powley and Whitehouse, "Information Set Monte Carlo
Tree Search", 2012). Each iteration samples a game that may be the true one, goes down the tree by PUCT (Rosin 2011;
Silver et al. 2017) among the moves that are legal in that game, and judges the first new move by the evaluation.

Luck is taken out of what comes back (as rollouts in backgammon do it): how good the sampled game is for the seat beside
the others, and how lucky each draw on the way was by the evaluation.
"""

from dataclasses import dataclass
from math import exp, sqrt
from typing import Final

from domain.bot import Bot, Budget, Choice, Considered, Rng, Stop
from domain.migrato.belief.determinize import Determinizer
from domain.migrato.belief.observation import Observation
from domain.migrato.bots.evaluation import Evaluation
from domain.migrato.bots.move_evaluator import MoveEvaluator
from domain.migrato.bots.opponent_model import OpponentModel
from domain.migrato.bots.supply import supply
from domain.migrato.bots.weights import POINTS
from domain.migrato.rules.decide import decide
from domain.migrato.rules.legal import legal_moves
from domain.migrato.rules.moves import (
    PASS,
    RETURN,
    Abandon,
    Discard,
    Exchange,
    Move,
    MoveCards,
    Play,
    PlayDanger,
)
from domain.migrato.rules.state import State, evolve
from domain.prng import ImaginedChance

EXPLORATION: Final = 0.3  # how much a prior counts beside what was found
SHARPNESS: Final = 12.0  # how much more a move is looked at for each logit that it seems better
RELUCTANCE: Final = 0.03  # how much worse than its parent a move is thought to be before it is tried
GLANCE: Final = 0.2  # the probability that a logit makes, about
CLOSE: Final = 16  # iterations between two looks at whether the leader can still be overtaken
LEAD_SAMPLES: Final = 8  # games that the expected lead is averaged over


@dataclass(frozen=True, slots=True)
class Level:
    """How well a level plays; `suspects`: it thinks of what a sensible opponent buries."""

    suspects: bool


class Node:
    """A move after the moves above it: how often it was tried, and the sum of what came of it for the searching seat.

    `gain` and `odds`: what it seemed worth at a glance, in logits, when it first was possible, and its prior.
    """

    __slots__ = ("available", "children", "gain", "move", "odds", "value", "visits")

    def __init__(self, move: Move, gain: float) -> None:
        self.move = move
        self.gain = gain
        self.odds = exp(max(min(gain * SHARPNESS, 60.0), -60.0))
        self.visits = 0
        self.available = 0
        self.value = 0.0
        self.children: dict[int, Node] = {}


class Search:
    """One search of one observation; `iterate` as often as there is time, then take the `choice`."""

    def __init__(self, observation: Observation, rng: Rng, level: Level) -> None:
        self._observation = observation
        self._seat = observation.seat
        self._rng = rng
        self._chance = ImaginedChance(rng)
        self._evaluation = Evaluation(observation.rules, observation.turn, supply(observation))
        self._determinizer = Determinizer(
            observation, OpponentModel(observation).face_down_weights if level.suspects else None
        )
        self._root = Node(PASS, 0.0)
        self._done = 0
        self._fortunes = 0.0

    def iterate(self) -> None:
        """Sample a game, go down the tree to a new move, judge it, remember."""
        state = self._determinizer.sample(self._rng)
        evaluator = MoveEvaluator(self._evaluation, state)
        fortune = evaluator.win_probability()
        self._done += 1
        self._fortunes += fortune
        value = self._fortunes / self._done - fortune
        node = self._root
        path = [node]
        while True:
            moves = legal_moves(state)
            move = moves[0]
            if len(moves) > 1:
                node = self._select(node, evaluator, moves)
                path.append(node)
                move = node.move
            mine = evaluator.seat == self._seat
            before = chance_of(evaluator.worth(move))
            if len(moves) > 1 and not node.visits:
                value += before if mine else 1 - before
                break
            turn = state.turn
            state = self._after(state, move)
            if state.to_act is None:
                value += self._outcome(state)
                break
            evaluator = MoveEvaluator(self._evaluation, state)
            if state.turn != turn:
                luck = 1 - evaluator.win_probability() - before
                value -= luck if mine else -luck
        for node in path:
            node.visits += 1
            node.value += value

    def decided(self, left: int) -> bool:
        """Whether no move can overtake the leader in so many more iterations."""
        first = second = 0
        for node in self._root.children.values():
            if node.visits > first:
                first, second = node.visits, first
            elif node.visits > second:
                second = node.visits
        return first - second > left

    def choice(self) -> Choice:
        """The most visited move; of equals the one that came first."""
        leads = self._leads()
        considered: list[tuple[int, int, Considered]] = []
        for at, move in enumerate(self._observation.moves):
            node = self._root.children.get(key_of(move))
            if node is not None:
                win_probability = node.value / node.visits if node.visits else 0.0
                weighed = Considered(move, node.visits, leads[at], min(1.0, max(0.0, win_probability)))
                considered.append((-node.visits, at, weighed))
        considered.sort(key=_order)
        ranked = tuple([weighed for _, _, weighed in considered])
        return Choice(ranked[0].move, ranked, self._done)

    def _leads(self) -> list[float]:
        """The final lead in points that each move promises at a glance."""
        observation = self._observation
        points = Evaluation(observation.rules, observation.turn, supply(observation), POINTS)
        sums = [0.0] * len(observation.moves)
        for _ in range(LEAD_SAMPLES):
            evaluator = MoveEvaluator(points, self._determinizer.sample(self._rng))
            for at, move in enumerate(observation.moves):
                sums[at] += evaluator.worth(move)
        return [total / LEAD_SAMPLES for total in sums]

    def _after(self, state: State, move: Move) -> State:
        for event in decide(state, state.to_act, move, self._chance):
            state = evolve(state, event)
        return state

    def _outcome(self, state: State) -> float:
        result = state.result
        assert result is not None
        return 0.5 if result.winner is None else 1.0 if result.winner == self._seat else 0.0

    def _select(self, node: Node, evaluator: MoveEvaluator, moves: list[Move]) -> Node:
        """The child to try: PUCT over the moves that are legal in this game, each with its count of having been so."""
        mine = evaluator.seat == self._seat
        here = self._children(node, evaluator, moves)
        total, top = 0.0, -1e9
        for child in here:
            total += child.odds
            top = max(top, child.gain)
        mean = node.value / node.visits if node.visits else 0.5
        untried = (mean if mine else 1 - mean) - RELUCTANCE
        best, most = here[0], -1e9
        for child in here:
            child.available += 1
            visits = child.visits
            if visits:
                worth = child.value / visits
                if not mine:
                    worth = 1 - worth
            else:
                worth = untried + GLANCE * max(child.gain - top, -2.0)
            worth += EXPLORATION * child.odds / total * sqrt(child.available) / (1 + visits)
            if worth > most:
                best, most = child, worth
        return best

    def _children(self, node: Node, evaluator: MoveEvaluator, moves: list[Move]) -> list[Node]:
        """The nodes of the moves, those that are new judged at a glance."""
        children = node.children
        here: list[Node] = []
        for move in moves:
            key = key_of(move)
            child = children.get(key)
            if child is None:
                child = Node(move, evaluator.worth(move) - evaluator.logit)
                children[key] = child
            here.append(child)
        return here


def chance_of(logit: float) -> float:
    """The logistic function."""
    return 1 / (1 + exp(-logit))


def key_of(move: Move) -> int:
    """A number of its own for every move: hashing moves would take too long."""
    if isinstance(move, Play):
        slot = 4 if move.slot is None else move.slot
        return (move.card << 3 | slot) << 6 | _settles(move.on_arrival) << 4 | 1
    if isinstance(move, Discard):
        return move.card << 4 | 2
    if isinstance(move, MoveCards):
        target = 4 if move.target is None else move.target
        key = ((move.source << 3 | move.index) << 3 | target) << 3 | _settles(move.on_arrival)
        return (key << 1 | move.uncover) << 4 | 3
    if isinstance(move, PlayDanger):
        if move.slot is None:
            return (move.card << 3 | (move.pile or 0)) << 5 | 20
        return (move.card << 3 | move.slot) << 5 | 4
    if isinstance(move, Abandon):
        return move.slot << 4 | 5
    return 6 if isinstance(move, Exchange) else 7


def _settles(on_arrival: str | None) -> int:
    return 0 if on_arrival is None else 1 if on_arrival == RETURN else 2


def _order(item: tuple[int, int, Considered]) -> tuple[int, int]:
    return item[0], item[1]


def search(observation: Observation, rng: Rng, budget: Budget, stop: Stop, level: Level) -> Choice:
    """At least one iteration, then until the budget is spent, the caller stops it, or the move is settled anyway."""
    thinking = Search(observation, rng, level)
    limit = 1_000_000_000 if budget.iterations is None else budget.iterations
    look = limit if budget.exact else CLOSE
    done = 0
    while True:
        thinking.iterate()
        done += 1
        if done >= limit or stop() or (done % look == 0 and thinking.decided(limit - done)):
            return thinking.choice()


def _trusting(observation: Observation, rng: Rng, budget: Budget, stop: Stop) -> Choice:
    return search(observation, rng, budget, stop, Level(suspects=False))


def _suspecting(observation: Observation, rng: Rng, budget: Budget, stop: Stop) -> Choice:
    return search(observation, rng, budget, stop, Level(suspects=True))


EASY: Final = Bot(
    "ismcts-easy",
    "1",
    "Looks at a few games that may be the true one; takes every face-down card as likely as any other.",
    _trusting,
    milliseconds=50,
    budget=Budget(iterations=8),
    remembers=True,
)
NORMAL: Final = Bot(
    "ismcts",
    "1",
    "Searches games that may be the true one, and reckons with what sensible players bury.",
    _suspecting,
    milliseconds=300,
    budget=Budget(iterations=300),
    remembers=True,
)
EXPERT: Final = Bot(
    "ismcts-expert",
    "1",
    "The same search, longer.",
    _suspecting,
    milliseconds=2000,
    budget=Budget(iterations=1500),
    remembers=True,
)
