"""The drawn table of the terminal game."""

import io
from typing import Any

import pytest
from rich.console import Console

from service.cli.board import draw, move_text

VIEW: dict[str, Any] = {
    "turn": 7,
    "seats": [{"seat": 0, "kind": "human", "player": "ada"}, {"seat": 1, "kind": "bot", "bot": "greedy"}],
    "state": {
        "phase": "action",
        "deck": 31,
        "discard_pile": ["K2d", "K3d", "K4d", "B1d", "B2d", "B3d", "HUN"],
        "players": [
            {
                "seat": 0,
                "hand": ["G5d", "HUN", "S1n"],
                "hand_size": 3,
                "score": 4,
                "columns": [
                    {"slot": 2, "cards": [{"face": "G5d", "down": False}, {"face": None, "down": True}]}
                ],
                "arrivals": {"teal": ["T5d", "T4n"]},
                "return_flights": ["black_kite"],
            },
            {
                "seat": 1,
                "hand": None,
                "hand_size": 3,
                "score": 0,
                "columns": [],
                "arrivals": {},
                "return_flights": [],
            },
        ],
    },
}


def drawn(view: dict[str, Any], me: int) -> str:
    """The table as plain text."""
    stream = io.StringIO()
    Console(file=stream, width=100).print(draw(view, me))
    return stream.getvalue()


def test_the_table() -> None:
    """Both sides, what lies in the middle, and the own hand."""
    text = drawn(VIEW, 0)
    assert "you (seat 0): 4 points" in text
    assert "greedy (seat 1): 0 points" in text
    assert "turn 7, deck 31, discard pile 7: ... K3d K4d B1d B2d B3d HUN" in text
    assert "hand  G5d HUN S1n" in text
    assert "teal T4n" in text
    assert "black kite (return flight)" in text
    assert text.count("###") == 1


@pytest.mark.parametrize(
    ("move", "text"),
    [
        ({"type": "play", "card": "K3d", "slot": 1}, "play K3d to column 1"),
        ({"type": "play", "card": "K3d", "slot": None}, "play K3d as a new column"),
        (
            {"type": "play", "card": "K3d", "slot": 1, "on_arrival": "return"},
            "play K3d to column 1, on arrival take the return flight",
        ),
        (
            {"type": "move_cards", "from": 1, "index": 2, "to": 3, "uncover": True},
            "move column 1 from card 3 on to column 3 and uncover it",
        ),
        (
            {"type": "move_cards", "from": 1, "index": 1, "to": None},
            "move column 1 from card 2 on as a new column",
        ),
        ({"type": "danger", "card": "HUN", "target": {"slot": 2}}, "play HUN and take a card from column 2"),
        (
            {"type": "danger", "card": "HUN", "target": {"pile": "bee_eater"}},
            "play HUN and take a card from the bee eater pile",
        ),
        ({"type": "discard", "card": "S1n"}, "discard S1n"),
        ({"type": "exchange"}, "exchange the whole hand"),
        ({"type": "abandon", "slot": 2}, "abandon column 2"),
        ({"type": "pass"}, "pass"),
    ],
)
def test_moves_in_words(move: dict[str, Any], text: str) -> None:
    """Every kind of legal move reads as a sentence."""
    assert move_text(move) == text
