"""Rules 5: one principle covers every placement; `tests/model/test_the_model.py` has its consequences by name."""

from itertools import pairwise, permutations

from domain.migrato.rules.cards import BIRDS, DOWN, GOAL, IS_NIGHT, NAME, SPECIES_OF
from domain.migrato.rules.columns import placement_for
from domain.migrato.rules.options import resolve
from tests.domain.table import cards

RULES = resolve({})
BIRD_FACES = sorted({face for face in RULES.deck if SPECIES_OF[face] >= 0})


def _brute_force(shape: tuple[int, ...]) -> bool:
    """The principle, read literally: try every choice of different night cards for the face-down places."""
    for species, goal in enumerate(GOAL):
        if len(shape) > goal or any(f != DOWN and SPECIES_OF[f] != species for f in shape):
            continue
        night = sorted(f for f in RULES.deck if SPECIES_OF[f] == species and IS_NIGHT[f])
        for seen in shape:
            if seen in night:
                night.remove(seen)
        for chosen in set(permutations(night, shape.count(DOWN))):
            places = iter(chosen)
            birds = [BIRDS[next(places) if f == DOWN else f] for f in shape]
            if all(a >= b for a, b in pairwise(birds)):
                return True
    return False


def test_possible_is_the_principle_read_literally() -> None:
    """Every column of up to two cards, and of up to five that begin with these, judged by brute force."""
    possible = placement_for(RULES.deck_list).possible

    def grow(shape: tuple[int, ...], left: int) -> None:
        assert possible[shape] == _brute_force(shape), [NAME[f] for f in shape]
        if left:
            for face in (DOWN, *BIRD_FACES):
                grow((*shape, face), left - 1)

    for face in (DOWN, *BIRD_FACES):
        grow((face,), 1)
    for start in ((DOWN, DOWN), cards("G5d") + (DOWN,), cards("T5d") + (DOWN,), cards("G4d G4d")):
        grow(start, 1)
        grow((*start, DOWN), 1)
