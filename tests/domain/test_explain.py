"""Why a move is good or bad: reasons made of what the net is told."""

from typing import Any

import pytest

from domain.bot import DENIES, RISKS, WINS, Choice
from domain.migrato.belief.observation import Observation, observe
from domain.migrato.belief.resampling import resampled
from domain.migrato.game import MIGRATO
from domain.migrato.net.explain import _Moments
from domain.migrato.net.judge import Judge
from domain.migrato.net.players import PLAYER, trained
from domain.migrato.rules.moves import Play
from domain.net.reasons import MOST, REASONS
from domain.prng import Prng
from tests.domain.playing import OPTIONS
from tests.domain.remembering import games_told


def seen_by_players(seed: int, options: dict[str, Any], moves: int = 80, every: int = 4) -> list[Observation]:
    """What the seats saw that were to act."""
    return [
        told.seen(told.state.to_act)
        for number, told in enumerate(games_told(seed, options, moves, wild=0.2))
        if told.state.to_act is not None and number % every == 0
    ]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_parts_are_all_that_the_net_is_told(options: dict[str, Any]) -> None:
    """Put together they give the logit of the move, unless a card is stolen unseen or the game ends."""
    compared = 0
    for seen in seen_by_players(3, options):
        judge, moments = Judge(seen, trained()), _Moments(seen, trained())
        if seen.rules.last_turn == seen.turn:
            continue
        for move in seen.moves:
            side, theirs = moments.after(move)
            if judge.guesses(move) or side.landed | seen.other.landed == 31:
                continue
            assert moments._logit(moments.told(side, theirs)) == judge.logit(move)
            compared += 1
    assert compared > 100


def test_the_judge_puts_first_what_the_net_plays() -> None:
    """Every legal move once, the best first, as probabilities."""
    for seen in seen_by_players(8, {}):
        judged = MIGRATO.judged(seen)
        assert judged[0].move == PLAYER.choose(seen, Prng(1))
        assert {one.move for one in judged} == set(seen.moves)
        chances = [one.win_probability for one in judged]
        assert chances == sorted(chances, reverse=True)
        assert all(0 <= chance <= 1 for chance in chances)


def test_a_theft_of_a_hidden_card_has_a_spread() -> None:
    """And nothing else has one: what happens next is known."""
    spread = [
        one
        for seed in range(4)
        for seen in seen_by_players(seed, {}, 120, 1)
        for one in MIGRATO.judged(seen)
        if one.spread is not None
    ]
    assert spread
    assert all(type(one.move).__name__ == "PlayDanger" for one in spread)
    assert all(one.spread is not None and 0 <= one.spread <= 0.5 for one in spread)


def test_reasons_tell_what_is_won_denied_and_risked() -> None:
    """The largest first, in whole sentences; risks count against the move."""
    kinds = set[str]()
    for seen in (seen for options in OPTIONS for seen in seen_by_players(5, options, 120, 3)):
        for at, one in enumerate(MIGRATO.explained(seen, PLAYER.name, PLAYER.think(seen, Prng(1)))):
            changes = [abs(reason.change) for reason in one.reasons]
            assert changes == sorted(changes, reverse=True)
            assert len(changes) <= (REASONS if at < MOST else 0)
            for reason in one.reasons:
                kinds.add(reason.kind)
                assert (reason.code in ("arrives", "lead")) == (reason.points is not None)
                assert (reason.change < 0) == (reason.kind == RISKS)
                assert reason.text.endswith(".")
    assert kinds == {WINS, DENIES, RISKS}


def test_an_arrival_says_what_it_brings() -> None:
    """The species by name, with the points."""
    found = 0
    for seed in range(3):
        for seen in seen_by_players(seed, {}, 150, 1):
            for one in MIGRATO.explained(seen, PLAYER.name, PLAYER.think(seen, Prng(1))):
                side, _ = _Moments(seen, trained()).after(one.move)
                if isinstance(one.move, Play) and side.landed != seen.me.landed and one.reasons:
                    found += any("arrive" in reason.text for reason in one.reasons)
    assert found


def test_reasons_do_not_change_with_what_is_hidden() -> None:
    """Two truths that a seat cannot tell apart give the same words."""
    compared = 0
    for number, told in enumerate(games_told(2, {}, 80, wild=0.2)):
        state, seat = told.state, told.state.to_act
        if seat is None or number % 5:
            continue
        other = resampled(state, seat, told.memories[seat], number)
        one, two = told.seen(seat), observe(other, seat, told.memories[seat])
        first, second = (MIGRATO.explained(s, PLAYER.name, Choice(s.moves[0])) for s in (one, two))
        assert first == second
        compared += other != state
    assert compared > 5


def test_a_bot_that_weighs_nothing_has_nothing_to_explain() -> None:
    seen = seen_by_players(1, {})[0]
    assert list(MIGRATO.explained(seen, "greedy", MIGRATO.think(seen, "greedy", 1))) == []
