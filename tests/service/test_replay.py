"""The replay of a game: its steps, its pages, and the viewers for whom it is shown."""

from itertools import pairwise
from typing import Any

import pytest

from tests.service.table import FIRST_MOVE, SECOND_MOVE, Json, Table, code_of, json_of


@pytest.fixture
def open_table(public: Table) -> Table:
    """A public game of two people on a known deck, two moves on."""
    public.move(0, FIRST_MOVE)
    public.move(1, SECOND_MOVE)
    return public


def items(table: Table, query: str = "", seat: int | None = None) -> list[Json]:
    """All steps, page after page."""
    found: list[Json] = []
    after, version = 0, 1
    while after < version:
        page = json_of(table.get(f"/replay?after={after}{query}", seat))
        found += page["items"]
        after, version = page["next"], page["version"]
    return found


def test_steps_end_where_somebody_decides(open_table: Table) -> None:
    """A play and the discard sent with it are two, a draw goes with what made it necessary."""
    open_table.finish()
    told = [
        (item["version"], item["seat"], [e["type"] for e in item["events"]]) for item in items(open_table)
    ]
    assert told == [
        (2, None, ["game_created", "game_started"]),
        (3, 0, ["bird_played"]),
        (5, 0, ["card_discarded", "cards_drawn"]),
        (6, 1, ["bird_played"]),
        (8, 1, ["card_discarded", "cards_drawn"]),
        (10, 0, ["player_resigned", "game_ended"]),
        (11, None, ["game_scored"]),
    ]


def test_each_view_is_the_one_of_that_time(open_table: Table) -> None:
    """The same as with `version`; the events as they were seen, with notation."""
    for seat in (None, 0, 1, None):
        for item in items(open_table, seat=seat):
            version = item["version"]
            assert item["view"] == json_of(open_table.get(f"?version={version}", seat))
            then = json_of(open_table.get(f"/events?version={version}", seat))["events"]
            for event in item["events"]:
                assert event.pop("notation")
            assert item["events"] == then[-len(item["events"]) :]
            assert item["at"] == then[-1]["at"]
        if seat == 1:
            open_table.finish()


def test_pages_of_any_size_say_the_same(open_table: Table) -> None:
    """The game may be cut anywhere, also amid a step."""
    open_table.finish()
    whole = items(open_table)
    for limit in (1, 2, 3, 100):
        assert items(open_table, f"&limit={limit}") == whole
    rest = json_of(open_table.get("/replay?after=4"))["items"][0]
    assert (rest["version"], [event["type"] for event in rest["events"]]) == (5, ["cards_drawn"])
    assert json_of(open_table.get("/replay?after=11")) == {"items": [], "next": 11, "version": 11}


def test_with_the_eyes_of_a_seat_or_of_all(open_table: Table) -> None:
    """Once the game is over; before, a seat's own."""
    own = items(open_table, "&seat=1", 1)
    for seat in ("0", "all"):
        assert code_of(open_table.get(f"/replay?seat={seat}", 1)) == (403, "forbidden")
    assert code_of(open_table.get("/replay?seat=1")) == (403, "forbidden")
    open_table.finish()
    assert items(open_table, "&seat=1")[: len(own)] == own
    everything = items(open_table, "&seat=all")
    assert all(event["redacted"] == [] for item in everything for event in item["events"])
    assert all(side["hand"] for side in everything[1]["view"]["state"]["players"])
    assert everything[2]["events"][1]["notation"] == "seat 0 draws G4d K4d"
    assert items(open_table)[2]["events"][1]["notation"] == "seat 0 draws ? ?"


def test_entity_tags(open_table: Table) -> None:
    """Entity tags differ by viewer and version, and can be sent as conditions."""
    tags = [open_table.get("/replay", seat).headers["ETag"] for seat in (None, 0, 1)]
    open_table.finish()
    tags += [open_table.get("/replay", seat).headers["ETag"] for seat in (None, 0, 1)]
    tags.append(open_table.get("/replay?seat=all").headers["ETag"])
    assert len(set(tags)) == 7
    assert open_table.get("/replay", 0, If_None_Match=tags[4]).status_code == 304
    assert open_table.get("/replay", 0, If_None_Match=tags[5]).status_code == 200


@pytest.mark.plain
def test_a_page_costs_what_it_holds(open_table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next page goes on where the last one ended: no event is folded twice."""
    open_table.finish()
    game = open_table.application.views.snapshot(open_table.id).game
    folded: list[object] = []
    real = type(game).evolve

    def counted(self: Any, state: Any, event: Any) -> Any:
        folded.append(event)
        return real(self, state, event)

    monkeypatch.setattr(type(game), "evolve", counted)
    whole = items(open_table, "&limit=2")
    assert len(folded) == 11
    assert all(one["version"] < other["version"] for one, other in pairwise(whole))
