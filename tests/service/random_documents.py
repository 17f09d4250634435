"""Documents of the schemas of requests, drawn at random: fitting ones, and odd ones."""

from typing import Any

from hypothesis import strategies as st
from marshmallow import fields, validate

from service.http.schemas.common.fields import Discriminated, RequestDocument
from service.http.schemas.of_each_game import GAME_SCHEMAS, OfGame, schema_of

WORDS = [
    "G5d", "K3d", "T9n", "HUN", "E07", "E25", "E26", "settle", "return", "grey_goose", "G", "goose", "", "x", "g5d",
]  # fmt: skip
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


def values(field: fields.Field[Any], *, odd: bool) -> st.SearchStrategy[Any]:
    """Values of a member: fitting ones, and where it may be `odd`, sometimes others."""
    fitting: list[st.SearchStrategy[Any]] = []
    match field:
        case fields.List(inner=inner):
            few = st.lists(values(inner, odd=odd), max_size=4)
            fitting = [few, few.flatmap(lambda items: st.sampled_from([items, tuple(items)]))]
        case Discriminated():
            fitting = [documents(field, odd=odd)]
        case fields.Nested(schema=RequestDocument() as schema):
            fitting = [documents(schema, odd=odd)]
        case OfGame(part=part):
            parts = [schema_of(schemas, part) for schemas in GAME_SCHEMAS.values()]
            fitting = [documents(one, odd=odd) for one in parts if isinstance(one, RequestDocument)]
        case fields.Boolean():
            fitting = [st.booleans()]
        case fields.Integer():
            fitting = [st.integers(0, 5)]
        case fields.String():
            fitting = [
                st.sampled_from(["migrato", "migo", "ada", "pl_00000000000000000000", "human", " ", "x" * 64])
            ]
    for rule in field.validators:
        match rule:
            case validate.OneOf(choices=words):
                fitting = [st.sampled_from(list(words))]
            case validate.Equal(comparable=word):
                fitting = [st.just(word)]
            case validate.Regexp(regex=pattern):
                fitting.append(st.from_regex(pattern, fullmatch=True))
    if fitting and not odd:
        return st.one_of(fitting)
    return st.integers(0, 15).flatmap(lambda choice: st.one_of(fitting) if fitting and choice else JUNK)


def documents(shape: RequestDocument | Discriminated, *, odd: bool) -> st.SearchStrategy[Any]:
    """Documents with the members of a schema; where they may be `odd`, now and then with another."""
    if isinstance(shape, Discriminated):
        kinds = [
            st.tuples(st.just({shape.tag: kind}), documents(schema, odd=odd)).map(
                lambda both: both[0] | both[1]
            )
            for kind, schema in shape.kinds.items()
        ]
        return st.one_of(*kinds)
    members = {field.data_key or name: values(field, odd=odd) for name, field in shape.fields.items()}
    required = {field.data_key or name for name, field in shape.fields.items() if field.required}
    whole = st.fixed_dictionaries(
        {name: value for name, value in members.items() if name in required},
        optional={name: value for name, value in members.items() if name not in required},
    )
    if not odd:
        return whole
    others = st.dictionaries(st.sampled_from(["pile", "slot", "card", "game", ""]), JUNK)
    return st.one_of(whole, st.tuples(whole, others).map(lambda both: both[0] | both[1]))
