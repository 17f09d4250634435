"""The reconstructed card table and the layouts, as section 1 and 2 of the rules describe them."""

from collections import Counter
from itertools import pairwise
from typing import Any

from domain.migo.rules.cards import CARD_TABLES, CARDS, FACE, IDS, KINDS, NAME
from domain.migo.rules.layouts import LAYOUTS, layout_of
from domain.migo.rules.options import options_document, options_from, resolve
from tests.domain.table import refusal

STANDARD = CARD_TABLES["standard"]
SHOWN = [(KINDS[kind], count) for kind, count in zip(STANDARD.kinds, STANDARD.counts, strict=True)]
FRONTS, BACKS = SHOWN[::2], SHOWN[1::2]


def test_the_faces_are_those_of_the_rules() -> None:
    """25 cards: 7 hats, 3 bottles, 4 sherpas, and of each other kind six single faces and three double ones.

    No card has one kind on both faces; sherpas are on backs, and no bottle is before one.
    """
    assert (len(IDS), IDS[0], IDS[-1], len(NAME)) == (25, "E01", "E25", 50)
    assert [NAME[FACE["E07a"]], NAME[FACE["E07b"]]] == ["E07a", "E07b"]
    gear = {(kind, count): number for kind in KINDS[:4] for count, number in ((1, 6), (2, 3))}
    assert Counter(SHOWN) == {("hat", 1): 7, ("bottle", 1): 3, ("sherpa", 0): 4, **gear}
    assert all(front[0] != back[0] for front, back in zip(FRONTS, BACKS, strict=True))
    assert "sherpa" not in {kind for kind, _ in FRONTS}
    assert all(front[0] != "bottle" for front, back in zip(FRONTS, BACKS, strict=True) if back[0] == "sherpa")


def test_layouts() -> None:
    """Their shapes, and what can be taken at the start. A card of a row lies over the gap between two of the row above;
    in a rope each lies over the one before.
    """
    shapes: dict[tuple[str, str], tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]] = {
        ("ropes", "small"): (((6, 5, 4, 3),), (5, 10, 14, 17)),
        ("ropes", "large"): (((7, 6, 5, 4, 3),), (6, 12, 17, 21, 24)),
        ("pyramid", "small"): (((6, 5, 4, 3),), (15, 16, 17)),
        ("pyramid", "large"): (((7, 6, 5, 4, 3),), (22, 23, 24)),
        ("pyramids", "small"): (((3, 2, 1), (3, 2, 1), (3, 2, 1)), (5, 11, 17)),
        ("pyramids", "large"): (((4, 3, 2), (3, 2, 1), (4, 3, 2)), (7, 8, 14, 22, 23)),
    }
    for (name, size), (groups, start) in shapes.items():
        layout = layout_of(name, size)
        assert (layout.groups, layout.start) == (groups, start)
        assert layout.size == sum(sum(group) for group in layout.groups)
    assert tuple(dict.fromkeys(name for name, _ in shapes)) == LAYOUTS
    pyramid, ropes = layout_of("pyramid", "small"), layout_of("ropes", "small")
    assert pyramid.covers[:7] == ((6,), (6, 7), (7, 8), (8, 9), (9, 10), (10,), (11,))
    assert ropes.covers[:7] == ((1,), (2,), (3,), (4,), (5,), (), (7,))
    assert all(one < two for one, two in pairwise(pyramid.start))


def test_options_are_resolved_once() -> None:
    """Options as they stand in the first event can be posted again, and is read back the same."""
    for seats in (2, 3, 4):
        options = resolve({"first_seat": seats - 1, "turn_limit": 9, "layout_size": "large"}, seats)
        document = options_document(options)
        assert options_from(document) == options == resolve(document, seats)
        assert document["card_table"]["E22"]["b"] == {"kind": "sherpa", "count": 0}


def refused(options: Any) -> tuple[str, list[str]]:
    """The code, and the members that are wrong."""
    why = refusal(resolve, options, 2)
    return why.code, list(why.data["errors"])


def test_wrong_options_are_refused_by_name() -> None:
    wrong: dict[str, tuple[Any, ...]] = {
        "rules": ("digital",),
        "layout_size": ("huge",),
        "first_seat": (2, True, "youngest"),
        "round4_layout": (["ropes"],),
        "turn_limit": (0, 1.0),
        "card_table": ("other", {}),
    }
    for name, values in wrong.items():
        for value in values:
            assert refused({name: value}) == ("validation-error", [f"options.{name}"]), value


def test_card_tables_that_cannot_be() -> None:
    """A climber on every front; pieces on climbers, none on sherpas."""
    document = options_document(resolve({}, 2))["card_table"]
    wrong: tuple[tuple[str, Any, str], ...] = (
        ("a", {"kind": "sherpa", "count": 0}, "a.kind"),
        ("b", {"kind": "sherpa", "count": 1}, "b.count"),
        ("b", {"kind": "rope", "count": 0}, "b.count"),
        ("b", {"kind": "rope"}, "b"),
        ("b", {"kind": [], "count": 1}, "b.kind"),
    )
    for face, shown, field in wrong:
        cards = {**document, "E03": {**document["E03"], face: shown}}
        assert refused({"card_table": cards})[1] == [f"options.card_table.E03.{field}"], shown


def test_a_card_table_is_replaced() -> None:
    """One option replaces the card table, as data."""
    document = options_document(resolve({}, 2))["card_table"]
    cards = {**document, "E03": {"a": {"kind": "hat", "count": 2}, "b": {"kind": "bottle", "count": 1}}}
    table = resolve({"card_table": cards}, 2).card_table
    assert [(KINDS[table.kinds[face]], table.counts[face]) for face in (4, 5)] == [("hat", 2), ("bottle", 1)]
    assert len(table.kinds) == 2 * CARDS
