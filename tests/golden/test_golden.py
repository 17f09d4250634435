"""Stored games are refolded to what was seen when they were played, and stored as they were."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from domain.game import Game
from domain.lifecycle import EventRecord
from domain.migo.game import MIGO
from domain.migrato.game import MIGRATO
from tests.golden import record
from tests.golden.migo import record as migo

HERE = Path(__file__).parent
STORED: list[tuple[Game, list[Path], Callable[[Any], str]]] = [
    (MIGRATO, sorted(HERE.glob("*.jsonl")), record.digest),
    (MIGO, sorted(HERE.glob("migo/*.jsonl")), migo.digest),
]
KINDS = {
    "game_created", "seat_taken", "game_started", "position_set", "round_started", "card_taken", "bottle_gained",
    "sherpa_dismissed", "card_flipped", "bottle_drunk", "round_ended", "player_resigned", "game_ended", "game_scored",
    "move_chosen", "hint_given", "seat_token_reissued",
}  # fmt: skip


def test_there_are_stored_games() -> None:
    """Of Migrato for each rule book and the extension, with moves of bots and hints, and forked.

    Of Migo of every number of seats and in every layout, with every event there is, and every reason to end.
    """
    (_, of_migrato, _), (_, of_migo, _) = STORED
    text = "".join(path.read_text() for path in of_migrato)
    assert len(of_migrato) >= 6
    kinds = ("move_chosen", "hint_given", "position_set", "deck_reshuffled", "seat_token_reissued")
    assert all(f'"{kind}"' in text for kind in kinds)

    games = [[json.loads(line) for line in path.read_text().splitlines()] for path in of_migo]
    assert {kind for game in games for kind, *_ in game} == KINDS
    assert {len(game[0][3]["seats"]) for game in games} == {2, 3, 4}
    data = [data for game in games for kind, _, _, data, _ in game if kind in ("round_started", "game_ended")]
    layouts = {"ropes": {18, 25}, "pyramid": {18, 25}, "pyramids": {18, 24}}
    laid_out = {(told["layout"], len(told["cards"])) for told in data if "layout" in told}
    assert laid_out == {(layout, size) for layout, sizes in layouts.items() for size in sizes}
    assert {told["layout"] for told in data if told.get("round") == 4} == layouts.keys()
    reasons = {told["reason"] for told in data if "reason" in told}
    assert reasons == {"two_flags", "round_four", "turn_limit", "resigned"}


def test_stored_games_read_as_they_did(subtests: pytest.Subtests) -> None:
    """Every view, everybody's moves and the standing after every event.

    Events are written again as they were: so that chains that were signed can be recomputed.
    """
    for game, path, digest in ((game, path, digest) for game, paths, digest in STORED for path in paths):
        with subtests.test(f"{game.name} {path.stem}"):
            state = game.initial()
            for number, line in enumerate(path.read_text().splitlines(), 1):
                *stored, seen = json.loads(line)
                event = game.decode(EventRecord(*stored))
                state = game.evolve(state, event)
                assert digest(state) == seen, f"event {number}, {stored[0]}"
                assert json.dumps([*game.encode(event).document.values()]) == json.dumps(stored)
            assert state.result is not None
            assert state.result.scored == (game is MIGO)  # those of Migrato end with their last move
