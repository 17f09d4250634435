"""Deck lists far from the standard one: the net plays sensibly, and nobody prefers to lose."""

from collections.abc import Iterator
from itertools import product

import pytest

from domain.migrato.belief.observation import Observation
from domain.migrato.bots import BOTS
from domain.migrato.net.judge import CERTAIN, Judge
from domain.migrato.net.players import trained
from domain.migrato.net.taste import Taste
from domain.migrato.rules.decide import decide
from domain.net.network import LOGIT
from domain.prng import Prng
from tests.domain.playing import FAR_DECK_LISTS, chance_of, start
from tests.domain.remembering import Told

LONG = 300  # turns; games with few danger cards take longer


def _moments(names: tuple[str, str], deck_list: str, seed: int) -> Iterator[tuple[Told, Observation | None]]:
    """A game of two bots: what the seat to act sees before each move; None at the end."""
    told, chance, dice = Told(), chance_of(seed), Prng(seed)
    for event in start(seed, {"deck_list": FAR_DECK_LISTS[deck_list], "turn_limit": LONG})[1]:
        told.happens(event)
    while (seat := told.state.to_act) is not None:
        seen = told.seen(seat)
        yield told, seen
        for event in decide(told.state, seat, BOTS[names[seat]].choose(seen, dice), chance):
            told.happens(event)
    yield told, None


def _won(names: tuple[str, str], deck_list: str, seed: int) -> float:
    """What seat 0 wins: 1, or a half for a draw."""
    *_, (told, _) = _moments(names, deck_list, seed)
    assert told.state.result is not None
    return {0: 1.0, 1: 0.0, None: 0.5}[told.state.result.winner]


def test_the_net_beats_greed() -> None:
    """`net` against `greedy`, over all the lists."""
    won = dict.fromkeys(FAR_DECK_LISTS, 0.0)
    for deck_list, seed in product(won, range(5)):
        won[deck_list] += _won(("net", "greedy"), deck_list, seed)
        won[deck_list] += 1 - _won(("greedy", "net"), deck_list, seed)
    assert sum(won.values()) > 0.6 * 10 * len(won), won


@pytest.mark.parametrize("deck_list", FAR_DECK_LISTS)
def test_nothing_that_goes_on_is_as_bad_as_a_lost_game(deck_list: str) -> None:
    """Nor as good as one that is won, whatever a player likes or dislikes."""
    tastes = (
        None,
        Taste(theft=30 * LOGIT),
        Taste(theft=-30 * LOGIT),
        Taste(card=9 * LOGIT),
        Taste(spread=-9 * LOGIT),
    )
    judged = 0
    for number, (_, seen) in enumerate(_moments(("level-1", "greedy"), deck_list, 1)):
        if seen is None or seen.turn == LONG or number % 8:
            continue
        for taste in tastes:
            judge = Judge(seen, trained(), None, taste)
            for move in seen.moves:
                if judge.outcome(move).settled is None:
                    judged += 1
                    assert all(-CERTAIN < logit < CERTAIN for logit in judge.logits(move))
    assert judged > 200
