"""The checker finds each kind of violation: the history of a real drill is tampered with, once for each."""

from collections.abc import Callable

import pytest

from drills.checker.told import Told
from drills.checker.truth import Truth
from drills.checker.waits import NEVER, Progress, wait_after
from drills.history import DRILL
from tests.drills.histories import Json, Kept, conceals, fault, whole

Tamper = Callable[[Kept], object]


def is_move(one: Told, truth: Truth) -> bool:
    """A move of somebody who plays over HTTP."""
    return one.do == "move"


def is_running_view(one: Told, truth: Truth) -> bool:
    """A view of a game that runs."""
    return one.do == "look" and 2 < (one.version or 0) < truth.over_from and one.answer["state"] is not None


def hides(one: Told, truth: Truth) -> bool:
    """Events of which something is hidden."""
    return any(event["redacted"] for event in one.events)


def test_a_drill_that_nobody_tampered_with(kept: Kept) -> None:
    verdict = kept.check()
    assert verdict.violations == []
    assert (verdict.games, verdict.moves > 10) == (2, True)
    assert sum(fault["kills"] for fault in verdict.faults) >= 1


def no_answer_tells_of_a_move(kept: Kept) -> None:
    """It was made twice."""
    game_id, one = kept.find(is_move)

    def forget(entries: list[Json]) -> None:
        numbers = {(entry["by"], entry["n"]) for entry in entries if entry.get("key") == one.key}
        entries[:] = [entry for entry in entries if (entry.get("by"), entry.get("n")) not in numbers]

    kept.change(game_id, forget)


def two_moves_have_one_answer(kept: Kept) -> None:
    game_id, one = kept.find(is_move)
    kept.add_move(game_id, one, "another", "ok", 201, one.answer)


def a_repeat_has_another_answer(kept: Kept) -> None:
    game_id, one = kept.find(is_move)
    moves = [other for other in kept.told(game_id) if other.do == "move" and other.ok]
    later = next(other for other in moves if other.key != one.key)
    kept.add_move(game_id, later, one.key, "ok", 201, later.answer)


def an_event_shows_what_is_hidden(kept: Kept) -> None:
    """The whole event in the place of the one with gaps."""
    game_id, one = kept.find(hides)
    truth = kept.truth(game_id)

    def show(answer: Json) -> None:
        event = hiding(answer)
        event["data"] = truth.events[event["version"] - 1]["data"]

    kept.change_answer(game_id, one, show)


def hiding(answer: Json) -> Json:
    """The first event that hides something."""
    return next(event for event in answer["events"] if event["redacted"])


def a_view_shows_what_is_hidden(kept: Kept) -> None:
    game_id, one = kept.find(lambda one, truth: is_running_view(one, truth) and conceals(one, truth))
    shown = whole(one, kept.truth(game_id))
    kept.change_answer(game_id, one, lambda answer: answer.update(state=shown))


def the_drill_itself_found_something(kept: Kept) -> None:
    """Requests that nobody answered, and what fsck and verify say."""
    for rule in ("unanswered", "fsck", "verify"):
        kept.add(DRILL, "finding", rule=rule, detail="")


def export(change: Callable[[list[Json]], object]) -> Tamper:
    """Other lines in the export of a game in which somebody has moved."""
    return lambda kept: kept.change_export(kept.find(is_move)[0], change)


def answer(which: Callable[[Told, Truth], bool], change: Callable[[Json], object]) -> Tamper:
    """Another answer of those."""
    return lambda kept: kept.change_answer(*kept.find(which), change)


def _salted(event: Json) -> None:
    hidden = next(name for name in event["redacted"] if event["data"][name] is None)
    event["salts"] = {f"/{hidden}": "00" * 32}


