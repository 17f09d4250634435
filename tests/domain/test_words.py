"""Words of events and moves: each kind of both games has them, in each language of the page."""

from string import Formatter
from types import ModuleType

import pytest

from domain.game import Game
from domain.lifecycle import EventRecord, Json
from domain.migo import notation as of_migo
from domain.migo import words as migo_words
from domain.migo.game import MIGO
from domain.migrato import notation as of_migrato
from domain.migrato import words as migrato_words
from domain.migrato.game import MIGRATO
from domain.words import common
from domain.words.languages import LANGUAGES, Words
from service.http.schemas.of_each_game import GAME_SCHEMAS, event_schemas, moves_of
from tests.domain.test_drawing import MOVES as OF_MIGRATO

MODULES = (common, migo_words, migrato_words)


def sentences() -> dict[str, Words]:
    """All sentences, by where they stand."""
    found: dict[str, Words] = {}
    for module in MODULES:
        for name, value in vars(module).items():
            rows = value.items() if isinstance(value, dict) else [("", value)]
            found |= {f"{module.__name__}.{name}.{key}": row for key, row in rows if isinstance(row, Words)}
    return found


def names_in(template: str) -> list[str]:
    """The names of values that stand in a sentence."""
    return sorted({name for _, name, _, _ in Formatter().parse(template) if name is not None})


def test_sentences_speak_of_the_same_in_each_language() -> None:
    """No value is forgotten, none is made up, and no sentence is left in another language."""
    assert len(sentences()) > 80
    for where, row in sentences().items():
        assert len({tuple(names_in(text)) for text in row}) == 1, where
        spoken = [
            text for text in row if any(literal.strip(" ,:()") for literal, *_ in Formatter().parse(text))
        ]
        assert len(set(spoken)) > 1, where


@pytest.mark.parametrize(
    ("game", "notation", "words"), [(MIGRATO, of_migrato, migrato_words), (MIGO, of_migo, migo_words)]
)
def test_every_kind_of_event_and_reason_has_words(
    game: Game, notation: ModuleType, words: ModuleType
) -> None:
    """Those that every game may record, and the game's own."""
    assert set(event_schemas(game.name)) == {*notation._EVENTS, *common._SAID}
    assert set(GAME_SCHEMAS[game.name].reasons) == {*words.REASONS, *common.REASONS}


MOVES: dict[str, tuple[Json, ...]] = {
    "migrato": (*(move for move, _ in OF_MIGRATO), {"type": "resign"}),
    "migo": ({"type": "take", "place": 3, "flip": "E02", "drink": True}, {"type": "resign"}),
}


@pytest.mark.parametrize("game", [MIGRATO, MIGO])
def test_every_kind_of_move_has_words(game: Game) -> None:
    """Another sentence in each language, for each kind of move that can be posted."""
    moves = MOVES[game.name]
    assert {move["type"] for move in moves} == set(moves_of(game.name))
    for move in moves:
        assert len({game.describe_move(move, None, language) for language in LANGUAGES}) >= 3, move


def test_a_line_in_each_language() -> None:
    """Cards are called by their faces; what is hidden is a question mark; another language is English."""
    played = EventRecord("bird_played", 1, 0, {"card": None, "slot": 2})
    assert [MIGRATO.notation(played, language) for language in (*LANGUAGES, "xx")] == [
        "seat 0 plays ? to column 2",
        "place 0 joue ? dans la colonne 2",
        "Platz 0 spielt ? in Reihe 2",
        "posto 0 gioca ? nella colonna 2",
        "seat 0 plays ? to column 2",
    ]
    shared = EventRecord("game_scored", 1, None, {"places": [1, 1, 3]})
    assert [MIGO.notation(shared, language) for language in ("en", "de")] == [
        "the result is confirmed: seats 0 and 1 share the first place",
        "das Ergebnis ist bestätigt: die Plätze 0 und 1 teilen sich den ersten Rang",
    ]
