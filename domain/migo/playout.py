# compiled into migo
"""A game played on: uniformly random moves, the fastest opponent there is and the weakest.

Every game has a loop of its own, because calls that name the game's own rules are direct once they are compiled.
"""

from domain.migo.rules.decide import decide
from domain.migo.rules.legal import legal_moves
from domain.migo.rules.state import State, evolve
from domain.prng import ImaginedChance, Prng


def play_on(state: State, prng: Prng, moves: int) -> tuple[State, int]:
    """The state after so many random moves or at the game's end, and how many were made."""
    chance = ImaginedChance(prng)
    made = 0
    while made < moves:
        to_act = state.to_act
        if to_act is None:
            break
        legal = legal_moves(state)
        move = legal[prng.randrange(len(legal))]
        for event in decide(state, to_act, move, chance):
            state = evolve(state, event)
        made += 1
    return state, made
