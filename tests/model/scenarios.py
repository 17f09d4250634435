"""Rare courses of play, on decks stacked for them: seat 0 follows a script, seat 1 only passes the time."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tests.model.migrato_model import Json, Model, is_danger, is_night, standard_deck


def play(card: str, slot: int | None = None, **more: object) -> Json:
    return {"type": "play", "card": card, "slot": slot, **more}


def move(start: int, end: int | None, index: int = 0, **more: object) -> Json:
    return {"type": "move_cards", "from": start, "index": index, "to": end, **more}


def column(slot: int, faces: str, **last: object) -> list[Json]:
    """Play these cards one below the other; what is said of the last one goes with its move."""
    cards = faces.split()
    moves = [play(card, slot if n else None) for n, card in enumerate(cards)]
    return [*moves[:-1], {**moves[-1], **last}]


@dataclass(frozen=True)
class Scenario:
    """A script of seat 0 and what the model must have met in the end."""

    name: str
    options: Json
    script: Sequence[Json]
    meets: Sequence[str]


FIVE_STILTS = [*column(1, "S6n S6n S6n"), *column(2, "S3n S3n"), move(2, 1, uncover=True)]
SCENARIOS = [
    Scenario("five stilts, digital", {}, FIVE_STILTS, ["five stilts"]),
    Scenario("five stilts, opla", {"rules": "opla"}, FIVE_STILTS, ["five stilts"]),
    Scenario(
        "five geese face down",
        {"return_flight": True},
        [*column(1, "G5n G5n G4n G4n"), play("G3n"), move(2, 1, uncover=True)],
        ["arrived after uncovering 5 (R7)"],
    ),
    Scenario(
        "a Return Flight card asked for that is gone",
        {"return_flight": True},
        [
            *column(1, "G5d G5d G4d G4d G3d", on_arrival="return"),
            *column(1, "G5n G5n G4n G4n"),
            play("G3n"),
            move(2, 1, uncover=True, on_arrival="return"),
        ],
        ["return flight G", "return not there", "settled after own return flight (R11)"],
    ),
    Scenario(
        "a species uncovered that has landed",
        {"return_flight": True},
        [
            *column(1, "S3n S3n"),
            *column(2, "S3n S1n"),
            *column(3, "S6n S6n S6n S6n"),
            move(2, 1, uncover=True),
        ],
        ["arrived after a face-down play (R6)", "digital: hidden column of the species stays", "failed: R8"],
    ),
    Scenario(
        "four geese uncovered",
        {"rules": "opla"},
        [*column(1, "G5n G5n"), *column(2, "G4n G4n"), move(2, 1, uncover=True)],
        ["failed: wrong length"],
    ),
    Scenario(
        "a column of two species, one lands (opla)",
        {"rules": "opla"},
        [*column(1, "S6n G5n"), *column(2, "G5d G5d G4d G4d G3d")],
        ["opla: part of a column cleared", "opla: face-down card cleared"],
    ),
    Scenario(
        "a column of two species, one lands (digital)",
        {},
        [*column(1, "S6n G5n"), *column(2, "G5n G4d"), *column(3, "G5d G5d G4d G4d G3d")],
        [
            "digital: hidden column of the species stays",
            "digital: rest cleared",
            "digital: cleared column with a night card",
        ],
    ),
    Scenario(
        "columns stay after a Return Flight",
        {"rules": "opla", "return_flight": True},
        [*column(1, "B4d B2d"), *column(2, "B4d B3d B3d", on_arrival="return"), play("B2d", 1)],
        ["R12 columns stay", "settled after own return flight (R11)"],
    ),
    Scenario(
        "a column completed by joining returns",
        {"rules": "opla", "return_flight": True},
        [*column(1, "K4d K3d"), *column(2, "K3d K2d"), move(2, 1, on_arrival="return")],
        ["arrived after a move", "return flight K"],
    ),
    Scenario(
        "a column split and joined again arrives",
        {},
        [*column(1, "K4d K4d K3d"), move(1, None, 1), move(2, 1), play("K2d", 1)],
        ["split", "whole columns joined", "arrived after a play"],
    ),
]


class Stacker(Model):
    """A game that deals as the script wants; the order it dealt in is the stacked deck."""

    def __init__(self, options: Json, script: Sequence[Json]) -> None:
        needed = [document["card"] for document in script if document["type"] in {"play", "danger"}]
        self.needed, self.dealt = needed, list[str]()
        rest = standard_deck()
        for face in needed:
            rest.remove(face)
        self.junk = sorted(rest, key=lambda face: (is_danger(face), is_night(face)))
        hands = [needed[0], *(self.junk.pop(0) for _ in range(5))]
        super().__init__(options, [*hands, *self.junk, *needed[1:]])
        self.dealt = hands

    def _top_card(self, hand: list[str]) -> str:
        wanted = Counter(self.needed[:1]) - Counter(hand) if hand is self.players[0].hand else Counter[str]()
        face = next(iter(wanted), self.junk[0] if self.junk else self.needed[-1])
        if not wanted and self.junk:
            self.junk.pop(0)
        self.deck.remove(face)
        self.dealt.append(face)
        return face


def staged(scenario: Scenario) -> tuple[list[str], list[Json]]:
    """The deck and all moves of both seats, in order."""
    stacker, moves = Stacker(scenario.options, scenario.script), list[Json]()

    def act(seat: int, document: Json) -> None:
        stacker.play(seat, document, shuffle=lambda _: None)
        moves.append(document)

    for document in scenario.script:
        if document["type"] in {"play", "danger"}:
            stacker.needed.pop(0)
        act(0, document)
        if stacker.phase == "discard":
            act(0, {"type": "discard", "card": spare(stacker)})
        if stacker.result is None:
            for filler in passing_the_time(stacker):
                act(1, filler)
    return stacker.dealt + stacker.deck, moves


def spare(stacker: Stacker) -> str:
    """A card of seat 0 that the script does not need next."""
    return next(card for card in stacker.players[0].hand if card not in stacker.needed[:1])


def passing_the_time(model: Model) -> list[Json]:
    """Seat 1 starts a column, and gives it up on its next turn."""
    me = model.players[1]
    if me.columns:
        return [{"type": "abandon", "slot": slot} for slot in me.columns]
    card = next(card for card in me.hand if not is_danger(card))
    rest = [other for other in me.hand if other is not card]
    return [play(card), {"type": "discard", "card": rest[0]}]
