"""The checker finds each kind of violation: a history of a real drill is tampered with, once for each."""

from typing import Any

from drills.checker.told import Told
from drills.checker.truth import Truth
from drills.checker.waits import NEVER, Progress, wait_after
from drills.history import DRILL
from tests.drills.histories import Json, Kept, conceals, whole


def is_move(one: Told, truth: Truth) -> bool:
    """A move of somebody who plays over HTTP."""
    return one.do == "move"


def is_running_view(one: Told, truth: Truth) -> bool:
    """A view of a game that runs."""
    return one.do == "look" and 2 < (one.version or 0) < truth.over_from and one.answer["state"] is not None


def hides(one: Told, truth: Truth) -> bool:
    """Events of which something is hidden."""
    return any(event["redacted"] for event in one.events)


def test_an_acknowledged_event_that_is_not_there(kept: Kept) -> None:
    game_id, _ = kept.find(is_move)
    kept.change_export(game_id, lambda lines: lines.pop(-2))
    assert "lost" in kept.rules()


def test_a_game_that_is_gone(kept: Kept) -> None:
    game_id, _ = kept.find(is_move)
    (kept.directory / "exports" / f"{game_id}.ndjson").unlink()
    assert kept.rules() == {"lost"}


def test_another_event_than_was_told(kept: Kept) -> None:
    game_id, one = kept.find(is_move)
    kept.change_answer(game_id, one, lambda answer: answer["events"][0].update(head="00" * 32))
    assert "changed" in kept.rules()


def test_another_move_than_was_posted(kept: Kept) -> None:
    game_id, one = kept.find(is_move)

    def resign(entries: list[Json]) -> None:
        for entry in entries:
            if entry["is"] == "invoke" and (entry["by"], entry["n"]) == (one.by, one.number):
                entry["body"] = {"type": "resign"}

    kept.change(game_id, resign)
    assert kept.rules() == {"changed"}


def test_a_move_that_was_made_twice(kept: Kept) -> None:
    """Somebody's move is in the game, and no answer tells of it."""
    game_id, one = kept.find(is_move)
    kept.change(game_id, lambda entries: _forget_key(entries, one.key))
    assert kept.rules() == {"doubled"}


def _forget_key(entries: list[Json], key: str | None) -> None:
    numbers = {(entry["by"], entry["n"]) for entry in entries if entry.get("key") == key}
    entries[:] = [entry for entry in entries if (entry.get("by"), entry.get("n")) not in numbers]


def test_two_moves_with_one_answer(kept: Kept) -> None:
    game_id, one = kept.find(is_move)
    asked = {
        "by": "other",
        "n": 1,
        "do": "move",
        "seat": one.seat,
        "method": "POST",
        "path": "",
        "attempt": 1,
    }
    kept.add(game_id, **{"is": "invoke"}, **asked, key="another", body=one.body)
    kept.add(game_id, **{"is": "ok"}, by="other", n=1, status=201, answer=one.answer)
    assert kept.rules() == {"doubled"}


def test_a_repeat_with_another_answer(kept: Kept) -> None:
    game_id, one = kept.find(is_move)
    later = next(
        other for other in kept.told(game_id) if other.do == "move" and other.ok and other.key != one.key
    )
    asked = {
        "by": "other",
        "n": 1,
        "do": "move",
        "seat": later.seat,
        "method": "POST",
        "path": "",
        "attempt": 1,
    }
    kept.add(game_id, **{"is": "invoke"}, **asked, key=one.key, body=one.body)
    kept.add(game_id, **{"is": "ok"}, by="other", n=1, status=201, answer=later.answer)
    assert kept.rules() == {"doubled"}


def test_a_version_that_is_missing(kept: Kept) -> None:
    game_id, _ = kept.find(is_move)
    kept.change_export(game_id, lambda lines: lines.pop(3))
    assert kept.rules() == {"gap"}


def test_an_event_that_shows_what_is_hidden(kept: Kept) -> None:
    """The whole event in the place of the one with gaps."""
    game_id, one = kept.find(hides)
    truth = kept.truth(game_id)

    def show(answer: Json) -> None:
        event = next(event for event in answer["events"] if event["redacted"])
        event["data"] = truth.events[event["version"] - 1]["data"]

    kept.change_answer(game_id, one, show)
    assert kept.rules() == {"leak"}


def test_the_salt_of_what_is_hidden(kept: Kept) -> None:
    """With it, the hidden cards could be found by trying."""
    game_id, one = kept.find(hides)

    def show(answer: Json) -> None:
        next(event for event in answer["events"] if event["redacted"])["salt"] = "00" * 32

    kept.change_answer(game_id, one, show)
    assert kept.rules() == {"leak"}


def test_a_view_that_shows_what_is_hidden(kept: Kept) -> None:
    game_id, one = kept.find(lambda one, truth: is_running_view(one, truth) and conceals(one, truth))
    shown = whole(one, kept.truth(game_id))
    kept.change_answer(game_id, one, lambda answer: answer.update(state=shown))
    assert kept.rules() == {"leak"}


def test_a_seed_that_is_shown_too_early(kept: Kept) -> None:
    game_id, one = kept.find(is_running_view)
    kept.change_answer(game_id, one, lambda answer: answer["fairness"].update(server_seed="00" * 32))
    assert kept.rules() == {"leak"}


def test_a_view_of_another_version(kept: Kept) -> None:
    game_id, one = kept.find(is_running_view)
    kept.change_answer(game_id, one, lambda answer: answer.update(turn=answer["turn"] + 1))
    assert kept.rules() == {"view"}


def test_a_game_that_does_not_end(kept: Kept) -> None:
    game_id, _ = kept.find(is_move)
    kept.change_export(game_id, lambda lines: lines[0].update(complete=False))
    assert kept.rules() == {"unfinished"}


