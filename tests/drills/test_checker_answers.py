"""The checker judges what is no view, too: answers to who creates, sits down, asks for a hint or moves wrongly."""

import re
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import pytest

from domain.errors import DomainError
from domain.registry import game_named
from drills.checker import truth
from drills.checker.told import Told, answered
from drills.checker.truth import Truth, as_json
from drills.history import DRILL, read
from tests.drills.histories import Json, Kept

SEEDS = 8


def created(kept: Kept) -> tuple[str, Told]:
    """The creation of a game with a bot in it."""
    for one in answered(read(kept.directory, DRILL)):
        if one.do == "create" and one.ok and any(seat["kind"] == "bot" for seat in one.answer["seats"]):
            return DRILL, one
    raise AssertionError("the history that was kept has no such game")


def taken(kept: Kept) -> tuple[str, Told]:
    """A seat that somebody took."""
    return kept.find(lambda one, truth: one.do == "sit")


def hinted(kept: Kept) -> tuple[str, Told]:
    """A hint where there is more than one legal move."""
    return kept.find(lambda one, truth: one.do == "hint" and len(legal(one, truth)) > 1)


def legal(one: Told, truth: Truth) -> list[Json]:
    """The moves that the one who was given the hint may make."""
    moves: list[Json] = as_json(
        truth.game.legal_moves(truth.states[one.answer["game_version"]], one.seat or 0)
    )
    return moves


def refused(kept: Kept) -> tuple[str, Told]:
    """A move that the rules refuse while much is hidden from the seat."""
    for game_id in kept.games():
        truth = kept.truth(game_id)
        for one in kept.told(game_id):
            if one.refused_at is not None and len(others(truth, one)) > SEEDS / 2:
                return game_id, one
    raise AssertionError("nobody has moved wrongly in the history that was kept")


def others(truth: Truth, one: Told) -> set[str]:
    """All that is hidden from the seat that moved wrongly, drawn anew some times."""
    version, seat = one.refused_at or 0, one.seat or 0
    return {told_by(truth.game, truth.otherwise(version, seat, seed)) for seed in range(SEEDS)}


CHANGES: dict[Callable[[Kept], tuple[str, Told]], list[tuple[Json, str]]] = {
    created: [
        ({"state": {"deck": [1]}}, "leak"),
        ({"fairness": {"commitment": "x", "server_seed": "00"}}, "leak"),
        ({"options": {}}, "view"),
        ({"status": "finished"}, "view"),
    ],
    taken: [
        ({"hand": ["G5d"]}, "leak"),
        ({"seat": 17}, "view"),
        ({"status": "finished"}, "view"),
        ({"version": 1}, "view"),
    ],
    hinted: [
        ({"seed": "00" * 8}, "leak"),
        ({"seat": 17}, "leak"),
        ({"move": {"type": "none"}}, "view"),
        ({"considered": [{"move": {"type": "none"}}]}, "view"),
        ({"recorded": False}, "view"),
    ],
    refused: [
        ({"hand": ["G5d"]}, "leak"),
        ({"detail": "The other one holds it."}, "view"),
        ({"code": "not-your-turn"}, "view"),
    ],
}


def test_an_answer_that_was_changed(kept: Kept) -> None:
    """One of each kind at a time, as a check takes a while."""
    answers = [find(kept) for find in CHANGES]
    assert len({one.by for _, one in answers}) == len(answers)
    for changes in zip_longest(*CHANGES.values()):
        changed = [(*where, *change) for where, change in zip(answers, changes, strict=True) if change]
        for place, one, change, _ in changed:
            kept.change_answer(place, one, lambda answer, change=change: answer.update(change))  # type: ignore[misc]
        found = kept.check().violations
        for place, one, change, rule in changed:
            about = re.compile(rf"the .*? {re.escape(one.by)}[:,]")
            assert rule in {violation.rule for violation in found if about.match(violation.detail)}, change
            kept.replace_answer(place, one, one.answer)
    assert kept.rules() == set()


def test_a_token_of_a_bots_seat(kept: Kept) -> None:
    place, one = created(kept)
    bot = next(seat["seat"] for seat in one.answer["seats"] if seat["kind"] == "bot")
    kept.change_answer(place, one, lambda answer: answer["seats"][bot].update(token="x"))
    assert kept.rules() == {"leak"}


def test_a_hint_of_a_bot_that_knows_more(kept: Kept) -> None:
    """It is legal, and not what the bot comes to by what its seat knows."""
    game_id, one = hinted(kept)
    other = next(move for move in legal(one, kept.truth(game_id)) if move != one.answer["move"])
    kept.change_answer(game_id, one, lambda answer: answer.update(move=other))
    assert kept.rules() == {"leak"}


def test_a_legal_move_that_is_refused(kept: Kept) -> None:
    game_id, one = refused(kept)
    truth = kept.truth(game_id)
    moves = as_json(truth.game.legal_moves(truth.states[one.refused_at or 0], one.seat or 0))
    kept.change_request(game_id, one, moves[0])
    assert kept.rules() == {"refused"}


class Telltale:
    """A game whose refusals tell what the others hold."""

    def __init__(self, game: Any) -> None:
        self._game = game

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def decide(self, state: Any, *_: Any) -> Any:
        """Refuse, in the words that the test put into the answer."""
        raise DomainError("illegal-move", told_by(self._game, state))


def told_by(game: Any, state: Any) -> str:
    """Everything that is hidden in the state."""
    return str(game.view(state, None, whole=True))


def test_a_refusal_that_depends_on_what_is_hidden(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """The true rules say the very same: only hidden cards that are drawn anew show it."""
    game_id, one = refused(kept)
    true = kept.truth(game_id)
    words = told_by(true.game, true.states[one.refused_at or 0])
    kept.change_answer(game_id, one, lambda answer: answer.update(detail=words, code="illegal-move"))
    assert kept.rules() == {"view"}
    monkeypatch.setattr(truth, "game_named", lambda name: Telltale(game_named(name)))
    request, found = f"request {one.number} of {one.by}", kept.check().violations
    assert [violation.rule for violation in found if request in violation.detail] == ["leak"]
