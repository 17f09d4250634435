# compiled into rules
"""Migrato as the search of `domain.search` imagines it."""

from collections.abc import Sequence
from typing import Any, Final

from domain.bot import Budget, Choice, Rng, Stop
from domain.migrato.belief.determinize import Determinizer
from domain.migrato.belief.observation import Observation
from domain.migrato.belief.opponent_model import OpponentModel
from domain.migrato.bots.evaluation import Evaluation
from domain.migrato.bots.move_evaluator import MoveEvaluator
from domain.migrato.bots.supply import supply
from domain.migrato.bots.weights import POINTS
from domain.migrato.rules.decide import decide
from domain.migrato.rules.legal import legal_moves
from domain.migrato.rules.moves import RETURN, Abandon, Discard, Exchange, Move, MoveCards, Play, PlayDanger
from domain.migrato.rules.rule_books import SEATS
from domain.migrato.rules.state import State, evolve
from domain.prng import ImaginedChance
from domain.search.ismcts import search
from domain.search.ports import Ended, Imagination, Position

LEAD_SAMPLES: Final = 8  # games that the expected lead is averaged over


class ImaginedPosition(Position):
    """A state that may be the true one, judged by the fitted evaluation."""

    def __init__(self, state: State, evaluator: MoveEvaluator, chance: ImaginedChance) -> None:
        super().__init__(evaluator.seat, state.turn, evaluator.logit)
        self._state = state
        self._evaluator = evaluator
        self._chance = chance

    def moves(self) -> list[Any]:
        """The legal moves."""
        return legal_moves(self._state)

    def key(self, move: Any) -> int:
        """The move's number in the tree."""
        return key_of(move)

    def win_probability(self, seat: int) -> float:
        """Value for a seat, before the seat to act moves."""
        probability = self._evaluator.win_probability()
        return probability if seat == self.seat else 1 - probability

    def worth(self, move: Any) -> float:
        """The logit after the move and, where one follows, the best discard."""
        return self._evaluator.worth(move)

    def after(self, move: Any) -> Position:
        """The position after the move."""
        state = self._state
        for event in decide(state, state.to_act, move, self._chance):
            state = evolve(state, event)
        if state.to_act is None:
            assert state.result is not None
            return Ended(state.result.places)
        return ImaginedPosition(state, MoveEvaluator(self._evaluator.evaluation, state), self._chance)


class SeatImagination(Imagination):
    """The games that may be the true one for a seat; with an `opponent`, by what it is likely to have face down."""

    def __init__(self, observation: Observation, rng: Rng, opponent: OpponentModel | None) -> None:
        super().__init__(SEATS)
        self._observation = observation
        self._rng = rng
        self._chance = ImaginedChance(rng)
        self._evaluation = Evaluation(observation.rules, observation.turn, supply(observation))
        self._determinizer = Determinizer(observation, opponent.face_down_weights if opponent else None)

    def sample(self) -> Position:
        """A game that may be the true one."""
        state = self._determinizer.sample(self._rng)
        return ImaginedPosition(state, MoveEvaluator(self._evaluation, state), self._chance)

    def values(self, moves: Sequence[Any]) -> list[float]:
        """The final lead in points that each move promises, by the evaluation fitted to points."""
        observation = self._observation
        evaluation = Evaluation(observation.rules, observation.turn, supply(observation), POINTS)
        sums = [0.0] * len(moves)
        for _ in range(LEAD_SAMPLES):
            evaluator = MoveEvaluator(evaluation, self._determinizer.sample(self._rng))
            for at, move in enumerate(moves):
                sums[at] += evaluator.worth(move)
        return [total / LEAD_SAMPLES for total in sums]


def key_of(move: Move) -> int:
    """A number of its own for every move: looking moves up by their hashes would take too long."""
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


def search_trusting(observation: Observation, rng: Rng, budget: Budget, stop: Stop) -> Choice:
    """Every face-down card is as likely as any other."""
    imagination = SeatImagination(observation, rng, None)
    return search(observation.seat, observation.moves, imagination, budget, stop)


def search_suspecting(observation: Observation, rng: Rng, budget: Budget, stop: Stop) -> Choice:
    """The opponent is taken to put face down what sensible players do."""
    imagination = SeatImagination(observation, rng, OpponentModel(observation))
    return search(observation.seat, observation.moves, imagination, budget, stop)
