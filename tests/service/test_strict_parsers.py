"""A game whose parser is strict has its moves checked once: what the parser takes, the schema would have taken."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marshmallow import ValidationError

from domain.errors import DomainError
from domain.registry import GAMES
from service.http.schemas.of_each_game import GAME_SCHEMAS, move_of, moves_of
from tests.service.random_documents import documents
from tests.service.table import Json

STRICT = [name for name, schemas in GAME_SCHEMAS.items() if schemas.parser_is_strict]


def is_taken(game: str, document: Json) -> bool:
    """True if the game's parser takes it; however bad it is, that is all it says."""
    try:
        GAMES[game].parse_move(document)
    except DomainError as error:
        if error.code == "validation-error":
            return False
        raise
    return True


def test_the_games_with_strict_parsers() -> None:
    """The games with strict parsers are those that are played most."""
    assert {"migrato", "migo"} <= set(STRICT)


@pytest.mark.parametrize(("game", "kind"), [(game, kind) for game in STRICT for kind in moves_of(game)])
def test_the_schema_takes_all_that_the_parser_takes(game: str, kind: str) -> None:
    """Both read the same document; the schema refuses all else as a parser does."""
    shape, verdicts = move_of(game), set[bool]()
    schema = shape.kinds[kind]
    names = [field.data_key or name for name, field in schema.fields.items()]
    moves = documents(schema, odd=True) | documents(schema, odd=False)

    @settings(max_examples=40, deadline=None)
    @given(moves, st.sampled_from(["", *names, ""]))
    def holds(members: Json, left_out: str) -> None:
        document = {"type": kind} | {name: value for name, value in members.items() if name != left_out}
        cleared = shape.cleared(document)
        taken = is_taken(game, cleared or document)
        verdicts.add(taken)
        assert not taken or shape.load(document) == cleared
        if is_taken(game, document):  # with nulls in it
            assert cleared is not None
            assert GAMES[game].parse_move(document) == GAMES[game].parse_move(cleared)

    holds()
    assert verdicts == {True, False}


def test_a_null_that_no_schema_knows_is_not_taken() -> None:
    """Only for members that may be left out null means nothing."""
    for target in ({"pile": "brant_goose", "card": None}, {"slot": 1, "": None}):
        assert not is_taken("migrato", {"type": "danger", "card": "HUN", "target": target})


@pytest.mark.parametrize("game", STRICT)
def test_bodies_that_are_no_move_at_all(game: str) -> None:
    """Bodies that are no move at all are left to the schema, which has the messages."""
    shape = move_of(game)
    bodies: list[Any] = [None, [], "play", 7, {}, {"type": None}, {"type": ["play"]}, {"type": "fly"}]
    for body in bodies:
        assert shape.cleared(body) is None
        with pytest.raises(ValidationError):
            shape.load(body)
