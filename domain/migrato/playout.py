"""A game played on by dice: uniformly random moves, the fastest opponent there is and the weakest."""

from domain.migrato.rules.decide import decide
from domain.migrato.rules.legal import legal_moves
from domain.migrato.rules.state import State, evolve
from domain.prng import Prng


class PrngChance:
    """The chance of games that are only imagined: fast, and not verifiable."""

    def __init__(self, dice: Prng) -> None:
        self._dice = dice

    def shuffled(self, number: int, cards: object, client_seeds: object) -> tuple[int, ...]:
        """The cards in any order."""
        assert isinstance(cards, tuple)
        order = list(cards)
        for j in range(len(order) - 1, 0, -1):
            i = self._dice.randrange(j + 1)
            order[i], order[j] = order[j], order[i]
        return tuple(order)

    def first_seat(self, seats: int, client_seeds: object) -> int:
        """Any seat."""
        return self._dice.randrange(seats)


def play_on(state: State, dice: Prng, moves: int) -> tuple[State, int]:
    """The state after so many random moves or at the game's end, and how many were made."""
    chance = PrngChance(dice)
    made = 0
    while made < moves:
        to_act = state.to_act
        if to_act is None:
            break
        legal = legal_moves(state)
        move = legal[dice.randrange(len(legal))]
        for event in decide(state, to_act, move, chance):
            state = evolve(state, event)
        made += 1
    return state, made