TAMPERED: dict[str, tuple[Tamper, set[str]]] = {
    "a game is gone": (lambda kept: kept.lose(kept.find(is_move)[0]), {"lost"}),
    "another move was posted": (lambda kept: kept.change_request(*kept.find(is_move), {"type": "resign"}), {"changed"}),
    "no answer tells of a move": (no_answer_tells_of_a_move, {"doubled"}),
    "two moves have one answer": (two_moves_have_one_answer, {"doubled"}),
    "a repeat has another answer": (a_repeat_has_another_answer, {"doubled"}),
    "a version is missing": (export(lambda lines: lines.pop(3)), {"gap"}),
    "an event shows what is hidden": (an_event_shows_what_is_hidden, {"leak"}),
    "with its salt hidden cards could be found by trying": (
        answer(hides, lambda answer: _salted(hiding(answer))), {"leak"}
    ),
    "a view shows what is hidden": (a_view_shows_what_is_hidden, {"leak"}),
    "a seed is shown too early": (
        answer(is_running_view, lambda answer: answer["fairness"].update(server_seed="00" * 32)), {"leak"}
    ),
    "a view is of another version": (
        answer(is_running_view, lambda answer: answer.update(turn=answer["turn"] + 1)), {"view"}
    ),
    "a game does not end": (export(lambda lines: lines[0].update(complete=False)), {"unfinished"}),
    "a request is refused": (
        lambda kept: kept.add_move(*kept.find(is_move), "another", "fail", 409, {"detail": "No."}), {"refused"}
    ),
    "an internal error, even if the next attempt succeeded": (
        lambda kept: kept.add(kept.games()[0], "info", by="other", n=1, why="500"), {"failed"}
    ),
    "the drill itself found something": (the_drill_itself_found_something, {"unanswered", "fsck", "verify"}),
}  # fmt: skip
AMONG_OTHERS: dict[str, tuple[Tamper, set[str]]] = {
    "an event is missing at the end": (export(lambda lines: lines.pop(-2)), {"lost"}),
    "another event was told": (
        answer(is_move, lambda answer: answer["events"][0].update(head="00" * 32)), {"changed"}
    ),
}  # fmt: skip


@pytest.mark.parametrize(("tamper", "rules"), TAMPERED.values(), ids=TAMPERED)
def test_a_change_is_found_and_nothing_else(kept: Kept, tamper: Tamper, rules: set[str]) -> None:
    tamper(kept)
    assert kept.rules() == rules


@pytest.mark.parametrize(("tamper", "rules"), AMONG_OTHERS.values(), ids=AMONG_OTHERS)
def test_a_change_is_found_among_others(kept: Kept, tamper: Tamper, rules: set[str]) -> None:
    tamper(kept)
    assert kept.rules() >= rules


def test_a_game_that_stands_still_after_a_fault(kept: Kept) -> None:
    game_id, one = kept.find(is_move)
    later = 1000.0

    def stand_still(entries: list[Json]) -> None:
        for entry in entries:
            if entry["at"] > one.at:
                entry["at"] += later

    kept.change(game_id, stand_still)
    kept.add_fault(one.at, one.at)
    assert kept.rules() == {"stalled"}
    assert kept.rules(2 * later) == set()


def lose(kept: Kept) -> tuple[str, Told]:
    """A client was told, before a fault that may lose, of an event that is not there any more."""
    game_id, one = kept.find(lambda one, truth: one.do == "events" and len(one.events) > 1)

    def forge(answer: Json) -> None:
        for event in answer["events"]:
            event["head"] = "00" * 32

    kept.change_answer(game_id, one, forge)
    return game_id, one


def test_a_loss_that_is_allowed_is_counted(kept: Kept) -> None:
    """The end of the file was cut off, and the client has noticed by the heads that it kept."""
    game_id, one = lose(kept)
    assert "changed" in kept.rules()
    kept.add_fault(one.at, one.at + 0.0001, loses=True)
    assert kept.rules() == {"unnoticed"}
    kept.add(game_id, "regressed", by=one.by, seat=one.seat, version=1)
    verdict = kept.check()
    assert verdict.violations == []
    assert (verdict.lost_events, verdict.lost_games) == (len(one.events), 1)


def test_a_view_that_was_lost_in_a_game_that_goes_on(kept: Kept) -> None:
    """Also where others are told of what came in its place before the fault counts as over."""
    game_id, one = kept.find(
        lambda one, truth: one.do == "look" and one.view is not None and (one.version or 0) > 10
    )
    kept.change_answer(game_id, one, lambda answer: answer["state"].update(phase="another"))
    assert "view" in kept.rules()
    times = [told.at for told in kept.told(game_id)]
    kept.add_fault(min(times), 1 + max(times), loses=True)
    assert "view" not in kept.rules()


def test_a_loss_takes_nothing_but_the_end(kept: Kept) -> None:
    """Events in the middle of what had been told before are not excused by it."""
    game_id, one = lose(kept)
    kept.add(game_id, "regressed", by=one.by, seat=one.seat, version=1)
    end = 1 + max(one.at for one in kept.told(game_id))
    kept.add_fault(end, end, loses=True)
    assert kept.rules() == {"changed"}


def test_a_game_that_is_gone_by_a_loss(kept: Kept) -> None:
    """One that came after all that anybody was told of it; a loss before that took something, but not the game."""
    game_id, one = kept.find(is_move)
    kept.lose(game_id)
    kept.add(game_id, "abandoned", by=one.by)
    kept.add_fault(one.at, one.at, loses=True)
    assert kept.rules() == {"lost"}
    end = 1 + max(one.at for one in kept.told(game_id))
    kept.add_fault(end, end, loses=True)
    assert kept.rules() == set()


