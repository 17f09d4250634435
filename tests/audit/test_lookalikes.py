"""Bots' seats that are called people's, with remarks put in so that no seed is found where it was; and people who only
play alike.
"""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from domain.lifecycle import Json, Seat
from domain.migrato.bots import BOTS
from domain.takebacks.decide import AnswerTakeback
from domain.takebacks.takebacks import MOST_REQUESTS
from events.audit.remarks.lookalikes import AGAIN, PATIENCE, Lookalikes
from events.audit.verify import verify
from events.engine.access import Caller
from events.features.seats.seats import REISSUES
from events.log.seeds import hint_seed, move_seed
from events.log.snapshot import Snapshot
from tests.audit.games import ADA, BO, CREATOR, TRUSTED, Table, parsed
from tests.audit.tamper import Parts, as_person, parts, timed

STRONG = Seat("bot", bot="ismcts")
SEEDED = ", with the seed that it would have had"


def people(export: bytes) -> list[str]:
    """The remarks on people with bots asked again; the file must pass."""
    report = verify(parsed(export), trusted=TRUSTED, bots=True)
    assert report.passed
    return [remark.detail for remark in report.remarks if remark.about == "people"]


def _moves(export: Parts, seat: int) -> list[int]:
    """The places of the seat's moves among the events."""
    kinds = ("bird_played", "cards_moved", "danger_played", "card_discarded", "hand_exchanged")
    return [at for at, event in enumerate(export.events) if event["seat"] == seat and event["type"] in kinds]


def _reissue(export: Parts, at: int, times: int = 1) -> None:
    """Seat 1 gets new tokens before the event."""
    export.events[at:at] = [
        {**export.events[at], "type": "seat_token_reissued", "seat": 1, "data": {}} for _ in range(times)
    ]


def _hint(export: Parts, at: int, seat: int) -> None:
    """The seat to act gets a hint before the event; with what seed follows from where the last move ended."""
    seed, game_id = bytes.fromhex(export.end["server_seed"]), export.header["game_id"]
    thought: Json = {"bot": "greedy", "version": "1", "budget": None}
    thought["seed"] = hint_seed(seed, game_id, at, seat, "greedy")
    export.events.insert(at, {**export.events[at], "type": "hint_given", "seat": seat, "data": thought})


def _again_and_again(export: Parts) -> None:
    for move in reversed(_moves(export, 1)[1:16:3]):
        _reissue(export, move)


PUT_IN: dict[str, Callable[[Parts], None]] = {
    "at the start": lambda export: _reissue(export, 2),
    "in the middle": lambda export: _reissue(export, _moves(export, 1)[6], 2),
    "again and again": _again_and_again,
    "a hint": lambda export: _hint(export, _moves(export, 1)[4], 1),
    # The first one shifts nothing any more: only the second was put in.
    "after a true one": lambda export: _reissue(export, _moves(export, 1)[9]),
}


def test_a_bot_is_found_whatever_was_put_in_between(table: Table, subtests: pytest.Subtests) -> None:
    """Each remark that was not there before gives every choice after it another version, and so another seed."""
    honest = table.finish(table.create(ADA, Seat("bot", bot="random"), turn_limit=26))
    game_id = table.create(ADA, Seat("bot", bot="random"), turn_limit=26)
    table.play(game_id, 4)
    table.application.seats.reissue(game_id, 0, CREATOR)
    reissued = table.finish(game_id)
    for what, put_in in PUT_IN.items():
        with subtests.test(what):
            relabelled = parts(as_person(parts(reissued if what == "after a true one" else honest), 1))
            put_in(relabelled)
            (told,) = people(timed(relabelled, timedelta(seconds=5)).reseal().sign().file)
            assert told.startswith("seat 1 is not called a bot's")
            assert f"is that of random{SEEDED}" in told


def test_a_bot_whose_opponent_was_seated_before_is_found(table: Table) -> None:
    """Events of the beginning can be left out, too."""
    game_id = table.create(Seat("open"), Seat("bot", bot="random"), turn_limit=24)
    table.application.seats.take(game_id, 0, "ada", None, CREATOR)
    relabelled = parts(as_person(parts(table.finish(game_id)), 1))
    at = next(n for n, event in enumerate(relabelled.events) if event["type"] == "seat_taken")
    relabelled.events[0]["data"]["seats"][0] |= {"kind": "human", "player": "ada"}
    del relabelled.events[at]
    (told,) = people(timed(relabelled, timedelta(seconds=5)).reseal().sign().file)
    assert f"is that of random{SEEDED}" in told


