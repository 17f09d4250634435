# compiled into rules
"""Card facts: species, dangers, faces, and the deck as data (rules 1).

A face is an int, an index into the tables below; its name ("G5d") appears only in documents. Cards of one face are
interchangeable, so a face is all there is to a card. Every face that a deck list may hold exists: 1 to 9 birds.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple


class Species(NamedTuple):
    """A bird: `goal` is how many cards its column needs to arrive; it flies by `day`, by `night` or both."""

    id: str
    letter: str
    goal: int
    day: bool
    night: bool


class Danger(NamedTuple):
    """A danger: which cards it steals."""

    id: str
    code: str
    day: bool
    night: bool


SPECIES: Final = (
    Species("brant_goose", "G", 5, day=True, night=True),
    Species("black_kite", "K", 4, day=True, night=False),
    Species("stilt", "S", 4, day=False, night=True),
    Species("bee_eater", "B", 3, day=True, night=False),
    Species("teal", "T", 2, day=True, night=True),
)
DANGERS: Final = (
    Danger("hunter", "HUN", day=True, night=False),
    Danger("habitat_destruction", "HAB", day=True, night=True),
    Danger("light_pollution", "LIG", day=False, night=True),
)
SPECIES_IDS: Final = tuple(s.id for s in SPECIES)
GOAL: Final = tuple(s.goal for s in SPECIES)
ALL_SPECIES: Final = (1 << len(SPECIES)) - 1  # a set of species is a bit mask
STILT: Final = SPECIES_IDS.index("stilt")
MAX_BIRDS: Final = 9
LONGEST_COLUMN: Final = max(GOAL)

DOWN: Final = 0  # in a column as it is seen: a card lying face down; no card has this face


class _Face(NamedTuple):
    name: str
    species: int
    birds: int
    night: bool


def _bird_faces() -> list[_Face]:
    faces = [_Face("?", -1, 0, night=True)]
    for number, species in enumerate(SPECIES):
        for night, letter in ((False, "d"), (True, "n")):
            if species.night if night else species.day:
                faces += [
                    _Face(f"{species.letter}{birds}{letter}", number, birds, night)
                    for birds in range(1, MAX_BIRDS + 1)
                ]
    return faces


_BIRD_FACES: Final = _bird_faces()
FIRST_DANGER: Final = len(_BIRD_FACES)  # faces below are birds, from here on dangers

NAME: Final = (*(f.name for f in _BIRD_FACES), *(d.code for d in DANGERS))
SPECIES_OF: Final = (*(f.species for f in _BIRD_FACES), *(-1 for _ in DANGERS))
BIRDS: Final = (*(f.birds for f in _BIRD_FACES), *(0 for _ in DANGERS))
IS_NIGHT: Final = (*(f.night for f in _BIRD_FACES), *(False for _ in DANGERS))
SEEN: Final = tuple(
    DOWN if f.night else face for face, f in enumerate(_BIRD_FACES)
)  # a bird as it lies in a column
GOAL_OF: Final = tuple(GOAL[f.species] if f.species >= 0 else 0 for f in _BIRD_FACES)
FACE: Final = {name: face for face, name in enumerate(NAME) if face != DOWN}


def names(cards: tuple[int, ...]) -> list[str]:
    """Faces as they are written."""
    return [NAME[card] for card in cards]


def faces(written: Iterable[str]) -> tuple[int, ...]:
    """Written faces as the tables' indices."""
    return tuple([FACE[name] for name in written])


_STEALS: Final = tuple(
    tuple(danger.night if night else danger.day for night in IS_NIGHT) for danger in DANGERS
)


def steals(danger: int, face: int) -> bool:
    """True if the danger card takes bird cards of that face's phase (rules 4.3); a DOWN card is a night card."""
    return _STEALS[danger - FIRST_DANGER][face]


# rules 1: the totals, goals and phases are sourced, the exact distribution is RECONSTRUCTED data.
STANDARD: Final = {
    "G5d": 2, "G4d": 3, "G3d": 2, "G5n": 2, "G4n": 3, "G3n": 2,
    "K4d": 3, "K3d": 4, "K2d": 4,
    "S6n": 4, "S3n": 4, "S1n": 3,
    "B4d": 2, "B3d": 2, "B2d": 2, "B1d": 2,
    "T5d": 1, "T3d": 1, "T1d": 1, "T4n": 1, "T2n": 1,
    "HUN": 2, "HAB": 2, "LIG": 1,
}  # fmt: skip
DECK_LISTS: Final = {"standard": STANDARD}

# rules 8: the points printed on the Return Flight cards, in the order of SPECIES; RECONSTRUCTED data too.
RETURN_FLIGHT_POINTS: Final = (3, 2, 2, 2, 1)
