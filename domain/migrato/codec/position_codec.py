# compiled into recording
"""A whole position as it is stored; `rules.view` says who may see what of it."""

from typing import Final

from domain.lifecycle import Json
from domain.migrato.rules.cards import IS_NIGHT, NAME, SPECIES_IDS, faces, names
from domain.migrato.rules.columns import SLOTS, Column
from domain.migrato.rules.events import PositionSet

KIND: Final = "position_set"


def encode(event: PositionSet) -> Json:
    """The event's data, whole."""
    return {
        "phase": "discard" if event.discarding else "action",
        "to_act": event.to_act,
        "turn": event.turn,
        "shuffles": event.shuffles,
        "deck": names(event.deck),
        "count": len(event.deck),
        "discard_pile": names(event.discard_pile),
        "hands": [names(hand) for hand in event.hands],
        "hand_sizes": [len(hand) for hand in event.hands],
        "columns": [_columns(columns) for columns in event.columns],
        "arrivals": [
            {SPECIES_IDS[s]: names(pile) for s, pile in enumerate(piles) if pile} for piles in event.arrivals
        ],
        "landed": [_species(landed) for landed in event.landed],
        "return_flights": [_species(flights) for flights in event.flights],
    }


def decode(data: Json) -> PositionSet:
    """The event that was stored."""
    return PositionSet(
        discarding=data["phase"] == "discard",
        to_act=data["to_act"],
        turn=data["turn"],
        shuffles=data["shuffles"],
        deck=faces(data["deck"]),
        discard_pile=faces(data["discard_pile"]),
        hands=tuple([faces(hand) for hand in data["hands"]]),
        columns=tuple([_laid(columns) for columns in data["columns"]]),
        arrivals=tuple(
            [tuple([faces(piles.get(species, [])) for species in SPECIES_IDS]) for piles in data["arrivals"]]
        ),
        landed=tuple([_bits(species) for species in data["landed"]]),
        flights=tuple([_bits(species) for species in data["return_flights"]]),
    )


def _columns(columns: tuple[Column, ...]) -> list[Json]:
    return [
        {"slot": slot + 1, "cards": [{"face": NAME[face], "down": IS_NIGHT[face]} for face in column]}
        for slot, column in enumerate(columns)
        if column
    ]


def _laid(columns: list[Json]) -> tuple[Column, ...]:
    laid: list[Column] = [()] * SLOTS
    for column in columns:
        laid[column["slot"] - 1] = faces([card["face"] for card in column["cards"]])
    return tuple(laid)


def _species(bits: int) -> list[str]:
    return [species for s, species in enumerate(SPECIES_IDS) if bits >> s & 1]


def _bits(species: list[str]) -> int:
    return sum([1 << SPECIES_IDS.index(name) for name in species])
