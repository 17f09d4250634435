"""Rules 5: one principle covers every placement; its seven consequences, each by name."""

from itertools import pairwise, permutations

from domain.migrato.rules.cards import BIRDS, DOWN, GOAL, IS_NIGHT, NAME, SPECIES_OF
from domain.migrato.rules.columns import placement_for
from domain.migrato.rules.rule_books import resolve
from tests.domain.table import cards, legal, may_play, side, table, when

RULES = resolve({})
BIRD_FACES = sorted({face for face in RULES.deck if SPECIES_OF[face] >= 0})


def test_5_1_below_a_visible_day_card_only_its_species() -> None:
    assert may_play("G4d", "G5d")
    assert may_play("G4n", "G5d")
    for stranger in ("K2d", "S1n", "B1d", "T2n"):
        assert not may_play(stranger, "G5d")
    assert not may_play("S1n", "G5d G4n"), "the day card tells the species from anywhere in the column"


def test_5_2_never_more_birds_than_the_visible_card_above() -> None:
    assert may_play("K3d", "K3d")
    assert may_play("K2d", "K3d")
    assert not may_play("K4d", "K3d")
    assert not may_play("G5n", "G4d S1n"), "a face-down card between does not help"


def test_5_3_never_more_than_five_cards_nor_than_the_goal() -> None:
    assert not may_play("G3n", "G5n G5n G4n G4n G3n")
    assert may_play("G3n", "S6n S6n S6n S6n"), "four face-down cards may be geese"
    assert not may_play("S1n", "S6n S6n S6n S6n"), "a stilt counts as itself when played: its goal is 4"
    assert not may_play("T2n", "T5d T4n")
    assert not may_play("B1d", "B4d B3d B2d")


def test_5_4_kites_and_bee_eaters_never_with_a_night_card() -> None:
    for bird in ("K3d", "B2d"):
        assert not may_play(bird, "G5n")
        for night in ("G3n", "S1n", "T2n"):
            assert not may_play(night, bird)


def test_5_5_t5d_never_below_another_card() -> None:
    for above in ("T3d", "T4n", "G5n", "S6n", "G5d"):
        assert not may_play("T5d", above)
    assert {"type": "play", "card": "T5d", "slot": None} in legal(table(side(hand="T5d", columns={1: "G5n"})))


def test_5_6_t4n_never_below_a_night_card() -> None:
    for above in ("T2n", "S6n", "G5n"):
        assert not may_play("T4n", above)
    assert may_play("T4n", "T5d")


def test_5_7_nothing_below_t1d() -> None:
    assert legal(table(side(hand="T5d T2n G3n", columns={1: "T1d"})), "play") == [
        {"type": "play", "card": card, "slot": None} for card in ("T5d", "T2n", "G3n")
    ]


def test_a_wrong_night_card_may_be_buried() -> None:
    """Rules 5: by mistake or as a bluff, as long as the face-down cards could be right."""
    assert may_play("S1n", "G5n")
    assert may_play("T2n", "S6n")
    assert not may_play("S6n", "S1n G5n S6n S6n")


def test_moving_judges_face_down_cards_by_what_is_seen() -> None:
    """Rules 5: when moving, a face-down card could be anything."""
    state = table(side(hand="K2d", columns={1: "S1n S1n", 2: "G3n G3n"}))
    when(state, type="move_cards", from_=1, index=0, to=2).happens()
    when(state, type="move_cards", from_=2, index=1, to=1).happens()


def test_an_impossible_column_names_the_rule() -> None:
    """Rules 5: the refusal says which rule."""
    state = table(side(hand="K2d", columns={1: "B4d"}))
    when(state, type="play", card="K2d", slot=1).fails("illegal-move", "5")


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
