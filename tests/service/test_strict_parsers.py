"""A game whose parser is strict has its moves checked once: what the parser takes, the schema would have taken."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marshmallow import ValidationError, fields, validate

from domain.errors import DomainError
from domain.registry import GAMES
from service.http.schemas.fields import RequestDocument
from service.http.schemas.registry import GAME_SCHEMAS, move_of, moves_of

Json = dict[str, Any]
STRICT = [name for name, schemas in GAME_SCHEMAS.items() if schemas.parser_is_strict]
WORDS = [
    "G5d",
    "K3d",
    "T9n",
    "HUN",
    "E07",
    "E25",
    "E26",
    "settle",
    "return",
    "grey_goose",
    "G",
    "goose",
    "",
    "x",
    "g5d",
]
JUNK: st.SearchStrategy[Any] = (
    st.none()
    | st.booleans()
    | st.integers(-2, 7)
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from([*WORDS, True, 1.0, "1"])
    | st.just([])
    | st.just({})
)


def value_of(field: fields.Field[Any]) -> st.SearchStrategy[Any]:
    """Values of a posted member: mostly fitting ones."""
    fitting: list[st.SearchStrategy[Any]] = []
    match field:
        case fields.Nested(schema=RequestDocument() as schema):
            fitting = [document_of(schema)]
        case fields.Boolean():
            fitting = [st.booleans()]
        case fields.Integer():
            fitting = [st.integers(0, 5)]
    for rule in field.validators:
        match rule:
            case validate.OneOf(choices=words):
                fitting.append(st.sampled_from(list(words)))
            case validate.Equal(comparable=word):
                fitting.append(st.just(word))
            case validate.Regexp(regex=pattern):
                fitting.append(st.from_regex(pattern, fullmatch=True))
    return st.integers(0, 9).flatmap(lambda choice: st.one_of(fitting) if fitting and choice else JUNK)


def document_of(schema: RequestDocument) -> st.SearchStrategy[Json]:
    """Documents with the members of a schema, with some of them missing, and now and then with another."""
    members = {field.data_key or name: value_of(field) for name, field in schema.fields.items()}
    required = {field.data_key or name for name, field in schema.fields.items() if field.required}
    whole = st.fixed_dictionaries(
        {name: value for name, value in members.items() if name in required},
        optional={name: value for name, value in members.items() if name not in required},
    )
    parts = st.fixed_dictionaries({}, optional=members)
    odd = st.tuples(
        whole, st.dictionaries(st.sampled_from(["pile", "slot", "card", "colour", ""]), JUNK)
    ).map(lambda both: both[0] | both[1])
    return st.one_of(whole, whole, whole, parts, odd)


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
    """Those that are played most."""
    assert {"migrato", "migo"} <= set(STRICT)


@pytest.mark.parametrize(("game", "kind"), [(game, kind) for game in STRICT for kind in moves_of(game)])
def test_the_schema_takes_all_that_the_parser_takes(game: str, kind: str) -> None:
    """And reads as the same document; what it does not take, it refuses as a parser does."""
    shape, verdicts = move_of(game), set[bool]()

    @settings(max_examples=100, deadline=None)
    @given(document_of(shape.kinds[kind]))
    def holds(members: Json) -> None:
        document = {"type": kind} | members
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
    """They are left to the schema's messages."""
    shape = move_of(game)
    bodies: list[Any] = [None, [], "play", 7, {}, {"type": None}, {"type": ["play"]}, {"type": "fly"}]
    for body in bodies:
        assert shape.cleared(body) is None
        with pytest.raises(ValidationError):
            shape.load(body)
