"""The model itself, where the law gives an example that a person can check."""

import pytest

from tests.model.migrato_model import Json, Model, normal, possible, standard_deck

NIGHTS = tuple(card for card in standard_deck() if card.endswith("n"))


def may_go_below(places: str, played: str) -> bool:
    """May the face be played below these places ("?" is face down), going by the standard deck?"""
    nights = list(NIGHTS)
    if played in nights:
        nights.remove(played)
    return possible((*places.split(), played), tuple(nights))


POSSIBLE = [
    ("G5d", "G4d", True),
    ("G5d", "K4d", False),  # 5.1 the same species only
    ("G4d", "G5n", False),  # 5.2 at most as many birds
    ("G4d", "G4n", True),
    ("? ? ? ?", "G3d", True),
    ("? ? ? ? ?", "G3d", False),  # 5.3 never more than five, nor more than the goal
    ("? ? ?", "S1n", True),
    ("? ? ? ?", "S1n", False),
    ("B4d B3d B2d", "B1d", False),
    ("?", "K2d", False),  # 5.4 no night card with a kite or a bee-eater
    ("K4d", "S1n", False),
    ("?", "T5d", False),  # 5.5
    ("T5d", "T4n", True),
    ("?", "T4n", False),  # 5.6
    ("?", "T2n", True),
    ("T1d", "T2n", False),  # 5.7
    ("?", "G5n", True),
    ("? ?", "G5n", False),  # there are two geese 5 by night, and one of them is being played
    ("? ?", "G5d", True),
    ("? ? ?", "G5d", False),
    ("? ? ?", "S6n", True),
    ("?", "T1d", True),
]


def test_possible_columns(subtests: pytest.Subtests) -> None:
    """Rules 5, with its seven consequences."""
    for places, played, allowed in POSSIBLE:
        with subtests.test(places=places, played=played):
            assert may_go_below(places, played) is allowed


def begun(options: Json, hands: str, rest: str = "") -> Model:
    """A game whose seat 0 holds the 1st, 3rd and 5th of the six cards of `hands`."""
    first = [*hands.split(), *rest.split()]
    others = standard_deck()
    for face in first:
        others.remove(face)
    return Model(options, first + others)


def test_first_legal_moves() -> None:
    """With nothing on the table: each bird starts a column, a danger has no target, the hand may go."""
    model = begun({}, "G5d K4d HUN K4d S1n K4d")
    play: Json = {"type": "play", "slot": None}
    expected = [{**play, "card": "G5d"}, {**play, "card": "S1n"}, {"type": "exchange"}]
    assert model.legal_moves(0) == {normal(move) for move in expected}
    assert model.legal_moves(1) == set()


def test_a_stolen_face_down_card_is_no_known_discard() -> None:
    """A card that is stolen face down may be named in the same request only if such a face was in hand."""
    model = begun({}, "HAB S6n HUN G5d K2d K2d", "B1d B1d")

    def shuffle(pile: list[str]) -> list[str]:
        return pile

    model.play(0, {"type": "play", "card": "K2d", "slot": None, "discard": "HUN"}, shuffle)
    model.play(1, {"type": "play", "card": "S6n", "slot": None, "discard": "K2d"}, shuffle)
    steal = {"type": "danger", "card": "HAB", "target": {"slot": 1}}
    assert model.refusal(0, {**steal, "discard": "B1d"}) is None
    assert model.refusal(0, {**steal, "discard": "S6n"}) == "the discard is not in hand"
    assert model.refusal(0, {**steal, "discard": "HAB"}) == "the discard is not in hand"
    model.play(0, steal, shuffle)
    assert "S6n" in model.players[0].hand
    assert model.players[1].columns == {}
    assert model.phase == "discard"
