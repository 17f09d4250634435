"""Bots of every level, asked again for every move of whole games; and searches that were cut off by the clock."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import pytest

from domain.bot import LONGEST
from domain.lifecycle import Json, Seat
from domain.migrato.bots import BOTS
from events.audit.findings import PASSED, Report
from events.audit.verify import verify
from tests.audit.games import ADA, BO, CREATOR, TRUSTED, Table, fault_of, parsed, sound, unhurried
from tests.audit.tamper import parts

# Who plays whom, and how many turns: the strong ones few, for each of their moves takes half a second, and that twice.
PAIRS = (
    ("random", "heuristic", 150),
    ("greedy", "ismcts-easy", 120),
    ("ismcts-easy", "random", 120),
    ("ismcts", "greedy", 14),
    ("heuristic", "ismcts", 8),
    ("ismcts-expert", "ismcts", 4),
    ("greedy", "ismcts-expert", 6),
    ("net", "greedy", 60),
    ("level-7", "level-1", 8),
    ("level-2", "level-3", 40),
    ("level-4", "level-5", 40),
    ("level-6", "careful", 40),
    ("thief", "racer", 40),
)


def played(table: Table, one: str, other: str, turns: int) -> bytes:
    """A game of these bots."""
    return table.finish(table.create(Seat("bot", bot=one), Seat("bot", bot=other), turn_limit=turns))


def again(export: bytes) -> Report:
    return verify(parsed(export), trusted=TRUSTED, bots=True)


def choices(export: bytes) -> list[Json]:
    return [event["data"] for event in parts(export).events if event["type"] == "move_chosen"]


def remarks(report: Report) -> dict[str, str]:
    return {remark.about: remark.detail for remark in report.remarks}


def test_every_move_of_every_level_is_found_again(table: Table) -> None:
    """Hundreds of them, and many that were settled before their budget was spent."""
    asked, early = Counter[str](), Counter[str]()
    for pair in PAIRS:
        export = played(table, *pair)
        report = sound(again(export))
        (bots,) = (checked for checked in report.checks if checked.name == "bots")
        assert (bots.status, bots.count, bots.note) == (PASSED, len(choices(export)), None)
        assert "cut" not in remarks(report)
        for choice in choices(export):
            own = BOTS[choice["bot"]].budget
            asked[choice["bot"]] += 1
            if own is not None and own.iterations is not None:
                early[choice["bot"]] += 0 < choice["budget"]["iterations"] < own.iterations
    assert set(asked) == set(BOTS)
    assert asked.total() > 300
    assert early["ismcts"] > 10
    assert early["ismcts-expert"] > 3


@pytest.fixture
def cut(table: Table) -> bytes:
    """A game in which the clock stops every search after some iterations, long before its bot would have."""
    with unhurried(LONGEST / 7):
        return table.finish(table.create(Seat("bot", bot="ismcts"), Seat("bot", bot="greedy"), turn_limit=8))


def searched(export: bytes) -> list[int]:
    return [done for one in choices(export) if one["budget"] and (done := one["budget"]["iterations"])]


def test_a_search_that_was_cut_by_the_clock_is_found_again_and_told(cut: bytes) -> None:
    """In exactly as many iterations; whether the clock was right nobody can know."""
    counts = searched(cut)
    assert counts
    assert max(counts) < 16  # not even one look at whether the move was settled
    report = sound(again(cut))
    assert f"{len(counts)} searches were cut by the clock" in remarks(report)["cut"]


def test_a_search_that_was_cut_too_soon_is_told(cut: bytes) -> None:
    """By the times of its own game: here all of them, and none where every search took as long as one may."""
    all_of_them = len(searched(cut))
    export = parts(cut)
    assert remarks(again(cut))["cut"].endswith(
        f"; {all_of_them} after less than 5 seconds, by the file's own times"
    )
    began = datetime.fromisoformat(export.events[0]["at"])
    moves = 0
    for event in export.events:
        moves += event["type"] == "move_chosen"
        at = began + timedelta(seconds=LONGEST * moves)
        event["at"] = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    slow = sound(verify(parsed(export.reseal().sign().file), bots=True))
    assert remarks(slow)["cut"].endswith("in as many iterations")


def test_another_move_than_that_of_a_cut_search_is_found(cut: bytes) -> None:
    """The count is believed, the move is not: it must be the one that so many iterations come to."""
    export = parts(cut)
    last = max(
        at
        for at, event in enumerate(export.events)
        if event["type"] == "move_chosen" and (event["data"]["budget"] or {}).get("iterations")
    )
    del export.events[last + 1 :]
    seat = export.events[last]["seat"]
    export.events.append({**export.events[last], "type": "player_resigned", "data": {}})
    ended = {"winner": 1 - seat, "reason": "resigned", "scores": [0, 0]}
    export.events.append({**export.events[last], "type": "game_ended", "seat": None, "data": ended})
    assert fault_of(verify(parsed(export.reseal().sign().file), bots=True)).check == "bots"


def test_more_iterations_than_the_bot_would_have_done_are_found(table: Table) -> None:
    """Within its budget, but after its move was settled."""
    export = parts(played(table, "ismcts", "greedy", 6))
    early = export.first("move_chosen", _is_early)
    early["data"]["budget"]["iterations"] += 1
    wrong = fault_of(again(export.reseal().sign().file))
    assert (wrong.check, wrong.version) == ("bots", early["version"])
    assert "not one that the bot can have used" in wrong.detail


def _is_early(event: Json) -> bool:
    data = event["data"]
    return data["bot"] == "ismcts" and data["budget"]["iterations"] in range(1, 300)


def test_a_hint_that_is_given_again_is_the_same_in_every_number(table: Table) -> None:
    """Also one that was settled early, or cut by the clock: what is recorded of it is enough."""
    for step in (0.0, LONGEST / 40):
        game_id = table.create(ADA, Seat("open"))
        table.application.seats.take(game_id, 1, "bo", None, CREATOR)
        for bot in ("ismcts", "ismcts-easy"):
            first, recorded = _hinted(table, game_id, bot, step)
            second, _ = _hinted(table, game_id, bot, 0.0)
            assert recorded is not None
            assert second.choice == first.choice


def _hinted(table: Table, game_id: str, bot: str, step: float) -> tuple[Any, Json | None]:
    now = table.now(game_id)
    assert now.status.to_act is not None
    with unhurried(step):
        hint = table.application.hints.wanted(game_id, now.status.to_act, bot)
        _, thought = table.application.hints.think(hint)
    table.application.hints.give(hint, thought.budget)
    return thought, thought.budget


def test_a_hint_is_asked_for_again_with_its_number(table: Table) -> None:
    """Settled where the bot settles it, or else cut by the clock; longer than that it cannot have thought."""
    game_id = table.create(ADA, BO, turn_limit=6)
    while table.now(game_id).status.to_act is not None:
        table.hint(game_id, "ismcts")
        table.play(game_id, 1)
    export = table.scored(game_id)
    assert {"cut", "hints"}.isdisjoint(remarks(again(export)))

    def early(event: Json) -> bool:
        return event["data"]["budget"]["iterations"] in range(1, 300)

    version = parts(export).first("hint_given", early)["version"]
    settled = parts(export).first("hint_given", early)["data"]["budget"]["iterations"]
    for number, about, words in (
        (
            settled + 1,
            "hints",
            f"the hint at event {version}: ismcts 1 cannot have done {settled + 1} iterations",
        ),
        (1, "cut", "the search for 1 hint was cut by the clock"),
    ):
        changed = parts(export)
        changed.first("hint_given", early)["data"]["budget"] = {"iterations": number}
        report = again(changed.reseal().sign().file)
        assert report.passed
        assert words in remarks(report)[about]
