"""The C++ kernel of Migo: its rules and inputs as a library to be compared."""

import ctypes
from collections.abc import Mapping

from domain.migo.rules.cards import NAME, CardTable
from domain.migo.rules.layouts import LAYOUTS
from domain.migo.rules.moves import Take
from domain.migo.rules.state import State, setup_of
from research.training.kernel import NO_LIMIT, Numbers, array, by_input, compiled_library


def numbers_of(state: State, *, to_act: int | None = None) -> list[int]:
    """A game that waits for a take, or of which a round has ended, as the kernel reads it."""
    options, seats = setup_of(state).options, len(state.players)
    limit = NO_LIMIT if options.turn_limit is None else options.turn_limit
    rules = [seats, options.layout_size == "large", LAYOUTS.index(options.round4_layout), limit]
    cards = options.card_table
    return [*map(int, rules), *cards.kinds, *cards.counts, *table_of(state, to_act=to_act)]


def table_of(state: State, *, to_act: int | None = None) -> list[int]:
    """The table alone, as the kernel writes it."""
    acting = state.to_act if state.to_act is not None else to_act
    assert acting is not None
    numbers = [acting, state.takes, state.number, state.starter, *state.table]
    for seat, player in enumerate(state.players):
        numbers += [player.full, player.empty, player.flags, player.last, len(player.cards), *player.cards]
        numbers += [int(seat in state.resigned), sum(ended.scores[seat] for ended in state.rounds)]
    return numbers


def take_of(move: Take) -> Numbers:
    """A take as the kernel writes it."""
    return move.place, move.flip, int(bool(move.drink))


class Kernel:
    """The kernel's rules and inputs."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(str(compiled_library("migo/checking.cpp")))
        self.inputs: int = self._library.number_of_inputs()

    def legal_takes(self, state: State) -> list[Numbers]:
        """Every legal take of the seat to act."""
        out = (ctypes.c_int * 2000)()
        count = self._library.legal(array(numbers_of(state)), out)
        return [tuple(out[3 * at : 3 * at + 3]) for at in range(count)]

    def after_take(self, state: State, move: Take) -> list[int]:
        """The table after the take alone: without the end of the round or of the game."""
        out = (ctypes.c_int * 500)()
        count = self._library.after_take(array(numbers_of(state)), array(take_of(move)), out)
        return list(out[:count])

    def after_resignation(self, state: State, seat: int) -> list[int]:
        """The table after the seat gave up."""
        out = (ctypes.c_int * 500)()
        count = self._library.after_resignation(array(numbers_of(state)), seat, out)
        return list(out[:count])

    def standing(self, state: State) -> tuple[list[int], int]:
        """The scores by seat as the cards lie, and the seat that would take the flag."""
        seats = len(state.players)
        out = (ctypes.c_int * (seats + 1))()
        self._library.standing(array(numbers_of(state, to_act=0)), out)
        return list(out[:seats]), out[seats]

    def heuristics_choice(self, state: State) -> Numbers:
        """The choice of the kernel's `heuristic`."""
        out = (ctypes.c_int * 3)()
        self._library.heuristics_choice(array(numbers_of(state)), out)
        return tuple(out)

    def next_round(self, state: State, seed: int) -> tuple[list[int], int]:
        """The table after a round has ended, the next one laid out at random; and who has won the game, or -1."""
        out = (ctypes.c_int * 500)()
        count = self._library.next_round(array(numbers_of(state, to_act=0)), seed, out)
        return list(out[:count]), out[count]

    def standard_table(self) -> CardTable:
        """The trainer's standard card table."""
        return self._card_table(0)

    def drawn_table(self, seed: int) -> CardTable:
        """A card table that the trainer may draw; the seed is at least 1."""
        return self._card_table(seed)

    def _card_table(self, seed: int) -> CardTable:
        out = (ctypes.c_int * (2 * len(NAME)))()
        self._library.card_table(seed, out)
        return CardTable(tuple(out[::2]), tuple(out[1::2]))

    def net_inputs(self, state: State, seat: int) -> Mapping[int, int]:
        """Inputs of the net from a seat."""
        out = (ctypes.c_int * 500)()
        count = self._library.inputs(array(numbers_of(state)), seat, out)
        return by_input(out, count)