def test_a_game_that_is_gone_stands_still_for_nobody(kept: Kept) -> None:
    """It runs no more after the loss that took it; before that it must have gone on."""
    game_id, one = kept.find(lambda one, truth: is_running_view(one, truth) and (one.version or 0) > 10)
    kept.change(
        game_id, lambda entries: entries.__setitem__(slice(None), [e for e in entries if e["at"] <= one.at])
    )
    kept.lose(game_id)
    kept.add(game_id, "abandoned", by=one.by)
    kept.add_fault(one.at + 1, one.at + 1, loses=True)
    kept.add_fault(one.at + 2, one.at + 2)
    assert kept.rules() == set()


def test_a_move_that_was_lost_and_made_again(kept: Kept) -> None:
    """By the same request: what it was told first is lost, what it was told then is there."""
    game_id, one = kept.find(is_move)

    def forge(answer: Json) -> None:
        answer["events"] = [event | {"head": "00" * 32} for event in answer["events"]]

    first = {**one.answer}
    forge(first)
    kept.change(game_id, lambda entries: _tell_before(entries, one, first))
    assert "changed" in kept.rules()
    kept.add(game_id, "regressed", by=one.by, seat=one.seat, version=1)
    kept.add_fault(one.at - 0.0000005, one.at - 0.0000001, loses=True)
    assert "doubled" not in kept.rules()


def _tell_before(entries: list[Json], one: Told, answer: Json) -> None:
    """The request, and this answer to it, once more: before it was answered."""
    invoked = next(
        entry
        for entry in entries
        if entry["is"] == "invoke" and (entry["by"], entry["n"]) == (one.by, one.number)
    )
    at = entries.index(invoked)
    told = {"at": invoked["at"], "is": "ok", "by": one.by, "n": 0, "status": 201, "answer": answer}
    entries[at:at] = [invoked | {"n": 0}, told]


def test_a_late_attempt_at_a_move_that_was_refused(kept: Kept) -> None:
    """About the time of a loss: the attempt that nobody answered is done after the one that was refused."""
    game_id, one = kept.find(is_move)

    def refuse(entries: list[Json]) -> None:
        for entry in entries:
            if entry["is"] == "ok" and (entry["by"], entry["n"]) == (one.by, one.number):
                entry |= {"is": "fail", "status": 422, "answer": {"detail": "Not now."}}

    keys = {told.number for told in kept.told(game_id) if told.key == one.key and told.by == one.by}
    assert keys == {one.number}
    kept.change(game_id, refuse)
    kept.add_fault(one.at, one.at, loses=True)
    assert kept.rules() == {"doubled"}
    kept.add(game_id, "info", by=one.by, n=one.number, why="ReadTimeout")
    assert kept.rules() == set()


def test_an_end_that_is_lost_once_everybody_has_left(kept: Kept) -> None:
    """Nobody is there to play it again: so the game need not end. Where all is played, the engine has to end it."""
    game_id, _ = kept.find(is_move)

    def lose_the_end(lines: list[Json]) -> None:
        lines[0]["complete"] = False
        del lines[-3:-1]

    kept.change_export(game_id, lose_the_end)
    end = 1 + max(one.at for one in kept.told(game_id))
    assert kept.rules() == {"unfinished"}
    kept.add_fault(end, end, loses=True)
    assert kept.rules() == set()
    kept.add_fault(end, end)

    def end_it(lines: list[Json]) -> None:
        lines[-2]["type"] = "game_ended"

    kept.change_export(game_id, end_it)
    assert kept.rules() == {"unfinished"}


def test_the_time_that_a_game_stood_still() -> None:
    """From the end of the fault to the first version beyond all that were known."""
    game = Progress(((1.0, 3), (2.0, 4), (6.0, 4), (7.5, 5), (9.0, 9)), over=9.0)
    assert wait_after(game, fault(3.0, 3.0)) == 4.5
    assert wait_after(game, fault(9.5, 9.5)) is None
    assert wait_after(game, fault(0.5, 0.5)) is None
    standing = Progress(((1.0, 3), (6.0, 3)), over=NEVER)
    assert wait_after(standing, fault(3.0, 3.0)) == NEVER
    shorter = Progress(((1.0, 30), (6.0, 20), (7.0, 21)), over=NEVER)
    assert wait_after(shorter, fault(3.0, 3.0, loses=True)) == 4.0
