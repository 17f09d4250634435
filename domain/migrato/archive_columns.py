"""Migrato's own columns of the archive's tables, beside those of every game."""

from typing import Final

from domain.lifecycle import Json
from domain.migrato.rules.cards import BIRDS, SPECIES_IDS
from domain.migrato.rules.rule_books import SEATS
from domain.migrato.rules.state import State

GAME_COLUMNS: Final = {f"{species}_{seat}": "int8" for seat in range(SEATS) for species in SPECIES_IDS}
EVENT_COLUMNS: Final = {"card": "name", "cards": "strings", "slot": "int8", "species": "name"}


def game_row(state: State) -> Json:
    """The points of every pile: the birds on its top card, as in G5d; None where there is no pile."""
    return {
        f"{species}_{seat}": BIRDS[pile[-1]] if pile else None
        for seat, player in enumerate(state.players)
        for species, pile in zip(SPECIES_IDS, player.arrivals, strict=True)
    }
