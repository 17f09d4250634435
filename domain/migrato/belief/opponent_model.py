# compiled into rules
"""Cards that an opponent is likely to have buried: sensible players begin with many birds and rarely bury a wrong card.

The weights were counted in games between searching bots (see docs/explanation/how-the-search-works.md): how much
likelier than its share of the unseen cards each face was at its place.
"""

from typing import Final

from domain.migrato.belief.observation import Observation
from domain.migrato.rules.cards import BIRDS, DOWN, FACE, FIRST_DANGER, GOAL, IS_NIGHT, NAME, SPECIES_OF
from domain.migrato.rules.columns import Column, Shape

OFF_FLOCK: Final = 0.003  # how likely a card is that makes no flock
FIRST: Final = (
    # The first card of a column that lies face down altogether, by its length; no geese of the opponent's in sight.
    {"G5n": 0.66, "G4n": 0.28, "G3n": 0.04, "S6n": 0.54, "S3n": 0.07, "S1n": 0.06, "T4n": 1.0, "T2n": 0.17},
    {"G5n": 0.68, "G4n": 0.21, "G3n": 0.01, "S6n": 1.0, "S3n": 0.07, "S1n": 0.01},
    {"G5n": 0.27, "G4n": 0.04, "G3n": 0.01, "S6n": 1.0, "S3n": 0.04, "S1n": 0.01},
    {"G5n": 1.0, "G4n": 0.10, "G3n": 0.01, "S6n": 0.02, "S3n": 0.01, "S1n": 0.01},
)
FIRST_BESIDE_GEESE: Final = (
    {"G5n": 0.06, "G4n": 0.02, "G3n": 0.03, "S6n": 0.57, "S3n": 0.06, "S1n": 0.05, "T4n": 1.0, "T2n": 0.17},
    {"G5n": 0.02, "G4n": 0.01, "G3n": 0.01, "S6n": 1.0, "S3n": 0.06, "S1n": 0.01},
    {"G5n": 0.01, "G4n": 0.01, "G3n": 0.01, "S6n": 1.0, "S3n": 0.05, "S1n": 0.01},
    {"G5n": 1.0, "G4n": 0.16, "G3n": 0.01, "S6n": 0.40, "S3n": 0.05, "S1n": 0.01},
)
FIRST_OF_GEESE: Final = {"G5n": 1.0, "G4n": 0.24, "G3n": 0.01}  # where day geese lie below
BELOW: Final = {
    "G5": {"G5n": 1.0, "G4n": 0.49, "G3n": 0.02},
    "G4": {"G4n": 1.0, "G3n": 0.12},
    "S6": {"S6n": 1.0, "S3n": 0.17, "S1n": 0.01},
    "S3": {"S3n": 1.0, "S1n": 0.24},
}
GOOSE: Final = SPECIES_OF[FACE["G5d"]]


class OpponentModel:
    """Weights for the face-down places of the opponent's columns, remembered by what they depend on."""

    def __init__(self, observation: Observation) -> None:
        self._landed = observation.other.landed
        self._geese = False
        for shape in observation.other.shapes:
            for face in shape:
                if face != DOWN and SPECIES_OF[face] == GOOSE:
                    self._geese = True
        self._known: dict[tuple[Column, Shape], list[float]] = {}

    def face_down_weights(self, above: Column, shape: Shape) -> list[float]:
        """Likelihood by face that the opponent has put it below those cards in a column that looks like that."""
        known = self._known.get((above, shape))
        if known is None:
            known = self._weights(above, shape)
            self._known[above, shape] = known
        return known

    def _weights(self, above: Column, shape: Shape) -> list[float]:
        species, most, least = -1, 99, 0
        for face in above:
            species, most = SPECIES_OF[face], BIRDS[face]
        for face in shape[len(above) :]:
            if face != DOWN:
                species, least = SPECIES_OF[face], BIRDS[face]
                break
        if above:
            table = BELOW.get(NAME[above[-1]][:2], {})
        elif species == GOOSE:
            table = FIRST_OF_GEESE
        else:
            table = (FIRST_BESIDE_GEESE if self._geese else FIRST)[min(len(shape), len(FIRST)) - 1]
        weights = [OFF_FLOCK] * len(NAME)
        for face in range(1, FIRST_DANGER):
            s = SPECIES_OF[face]
            if not IS_NIGHT[face] or self._landed >> s & 1 or not least <= BIRDS[face] <= most:
                continue
            if (
                (species >= 0 and s != species)
                or len(shape) > GOAL[s]
                or (species < 0 and len(shape) == GOAL[s])
            ):
                continue
            weights[face] = table.get(NAME[face], 0.2)
        return weights
