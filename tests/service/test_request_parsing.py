"""Reading requests: entity tags, tokens, bodies, seen from close by."""

import json
from collections.abc import Callable
from functools import partial

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.http.call import CALL, Call
from service.http.problems import Problem
from service.http.request_parsing import (
    DEEP,
    EntityTags,
    _each_name_once,
    bearer_token,
    entity_tags,
    flat,
    parse_json,
)


def tags_of(header: str) -> EntityTags | None:
    """The tags of an If-Match header."""
    CALL.set(Call({"HTTP_IF_MATCH": header}))
    return entity_tags("If-Match")


def refusal(read: Callable[[], object]) -> Problem | None:
    """The refusal of reading, if there was one; anything else that is raised is a crash."""
    try:
        read()
    except Problem as problem:
        return problem
    return None


@pytest.mark.parametrize(
    ("header", "strong", "all_"),
    [
        ('"9"', (9,), (9,)),
        ('W/"9"', (), (9,)),
        ('"9", W/"10", "11"', (9, 11), (9, 10, 11)),
        (' "9" ,,"10",', (9, 10), (9, 10)),
        ('"9,10"', (-1,), (-1,)),
        ('"0", "00"', (0, -1), (0, -1)),
        ('"1000000000000000"', (-1,), (-1,)),
        ('"turn_version=9"', (-1,), (-1,)),
    ],
)
def test_entity_tags(header: str, strong: tuple[int, ...], all_: tuple[int, ...]) -> None:
    """RFC 9110, 8.8.3 and 13.1: lists, weak tags, commas within tags; what is no version matches none."""
    tags = tags_of(header)
    assert tags is not None
    assert (tags.anything, tags.strong, tags.all) == (False, strong, all_)


def test_tags_of_positions() -> None:
    """Strong tags with a number of their own kind; a version is none of them, nor they versions."""
    tags = tags_of('"9", "turn_version=7", W/"turn_version=6", "turn_version=05", "turn_version=0"')
    assert tags is not None
    assert tags.turns == (7, 0)


def test_no_entity_tags() -> None:
    """Without the header there is no condition; `*` is any version."""
    CALL.set(Call({}))
    assert entity_tags("If-Match") is None
    assert tags_of("*") == EntityTags(True, (), ())


@given(st.text(st.characters(min_codepoint=32, max_codepoint=255, exclude_characters="\x7f"), max_size=40))
def test_any_entity_tags(header: str) -> None:
    """Whatever stands there is either understood or refused by name, quickly."""
    problem = refusal(lambda: tags_of(header))
    assert problem is None or list(problem.members["errors"]) == ["If-Match"]


def test_a_list_of_many_tags_is_read_in_one_go() -> None:
    """No backtracking: a long list costs as much as it is long."""
    with pytest.raises(Problem):
        tags_of('"1" ,' * 50_000 + '"')


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_is_not_case_sensitive(scheme: str) -> None:
    """The name of the scheme may be in any case (RFC 9110, 11.1)."""
    CALL.set(Call({"HTTP_AUTHORIZATION": f"{scheme}  token "}))
    assert bearer_token() == "token"


LEAVES = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text()


@given(st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20))
def test_any_json_is_read(document: object) -> None:
    """Any JSON is read, and nothing in it changes."""
    assert parse_json(orjson.dumps(document)) == document


@given(st.binary(max_size=60))
def test_anything_else_is_refused(raw: bytes) -> None:
    """Any bytes are read, or refused with the code `malformed-json`; nothing crashes."""
    problem = refusal(lambda: parse_json(raw))
    assert problem is None or problem.code == "malformed-json"


def test_messages_are_flattened() -> None:
    """Names of fields in fields are joined by dots; what concerns the whole has the name of the whole."""
    nested = {"seats": {0: {"kind": ["a"]}, "_schema": ["b"]}, "_schema": ["c"]}
    assert flat(nested, "body") == {"seats.0.kind": ["a"], "seats": ["b"], "body": ["c"]}


_JSON = st.recursive(
    st.sampled_from(["1", '"a"', '"a:b"', "null", '"{:"', '"\\":"', '""', '"\\u003a"']),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: f"[{','.join(parts)}]"),
        st.lists(st.tuples(st.sampled_from('ab:"'), inner), max_size=3).map(
            lambda pairs: (
                "{" + ",".join(f"{orjson.dumps(name).decode()}:{part}" for name, part in pairs) + "}"
            )
        ),
    ),
    max_leaves=12,
)


def names_twice(raw: str) -> bool:
    """True if some object has a name twice."""
    twice = []

    def look(pairs: list[tuple[str, object]]) -> None:
        twice.extend(pairs if len({name for name, _ in pairs}) < len(pairs) else [])

    json.loads(raw, object_pairs_hook=look)
    return bool(twice)


@given(_JSON)
def test_a_name_given_twice_is_always_found(raw: str) -> None:
    """Whatever colons stand in texts; and nothing else is refused."""
    problem = refusal(lambda: parse_json(raw.encode()))
    assert (problem is not None) == names_twice(raw)


@pytest.mark.parametrize("depth", [1, 14, 15, 16, 17, 200])
def test_a_name_given_twice_is_found_at_any_depth(depth: int) -> None:
    """A document in which no name is twice is taken, unless it is nested deeper than any of the API."""
    for inner, is_refused in (('{"x":1,"x":2}', True), ('{"x":1,"y":2}', 2 * depth + 1 >= DEEP)):
        raw = '{"a":[' * depth + inner + "]}" * depth
        assert (refusal(partial(parse_json, raw.encode())) is not None) == is_refused


def test_a_name_given_twice_among_very_many_is_found_in_one_go() -> None:
    """Names are counted once, not each against all others: a body of the largest size takes no longer than it must."""
    looks = 0

    class Noticed(str):
        def __eq__(self, other: object) -> bool:
            nonlocal looks
            looks += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    names = [Noticed(f"n{number}") for number in range(2000)]
    with pytest.raises(ValueError, match="the name 'n1999' stands twice"):
        _each_name_once([(name, 0) for name in [*names, Noticed("n1999")]])
    assert looks < 10 * len(names)
