"""A running game as a seat may believe that it is."""

from domain.migrato.belief.determinize import Determinizer
from domain.migrato.belief.knowledge import Knowledge
from domain.migrato.belief.observation import observe
from domain.migrato.rules.state import State
from domain.prng import Prng


def resampled(state: State, seat: int, knowledge: Knowledge, seed: int) -> State:
    """The state with all that the seat cannot know drawn anew, as it may be for all that the seat knows.

    The result is a function of the seat's observation, its knowledge and the seed: the true hidden cards are not looked
    at. DomainError "impossible-position" if what was seen contradicts itself, which it does not in a game played here.
    """
    drawn = Determinizer(observe(state, seat, knowledge)).sample(Prng(seed))
    return State(
        state.setup,
        state.phase,
        state.to_act,
        state.turn,
        drawn.deck,
        state.discard_pile,
        drawn.players,
        state.shuffles,
        state.result,
    )
