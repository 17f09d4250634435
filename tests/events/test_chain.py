"""The audit chain: its definition held by vectors, its canonical form by the library that implements the RFC."""

from typing import Any

import pytest
import rfc8785
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from domain.lifecycle import EventRecord
from events.log import chain, leaves
from events.log.envelope import EMPTY, StreamHead, seal

SEED = bytes(range(32))
GAME = "abcdefghijklmnopqrstuv"
AT = "2026-11-21T10:00:00.123Z"
WIRES = [
    EventRecord("game_created", 1, None, {"id": GAME, "seats": [{"player": "Ada \u20ac\u0001\U0001f426"}]}),
    EventRecord("bird_played", 1, 0, {"slot": None, "card": "G5d"}),
]

OTHERS: list[dict[str, Any]] = [{"data": {}}, {"schema": 2}, {"seat": 0}, {"type": "x"}]

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(codec="ascii")), inner, max_size=4)
    ),
    max_leaves=20,
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.text(st.characters(codec="ascii")), plain))
def test_canonical_form_is_that_of_rfc_8785(document: dict[str, Any]) -> None:
    """For all that events are made of: no floats, and keys in ASCII."""
    assert chain.canonical(document) == rfc8785.dumps(document)


def test_canonical_form_refuses_what_the_rfc_cannot_say() -> None:
    """Integers beyond 53 bits and lone surrogates would read differently elsewhere."""
    for document in ({"n": 2**53}, {"s": "\ud800"}):
        with pytest.raises(TypeError):
            chain.canonical(document)


def test_vectors() -> None:
    """Results to which an auditor's own implementation must come; these never change."""
    first, second = seal(GAME, SEED, EMPTY, AT, "create", WIRES)
    canonical = (
        '{"at":"2026-11-21T10:00:00.123Z",'
        '"data":{"id":"abcdefghijklmnopqrstuv","seats":[{"player":"Ada €\\u0001🐦"}]},'
        '"schema":1,"seat":null,"type":"game_created","version":1}'
    )
    assert first.committed == canonical.encode()
    assert [first.salt, first.commitment, first.head] == [
        "b3d3d026b39e0d710b719312de98dbe88cc9d5c34cbee9293afe1db3b8364017",
        "a31dafa0fa22a028f738461d2bb1db5ec1d8cdac91895c985a88039273e1e969",
        "3bc7501eafec56f496fba928c6bc92f063b5f9909fbc44195f7d40eea7e3d9e2",
    ]
    assert [second.salt, second.commitment, second.head] == [
        "fffc9668007a3d3e78a6286384c6a87151085022a80ddd50788d0b28b500a3fb",
        "37562d0843ba592addd76e2335860786dbe1ecd7be4da9267e2541fe46d2a025",
        "653f5ac612feb0609043a799390562b8c6fe793fb0103a388621115f7df70628",
    ]


def test_sealing_goes_on_from_the_tip() -> None:
    """Two appends make the same chain as one; before the first event it begins with 32 zero bytes."""
    assert StreamHead(0, "00" * 32) == EMPTY
    together = seal(GAME, SEED, EMPTY, AT, "x", WIRES)
    first = seal(GAME, SEED, EMPTY, AT, "x", WIRES[:1])
    assert [*first, *seal(GAME, SEED, first[-1].stream_head, AT, "x", WIRES[1:])] == together


def test_everything_that_counts_changes_the_head() -> None:
    """The game, the seed, the place, the time and every member of the event."""
    usual: dict[str, Any] = {"game_id": GAME, "seed": SEED, "stream_head": EMPTY, "at": AT, "command": "x"}
    usual["records"] = WIRES[:1]
    (event,) = seal(**usual)
    others: list[dict[str, Any]] = [
        {"game_id": "bbcdefghijklmnopqrstuv"},
        {"seed": bytes(32)},
        {"stream_head": EMPTY._replace(version=1)},
        {"stream_head": EMPTY._replace(head="11" * 32)},
        {"at": "2026-11-21T10:00:00.124Z"},
        *({"records": [WIRES[0]._replace(**other)]} for other in OTHERS),
    ]
    for other in others:
        (changed,) = seal(**{**usual, **other})
        assert event.head != changed.head, other


def test_the_command_is_not_committed_to() -> None:
    """The commitment leaves out the command, which is internal and may hold what others should not learn."""
    (one,), (two,) = (seal(GAME, SEED, EMPTY, AT, command, WIRES[:1]) for command in ("one", "two"))
    assert one._replace(command="two") == two


def test_no_salt_is_given_for_a_part_of_a_leaf() -> None:
    """A seat may be shown a part of a member that spectators do not see: with the salt it could guess the rest."""
    whole, salts = {"hands": [["a"], ["b"]]}, chain.Salts(bytes(32), "game")
    (leaf,) = found = leaves.found(salts, 3, whole, {"hands": None}, ["hands"])
    assert leaves.salts_shown(found, {"hands": [["a"], None]}) == {}
    assert leaves.salts_shown(found, {"hands": [["a"], ["b"]]}) == {"/hands": leaf.salt}
