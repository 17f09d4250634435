"""Whole games as a seat may believe them to be: one sample, and whether a state can be one."""

from domain.migrato.belief.determinize import Determinizer, face_down_places
from domain.migrato.belief.hypotheses import Hypothesis
from domain.migrato.belief.observation import Observation, observe
from domain.migrato.rules.state import State
from domain.prng import Rng


def determinize(observation: Observation, rng: Rng) -> State:
    """One sample; prepare a `Determinizer` for many."""
    return Determinizer(observation).sample(rng)


def consistent(observation: Observation, state: State) -> bool:
    """True if the state can be the case: exactly then it can be sampled."""
    if observe(state, observation.seat, observation.knowledge) != observation:
        return False
    other, places = state.players[1 - observation.seat], face_down_places(observation)
    lying = {place.turn: other.columns[place.slot][place.row] for place in places}
    if any(not place.may_be >> lying[place.turn] & 1 for place in places):
        return False
    return any(_explains(hypothesis, lying, other.hand) for hypothesis in observation.knowledge.hypotheses)


def _explains(hypothesis: Hypothesis, lying: dict[int, int], hand: tuple[int, ...]) -> bool:
    """True if the face-down cards, by turn, and the hand can have come about so."""
    rest = list(hand)
    for pool in hypothesis.pools:
        cards = list(pool.cards)
        for place in pool.places:
            if lying[place] not in cards:
                return False
            cards.remove(lying[place])
        for card in cards:
            if card not in rest:
                return False
            rest.remove(card)
    return True
