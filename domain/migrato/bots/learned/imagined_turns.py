# compiled into rules
"""Turns of possible games; the net plays for the seat that is to act."""

from bisect import bisect_right
from dataclasses import replace
from typing import Final

from domain.lifecycle import Result
from domain.migrato.belief.determinize import Determinizer
from domain.migrato.belief.observation import Observation, observe
from domain.migrato.belief.opponent_model import OpponentModel
from domain.migrato.bots.learned.card_reading import CardReader
from domain.migrato.net.inputs import InformationSet
from domain.migrato.net.judge import Judge, Verdict
from domain.migrato.rules.decide import decide
from domain.migrato.rules.moves import DISCARDS, Move
from domain.migrato.rules.state import DISCARD, State, evolve, scores
from domain.net.logistic import CERTAINTY, probability_of
from domain.net.network import Network
from domain.prng import ImaginedChance, Prng, Rng

READ: Final = 64  # possible games that are weighed by the opponent's last turn

_SEEDS: Final = 1 << 30


class Deal:
    """A game that may be the true one; `seed` is the chance of what follows, the same for all moves tried in it."""

    def __init__(self, state: State, seed: int, opposing: InformationSet) -> None:
        self.state = state
        self.seed = seed
        self.opposing = opposing


class ImaginedTurns:
    """Futures of the moves of one observation: own turn, the opponent's reply, the own answer, then the net.

    What is known of the cards yet to be drawn is not reckoned anew in these turns: they are few, and the same for all
    moves that are compared.
    """

    def __init__(self, observation: Observation, network: Network) -> None:
        self._observation = observation
        self._network = network
        self._seat = observation.seat
        self._determinizer = Determinizer(observation, OpponentModel(observation).face_down_weights)
        self._reader = CardReader(observation, network)
        self._weighed: list[State] = []
        self._up_to: list[int] = []  # the likelihoods of these games and of those before them, added up
        self._own = InformationSet(_turns_later(observation, 2), network)
        self._opposing: InformationSet | None = None  # in the last deal

    def read(self, rng: Rng) -> None:
        """Weigh possible games by the opponent's last turn; deals are drawn from these from now on."""
        if not self._reader.reads:
            return
        total = 0
        for _ in range(READ):
            game = self._determinizer.sample(rng)
            total += self._reader.likelihood(game)
            self._weighed.append(game)
            self._up_to.append(total)

    def deal(self, rng: Rng) -> Deal:
        """A game that the seat cannot tell from the true one."""
        state = self._drawn(rng) if self._weighed else self._determinizer.sample(rng)
        seen = _turns_later(observe(state, 1 - self._seat), 1)
        self._opposing = InformationSet(seen, self._network, self._opposing)
        return Deal(state, int(rng.random() * _SEEDS), self._opposing)

    def _drawn(self, rng: Rng) -> State:
        """One of the weighed games, its deck shuffled anew."""
        game = self._weighed[bisect_right(self._up_to, int(rng.random() * self._up_to[-1]))]
        deck = list(game.deck)
        rng.shuffle(deck)
        return game._replace(deck=tuple(deck))

    def end(self, deal: Deal, verdict: Verdict) -> tuple[int, int]:
        """Standing in that deal after the move and the reply: the probability of winning (CERTAINTY for 1.0) and
        the lead in points.
        """
        chance = ImaginedChance(Prng(deal.seed))
        state = _made(deal.state, verdict, chance)
        if state.phase is DISCARD and state.to_act == self._seat:  # what was stolen is seen now
            state = _made(state, self._reply(state, self._own), chance)
        while state.to_act == 1 - self._seat:
            state = _made(state, self._reply(state, deal.opposing), chance)
        points = scores(state)
        lead = points[self._seat] - points[1 - self._seat]
        if state.result is not None:
            return _won(state.result, self._seat), lead
        return probability_of(self._reply(state, self._own).logit), lead

    def _reply(self, state: State, known: InformationSet) -> Verdict:
        """The move of the seat to act, by what it can see."""
        assert state.to_act is not None
        seen = observe(state, state.to_act)
        return Judge(seen, self._network, known).best(seen.moves)


def _made(state: State, verdict: Verdict, chance: ImaginedChance) -> State:
    """The state after the move and the discard."""
    state = _after(state, verdict.move, chance)
    if verdict.discard is not None and state.phase is DISCARD:
        state = _after(state, DISCARDS[verdict.discard], chance)
    return state


def _after(state: State, move: Move, chance: ImaginedChance) -> State:
    for event in decide(state, state.to_act, move, chance):
        state = evolve(state, event)
    return state


def _won(result: Result, seat: int) -> int:
    """The seat's part of the win: CERTAINTY, half of it for a draw, or 0."""
    if result.winner is None:
        return CERTAINTY // 2
    return CERTAINTY if result.winner == seat else 0


def _turns_later(observation: Observation, turns: int) -> Observation:
    return replace(observation, turn=observation.turn + turns)
