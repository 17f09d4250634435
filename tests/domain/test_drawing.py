"""The table and the moves as text."""

from typing import Any

from domain.registry import game_named
from tests.support.tricks import TRICKS

MIGRATO = game_named("migrato")

COLUMN = {"slot": 2, "cards": [{"face": "G5d", "down": False}, {"face": None, "down": True}]}
MINE = {
    "seat": 0, "hand": ["G5d", "HUN", "S1n"], "hand_size": 3, "score": 4, "columns": [COLUMN],
    "arrivals": {"teal": ["T5d", "T4n"]}, "return_flights": ["black_kite"],
}  # fmt: skip
THEIRS: dict[str, Any] = {
    "seat": 1, "hand": None, "hand_size": 3, "score": 0, "columns": [], "arrivals": {}, "return_flights": [],
}  # fmt: skip
PILE = ["K2d", "K3d", "K4d", "B1d", "B2d", "B3d", "HUN"]
VIEW: dict[str, Any] = {
    "turn": 7,
    "seats": [{"seat": 0, "kind": "human", "player": "ada"}, {"seat": 1, "kind": "bot", "bot": "greedy"}],
    "state": {"phase": "action", "deck": 31, "discard_pile": PILE, "players": [MINE, THEIRS]},
}


def test_the_table() -> None:
    """Both sides, what lies in the middle, and the own hand."""
    text = MIGRATO.draw(VIEW, 0)
    assert "you: 4 points" in text
    assert "greedy: 0 points" in text
    assert "turn 7, deck 31, discard pile 7: ... K3d K4d B1d B2d B3d HUN" in text
    assert "hand  G5d HUN S1n" in text
    assert "teal T4n" in text
    assert "black kite (return flight)" in text
    assert text.count("###") == 1
    assert text.index("greedy") < text.index("turn 7") < text.index("you")


def test_columns_stand_below_their_heads() -> None:
    """Cards of a column one below the other, arrivals beside them."""
    lines = MIGRATO.draw(VIEW, 0).splitlines()
    head = next(line for line in lines[lines.index("you: 4 points") :] if "arrived" in line)
    first, second = lines[lines.index("you: 4 points") + 3 :][:2]
    assert head.index("column 2") == first.index("G5d") == second.index("###")
    assert head.index("arrived") == first.index("teal T4n") == second.index("black kite (return flight)")


def test_a_game_on_the_base_is_drawn_as_json() -> None:
    """A member a line; a move with what it says."""
    view = {"state": {"hands": [[3, 4], [None, None]], "trick": []}}
    assert TRICKS.draw(view, 0) == "hands: [[3, 4], [null, null]]\ntrick: []"
    assert TRICKS.describe_move({"type": "play", "card": 3}) == 'play {"card": 3}'
    assert TRICKS.describe_move({"type": "resign"}) == "resign"


TO_1, MOVED, HUNTER = (
    "play K3d to column 1",
    {"type": "move_cards", "from": 1},
    {"type": "danger", "card": "HUN"},
)
MOVES: tuple[tuple[dict[str, Any], str], ...] = (
    ({"type": "play", "card": "K3d", "slot": 1}, TO_1),
    ({"type": "play", "card": "K3d", "slot": None}, "play K3d as a new column"),
    (
        {"type": "play", "card": "K3d", "slot": 1, "on_arrival": "return"},
        f"{TO_1}, on arrival take the return flight",
    ),
    (
        {**MOVED, "index": 2, "to": 3, "uncover": True},
        "move column 1 from card 3 on to column 3 and uncover it",
    ),
    ({**MOVED, "index": 1, "to": None}, "move column 1 from card 2 on as a new column"),
    ({**HUNTER, "target": {"slot": 2}}, "play HUN and take a card from column 2"),
    ({**HUNTER, "target": {"pile": "bee_eater"}}, "play HUN and take a card from the bee eater pile"),
    ({"type": "discard", "card": "S1n"}, "discard S1n"),
    ({"type": "exchange"}, "exchange the whole hand"),
    ({"type": "abandon", "slot": 2}, "abandon column 2"),
    ({"type": "pass"}, "pass"),
)


def test_moves_in_words() -> None:
    """Every kind of legal move reads as a sentence."""
    for move, text in MOVES:
        assert MIGRATO.describe_move(move) == text