def test_a_person_who_follows_hints_without_chance_is_told_of(table: Table) -> None:
    """Nothing of it says that a bot sat there: with another seed the choices would be the same."""
    game_id = table.create(ADA, BO, turn_limit=20)
    hints = 0
    while (now := table.now(game_id)).status.to_act is not None:
        if now.status.to_act == 1:
            table.play(game_id, 1)
            continue
        hint = table.application.hints.wanted(game_id, 0, "greedy")
        _, thought = table.application.hints.think(hint)
        table.application.hints.give(hint, thought.budget)
        table.application.moves.play(game_id, 0, now.game.move_document(thought.choice.move))
        hints += 1
    told = people(timed(parts(table.scored(game_id)), timedelta(seconds=5)).reseal().sign().file)
    (said,) = (one for one in told if one.startswith("seat 0 "))
    assert SEEDED not in said
    assert said.endswith(f"is that of greedy, and would be with another seed; it was given {hints} hints")


@pytest.mark.parametrize(
    ("bot", "chance"), [("greedy", ", and would be with another seed"), ("random", SEEDED)]
)
def test_moves_that_were_taken_back_hide_no_bot(table: Table, bot: str, chance: str) -> None:
    """Nobody made them in the end; and the bot's game without them had other versions, and so other seeds."""
    game_id = table.create(ADA, BO, turn_limit=30)
    left_out = put_in = decoys = 0
    while (now := table.now(game_id)).status.to_act is not None:
        if now.status.to_act == 0:
            table.play(game_id, 1)
            continue
        seed = int(move_seed(now.secrets.seed, game_id, now.version + left_out - put_in), 16)
        seen = now.game.observe(now.state, 1, now.game.initial_knowledge())
        chosen = now.game.move_document(now.game.think(seen, bot, seed).move)
        if decoys < MOST_REQUESTS and _decoy(table, now, chosen):
            decoys, put_in = (decoys + 1, put_in + table.now(game_id).version - now.version)
        table.application.moves.play(game_id, 1, chosen)
        left_out += 1
    table.application.bot_turns.score_game(game_id)
    assert decoys > 4
    told = people(timed(parts(table.export(game_id)), timedelta(seconds=5)).reseal().sign().file)
    (said,) = (one for one in told if one.startswith("seat 1 "))
    assert f"is that of {bot}{chance}" in said


def _decoy(table: Table, now: Snapshot, chosen: Json) -> bool:
    """True if seat 1 has made another move, and taken it back."""
    move = table.unseen(now, 1, but=chosen)
    if move is None:
        return False
    bo, ada = (Caller("seat", seat=seat, game_id=now.game_id) for seat in (1, 0))
    table.application.moves.play(now.game_id, 1, move)
    table.application.takebacks.ask(now.game_id, 1, bo)
    table.application.takebacks.answer(now.game_id, 0, AnswerTakeback(True), ada)
    return True


def test_a_strong_bot_is_found_whatever_was_put_in_between(table: Table) -> None:
    """It remembers, and most of its choices are the same with any seed."""
    relabelled = parts(as_person(parts(table.finish(table.create(ADA, STRONG, turn_limit=14))), 1))
    _again_and_again(relabelled)
    (told,) = people(timed(relabelled, timedelta(seconds=5)).reseal().sign().file)
    assert "is that of " in told


def test_so_often_bots_are_asked_and_no_more(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game with very many remarks: each could have been put in, and the ways are too many to try all of them."""
    game_id = table.create(ADA, BO, turn_limit=40)
    reissued = 0
    while table.now(game_id).status.to_act is not None:
        for _ in range(min(5, 2 * REISSUES - reissued)):
            table.application.seats.reissue(game_id, reissued % 2, CREATOR)
            reissued += 1
        table.play(game_id, 1)
    table.application.bot_turns.score_game(game_id)
    asked, choices = Counter[tuple[str, int]](), dict[int, int]()

    def nearly(self: Lookalikes, bot: str, seat: int, one: Any, seed: int) -> bool:
        """Every choice but the one that is looked at last is the bot's with every seed: nothing is ruled out early."""
        asked[bot, seat] += 1
        made = self._made[seat]
        choices[seat] = len(made)
        return one is not made[-1]

    monkeypatch.setattr(Lookalikes, "_would", nearly)
    people(table.export(game_id))
    for (bot, seat), count in asked.items():
        most = AGAIN * choices[seat] + PATIENCE // BOTS[bot].milliseconds
        if BOTS[bot].chance:
            assert choices[seat] < count <= most, (bot, seat, count, choices)
        else:  # it makes one move, whatever its seed
            assert count == choices[seat]
    assert asked["ismcts-expert", 0] == AGAIN * choices[0] + PATIENCE // BOTS["ismcts-expert"].milliseconds
