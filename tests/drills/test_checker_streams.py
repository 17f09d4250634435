"""The checker judges streams of states: what they show, their order, and that they come to the end."""

import itertools

import pytest

from drills.checker.told import Told
from drills.checker.truth import Truth
from tests.drills.histories import Json, Kept, conceals, whole


def is_frame(one: Told, truth: Truth) -> bool:
    """A state of a game that runs."""
    return one.do == "follow" and 2 < (one.version or 0) < truth.over_from


def neighbours(kept: Kept) -> tuple[str, Told, Told]:
    """Two frames of one connection, one after the other."""
    for game_id in kept.games():
        frames = [one for one in kept.told(game_id) if one.do == "follow"]
        for first, second in itertools.pairwise(sorted(frames, key=lambda one: one.by)):
            if (first.by, first.number) == (second.by, second.number):
                return game_id, first, second
    raise AssertionError("no stream of this drill has two frames")


def test_streams_of_seats_and_of_spectators_are_followed(kept: Kept) -> None:
    assert kept.find(lambda one, truth: is_frame(one, truth) and one.seat is not None)
    assert kept.find(lambda one, truth: is_frame(one, truth) and one.seat is None)


def test_a_state_that_shows_what_is_hidden(kept: Kept) -> None:
    def hides(one: Told, truth: Truth) -> bool:
        return is_frame(one, truth) and one.answer["view"]["state"] is not None and conceals(one, truth)

    game_id, one = kept.find(hides)
    shown = whole(one, kept.truth(game_id))
    kept.change_answer(game_id, one, lambda answer: answer["view"].update(state=shown))
    assert "leak" in kept.rules()


def test_a_state_of_another_version(kept: Kept) -> None:
    game_id, one = kept.find(is_frame)
    kept.change_answer(game_id, one, lambda answer: answer.update(version=answer["version"] - 1))
    assert "stream" in kept.rules()


def with_a_look(kept: Kept) -> tuple[str, Told]:
    """A frame of a game with a person, where the same seat has also looked at that version of the game."""

    def suits(one: Told, truth: Truth) -> bool:
        if not is_frame(one, truth) or "human" not in [seat["kind"] for seat in one.answer["view"]["seats"]]:
            return False
        looks = [other for other in kept.told(truth.header["game_id"]) if other.do == "look"]
        return (one.seat, one.version) in [(look.seat, look.version) for look in looks]

    return kept.find(suits)


def test_a_view_that_differs_in_what_the_rules_do_not_tell(kept: Kept) -> None:
    """The same seat has seen something else at this version in another answer."""
    game_id, one = with_a_look(kept)
    kept.change_answer(game_id, one, lambda answer: answer["view"].update(created_at="another day"))
    assert kept.rules() == {"stream"}


@pytest.mark.parametrize(("name", "rules"), [(None, set()), ("eve", {"stream"})])
def test_a_name_may_be_missing_and_no_other_one(kept: Kept, name: str | None, rules: set[str]) -> None:
    """It is null where the store that has the names does not answer."""
    game_id, one = with_a_look(kept)
    person = next(seat["seat"] for seat in one.answer["view"]["seats"] if seat["kind"] == "human")
    kept.change_answer(game_id, one, lambda answer: answer["view"]["seats"][person].update(player=name))
    assert kept.rules() == rules


def test_a_stream_that_goes_back(kept: Kept) -> None:
    game_id, first, second = neighbours(kept)
    for one, other in ((first, second), (second, first)):
        kept.replace_answer(game_id, one, other.answer)
    assert kept.rules() == {"stream"}
    kept.add_fault(first.at, second.at, loses=True)
    assert "stream" not in kept.rules()


def test_a_state_that_is_sent_twice(kept: Kept) -> None:
    game_id, first, second = neighbours(kept)
    kept.replace_answer(game_id, second, first.answer)
    assert kept.rules() == {"stream"}


def test_a_stream_that_leaves_the_last_state_out(kept: Kept) -> None:
    """A stream that was told an end that was then lost is no fault: the game has another end now."""
    game_id, one = kept.find(lambda one, truth: one.do == "follow" and one.version == truth.version)
    kept.change(game_id, lambda entries: _without(entries, one.by, one.version))
    assert kept.rules() == {"stream"}
    times = [told.at for told in kept.told(game_id)]
    kept.add_fault(min(times), 1 + max(times), loses=True)
    assert kept.rules() == set()


def test_a_stream_that_ends_without_any_state(kept: Kept) -> None:
    game_id, one = kept.find(is_frame)
    kept.change(game_id, lambda entries: _without(entries, one.by))
    assert kept.rules() == {"stream"}


def _without(entries: list[Json], by: str, version: int | None = None) -> None:
    """Take away the frames of a stream, all or those of a version."""
    entries[:] = [
        entry
        for entry in entries
        if entry["is"] != "frame" or entry["by"] != by or version not in (None, entry["answer"]["version"])
    ]


def test_a_stream_that_does_not_end(kept: Kept) -> None:
    game_id, one = kept.find(is_frame)
    end = ("end", one.by)
    kept.change(game_id, lambda told: told.remove(next(e for e in told if (e["is"], e.get("by")) == end)))
    assert kept.rules() == {"stream"}


def test_legal_moves_of_somebody_who_is_not_to_act(kept: Kept) -> None:
    game_id, one = kept.find(lambda one, truth: is_frame(one, truth) and one.answer["legal_moves"] is None)
    kept.change_answer(game_id, one, lambda answer: answer.update(legal_moves=[{"type": "play"}]))
    assert kept.rules() == {"leak"}


def test_another_list_of_legal_moves(kept: Kept) -> None:
    game_id, one = kept.find(lambda one, truth: is_frame(one, truth) and bool(one.answer["legal_moves"]))
    kept.change_answer(game_id, one, lambda answer: answer["legal_moves"].pop())
    assert kept.rules() == {"view"}
