"""Rules 5: one principle covers every placement; its seven consequences, each by name."""

from itertools import pairwise, permutations

from domain.migrato.rules.cards import BIRDS, DOWN, GOAL, IS_NIGHT, NAME, SPECIES_OF
from domain.migrato.rules.columns import placement_for
from domain.migrato.rules.options import resolve
from tests.domain.table import cards, may_play, side, table, when

RULES = resolve({})
BIRD_FACES = sorted({face for face in RULES.deck if SPECIES_OF[face] >= 0})


CONSEQUENCES: dict[
    str, dict[str, tuple[str, str]]
] = {  # by column what may be played below it, and what may not
    "5.1 below a visible day card only its species": {
        "G5d": ("G4d G4n", "K2d S1n B1d T2n"),
        "G5d G4n": ("", "S1n"),  # the day card tells the species from anywhere in the column
    },
    "5.2 never more birds than the visible card above": {
        "K3d": ("K3d K2d", "K4d"),
        "G4d S1n": ("", "G5n"),  # a face-down card between does not help
    },
    "5.4 kites and bee-eaters never with a night card": {
        "G5n": ("", "K3d B2d"),
        "K3d": ("", "G3n S1n T2n"),
        "B2d": ("", "G3n S1n T2n"),
    },
    "5.5 T5d never below another card": dict.fromkeys(("T3d", "T4n", "G5n", "S6n", "G5d"), ("", "T5d")),
    "5.6 T4n never below a night card": {
        "T2n": ("", "T4n"),
        "S6n": ("", "T4n"),
        "G5n": ("", "T4n"),
        "T5d": ("T4n", ""),
    },
    "5.7 nothing below T1d": {"T1d": ("", "T5d T2n G3n")},
    "a wrong night card may be buried": {
        "G5n": ("S1n", ""),
        "S6n": ("T2n", ""),
        "S1n G5n S6n S6n": ("", "S6n"),
    },
}


def test_the_consequences() -> None:
    """By mistake or as a bluff cards are buried, as long as the face-down ones could be right."""
    for rule, columns in CONSEQUENCES.items():
        for column, (may, may_not) in columns.items():
            assert all(may_play(card, column) for card in may.split()), rule
            assert not any(may_play(card, column) for card in may_not.split()), rule


def test_5_3_never_more_than_five_cards_nor_than_the_goal() -> None:
    assert not may_play("G3n", "G5n G5n G4n G4n G3n")
    assert may_play("G3n", "S6n S6n S6n S6n"), "four face-down cards may be geese"
    assert not may_play("S1n", "S6n S6n S6n S6n"), "a stilt counts as itself when played: its goal is 4"
    assert not may_play("T2n", "T5d T4n")
    assert not may_play("B1d", "B4d B3d B2d")


def test_moving_judges_face_down_cards_by_what_is_seen() -> None:
    """Rules 5: when moving, a face-down card could be anything."""
    state = table(side(hand="K2d", columns={1: "S1n S1n", 2: "G3n G3n"}))
    when(state, type="move_cards", from_=1, index=0, to=2).happens()
    when(state, type="move_cards", from_=2, index=1, to=1).happens()


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
