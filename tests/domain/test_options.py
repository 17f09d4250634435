"""The table of a game's options, where a game that exists has no such row."""

import pytest

from domain.errors import DomainError
from domain.options import Option, chosen, rated_options, recorded, written

TABLE = (
    Option("wind", "flag", default=False, unrated=3, added=True),
    Option("starter", "seat", default=0, unrated=2),
    Option("limit", "int", minimum=1, maximum=9, unrated=1),
    Option("follows", "follows"),
)
USUAL = {"wind": False, "starter": 0, "limit": None, "follows": 7}


def test_an_added_option_stands_in_first_events_only_with_another_value() -> None:
    """A first event without it means the default, so games recorded before it are read; both ways are inverse."""
    former = {"starter": 0, "limit": None, "follows": 7}
    assert written(TABLE, USUAL.__getitem__) == former
    assert recorded(TABLE, former) == USUAL
    windy = USUAL | {"wind": True}
    assert written(TABLE, windy.__getitem__) == windy == recorded(TABLE, windy)
    with pytest.raises(KeyError):
        recorded(TABLE, {"wind": True})


def test_rated_options_are_told_in_their_order() -> None:
    """The seat that starts is drawn; an added option is compared as first events have it, absent by default."""
    rated = rated_options(TABLE, written(TABLE, USUAL.__getitem__))
    assert list(rated.items()) == [("limit", None), ("starter", "random"), ("wind", None)]


def test_a_value_is_checked_by_its_kind() -> None:
    assert chosen(TABLE, {"limit": 9, "starter": "random"}, 2, {}) == {
        "wind": False,
        "starter": "random",
        "limit": 9,
    }
    for name, value in (
        ("wind", 0),
        ("starter", 2),
        ("starter", True),
        ("limit", 10),
        ("limit", True),
        ("sun", 1),
    ):
        with pytest.raises(DomainError) as refused:
            chosen(TABLE, {name: value}, 2, {})
        assert [*refused.value.data["errors"]] == [f"options.{name}"]