def test_a_game_that_stands_still_after_a_fault(kept: Kept) -> None:
    game_id, one = kept.find(is_move)
    later = 1000.0

    def stand_still(entries: list[Json]) -> None:
        for entry in entries:
            if entry["at"] > one.at:
                entry["at"] += later

    kept.change(game_id, stand_still)
    kept.change(DRILL, lambda entries: entries.append(fault(one.at, one.at)))
    assert kept.rules() == {"stalled"}
    assert kept.rules(2 * later) == set()


def fault(healed: float, until: float, **more: Any) -> Json:
    """A fault that was over at that time."""
    entry = {"is": "fault", "at": until, "number": 10_000, "name": "test", "detail": "", "kills": 0}
    return {
        **entry,
        "began": healed,
        "healed": healed,
        "until": until,
        "loses": False,
        "games": 1,
        "ready": None,
        **more,
    }


def test_a_request_that_is_refused(kept: Kept) -> None:
    game_id, one = kept.find(is_move)
    asked = {
        "by": "other",
        "n": 1,
        "do": "move",
        "seat": one.seat,
        "method": "POST",
        "path": "",
        "attempt": 1,
    }
    kept.add(game_id, **{"is": "invoke"}, **asked, key="another", body=one.body)
    kept.add(game_id, **{"is": "fail"}, by="other", n=1, status=409, answer={"detail": "No."})
    assert kept.rules() == {"refused"}


def test_an_internal_error(kept: Kept) -> None:
    """Even if the next attempt succeeded."""
    kept.add(kept.games()[0], **{"is": "info"}, by="other", n=1, why="500")
    assert kept.rules() == {"failed"}


def test_what_the_drill_itself_found(kept: Kept) -> None:
    """Requests that nobody answered, and what fsck and verify say."""
    for rule in ("unanswered", "fsck", "verify"):
        kept.add(DRILL, **{"is": "finding"}, rule=rule, detail="")
    assert kept.rules() == {"unanswered", "fsck", "verify"}


def lose(kept: Kept) -> tuple[str, Told]:
    """A client was told, before a fault that may lose, of an event that is not there any more."""
    game_id, one = kept.find(lambda one, truth: one.do == "events" and len(one.events) > 1)

    def forge(answer: Json) -> None:
        for event in answer["events"]:
            event["head"] = "00" * 32

    kept.change_answer(game_id, one, forge)
    return game_id, one


def test_a_loss_that_is_allowed_is_counted(kept: Kept) -> None:
    """Where the end of the file was cut off, and the client has noticed by the heads that it kept."""
    game_id, one = lose(kept)
    assert "changed" in kept.rules()
    kept.change(DRILL, lambda entries: entries.append(fault(one.at, one.at + 0.0001, loses=True)))
    assert kept.rules() == {"unnoticed"}
    kept.add(game_id, **{"is": "regressed"}, by=one.by, seat=one.seat, version=1)
    verdict = kept.check()
    assert verdict.violations == []
    assert (verdict.lost_events, verdict.lost_games) == (len(one.events), 1)


def test_a_view_that_was_lost_in_a_game_that_goes_on(kept: Kept) -> None:
    """Also where others are told of what came in its place before the fault counts as over."""
    game_id, one = kept.find(
        lambda one, truth: one.do == "look" and one.view is not None and (one.version or 0) > 10
    )

    def forge(answer: Json) -> None:
        answer["state"]["phase"] = "another"

    kept.change_answer(game_id, one, forge)
    assert "view" in kept.rules()
    end = 1 + max(told.at for told in kept.told(game_id))
    began = min(told.at for told in kept.told(game_id))
    kept.change(DRILL, lambda entries: entries.append(fault(began, end, loses=True)))
    assert "view" not in kept.rules()


def test_a_loss_takes_nothing_but_the_end(kept: Kept) -> None:
    """Events in the middle of what had been told before are not excused by it."""
    game_id, one = lose(kept)
    kept.add(game_id, **{"is": "regressed"}, by=one.by, seat=one.seat, version=1)
    end = 1 + max(one.at for one in kept.told(game_id))
    kept.change(DRILL, lambda entries: entries.append(fault(end, end, loses=True)))
    assert kept.rules() == {"changed"}


def test_a_game_that_is_gone_by_a_loss(kept: Kept) -> None:
    """One that came after all that anybody was told of it; a loss before that took something, but not the game."""
    game_id, one = kept.find(is_move)
    (kept.directory / "exports" / f"{game_id}.ndjson").unlink()
    kept.add(game_id, **{"is": "abandoned"}, by=one.by)
    for at, rules in ((one.at, {"lost"}), (1 + max(one.at for one in kept.told(game_id)), set[str]())):
        kept.change(DRILL, lambda entries, at=at: entries.append(fault(at, at, loses=True)))  # type: ignore[misc]
        assert kept.rules() == rules


def test_how_long_a_game_stood_still() -> None:
    """From the end of the fault to the first version beyond all that were known."""
    game = Progress(((1.0, 3), (2.0, 4), (6.0, 4), (7.5, 5), (9.0, 9)), over=9.0)
    assert wait_after(game, fault(3.0, 3.0)) == 4.5
    assert wait_after(game, fault(9.5, 9.5)) is None
    assert wait_after(game, fault(0.5, 0.5)) is None
    standing = Progress(((1.0, 3), (6.0, 3)), over=NEVER)
    assert wait_after(standing, fault(3.0, 3.0)) == NEVER
    shorter = Progress(((1.0, 30), (6.0, 20), (7.0, 21)), over=NEVER)
    assert wait_after(shorter, fault(3.0, 3.0, loses=True)) == 4.0
