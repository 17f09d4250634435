"""Deck lists far from the standard one: the net plays sensibly, and nobody prefers to lose."""

from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from domain.migrato.belief.observation import Observation
from domain.migrato.bots import BOTS
from domain.migrato.bots.learned import level_search, net, softened
from domain.migrato.net.checked_in import trained
from domain.migrato.net.judge import WON, Judge
from domain.migrato.net.layout import INPUTS, USUAL_BIRDS, USUAL_CARDS, USUAL_SIZE, facts_of
from domain.migrato.net.taste import Taste
from domain.migrato.rules.moves import Move, PlayDanger
from domain.migrato.rules.state import setup_of
from domain.net.network import LOGIT, SECOND, Network
from domain.prng import Prng
from tests.domain.playing import FAR_DECK_LISTS, FAR_OPTIONS, OPTIONS, chance_of, start
from tests.domain.remembering import Told

LONG = 300  # turns; with few danger cards a game would go on longer


def _game(names: tuple[str, str], options: dict[str, Any], seed: int) -> Iterator[Told]:
    """A game of two bots, before each move and at the end."""
    told, chance, dice = Told.dealt(seed, {"turn_limit": LONG, **options}), chance_of(seed), Prng(seed)
    yield told
    while (seat := told.state.to_act) is not None:
        told.plays(BOTS[names[seat]].choose(told.seen(seat), dice), chance)
        yield told


def _won(seeds: int) -> dict[str, float]:
    """By deck list the share that `net` wins of its games against `greedy`; a draw is half a game."""
    won = dict.fromkeys(FAR_DECK_LISTS, 0.0)
    for deck_list, seed, seat in product(won, range(seeds), (0, 1)):
        names = ("net", "greedy") if seat == 0 else ("greedy", "net")
        *_, told = _game(names, FAR_OPTIONS[deck_list], seed)
        assert told.state.result is not None
        won[deck_list] += {seat: 1.0, 1 - seat: 0.0, None: 0.5}[told.state.result.winner] / (2 * seeds)
    return won


def test_the_net_beats_greed() -> None:
    """The net beats `greedy` over all the deck lists together."""
    won = _won(1)
    assert sum(won.values()) > 0.6 * len(won), won


@pytest.mark.nightly("a net that is far behind with one deck list alone")
def test_the_net_is_left_far_behind_with_no_list() -> None:
    won = _won(5)
    assert sum(won.values()) > 0.6 * len(won), won
    assert min(won.values()) >= 0.1, won


def _saying(logit: int) -> Network:
    """A net that judges every moment alike."""
    return Network([[0]] * INPUTS, [0], [[0] * SECOND], [0] * SECOND, [0] * SECOND, logit)


def test_nothing_that_goes_on_is_as_sure_as_an_end() -> None:
    """Neither by any net, nor for any likes or dislikes of a player."""
    thefts = (Taste(theft=30 * LOGIT), Taste(theft=-30 * LOGIT))
    tastes = (None, *thefts, Taste(card=9 * LOGIT), Taste(spread=-9 * LOGIT))
    networks = (_saying(20 * LOGIT), _saying(-20 * LOGIT))
    judges = [*product(networks, [None]), *product([trained()], tastes)]
    judged = Counter[bool]()
    for options in (*OPTIONS, *FAR_OPTIONS.values()):
        for number, told in enumerate(_game(("level-1", "greedy"), options, 1)):
            seat = told.state.to_act
            if seat is None or told.state.turn == LONG or number % 17:
                continue
            seen = told.seen(seat)
            for network, taste in judges:
                judge = Judge(seen, network, None, taste)
                for move in seen.moves:
                    outcome = judge.outcome(move)
                    if outcome.settled is None:
                        judged[outcome.blind] += 1
                        assert all(-WON < logit < WON for logit in judge.logits(move))
    assert judged[False] > 2_000
    assert judged[True] > 10, judged


def _temptations() -> list[tuple[Observation, list[Move]]]:
    """Observations in which some moves would end the game lost, and these moves."""
    found = []
    for seed in range(5):
        for told in _game(("heuristic", "greedy"), {}, seed):
            if told.state.to_act is not None and told.state.turn > 25:
                seen = told.seen(told.state.to_act)
                judge = Judge(seen, _saying(0))
                lost = [move for move in seen.moves if judge.outcome(move).settled == -WON]
                if 0 < len(lost) < len(seen.moves):
                    found.append((seen, lost))
    return found


@pytest.mark.plain
def test_nobody_ends_a_game_lost_that_can_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """No bot ends a game lost that can go on, not even with a net that sees no hope."""
    temptations = _temptations()
    for module in (net, softened, level_search):
        monkeypatch.setattr(module, "trained", lambda _weights: _saying(-20 * LOGIT))
    dice = Prng(1)
    asked = {"net": 1, "level-1": 10, "level-6": 10, "level-7": 2, "careful": 10, "thief": 10, "racer": 10}
    for bot, times in asked.items():
        for seen, lost in temptations:
            assert all(BOTS[bot].choose(seen, dice) not in lost for _ in range(times)), bot
    assert len(temptations) > 1


def test_a_theft_that_wins_is_certain_to_a_thief() -> None:
    """In the last turn, whatever it likes or dislikes: nothing is as good."""
    thefts = 0
    for seed, taste in product(range(20), (Taste(theft=LOGIT), Taste(theft=-LOGIT))):
        for told in _game(("greedy", "greedy"), {"turn_limit": 12}, seed):
            if told.state.to_act is None or told.state.turn < 12:
                continue
            seen = told.seen(told.state.to_act)
            plain, liking = Judge(seen, trained()), Judge(seen, trained(), None, taste)
            for move in seen.moves:
                assert liking.logits(move) == plain.logits(move)
                thefts += isinstance(move, PlayDanger)
    assert thefts


def test_the_usual_list_is_the_standard_list() -> None:
    """Other lists are told in proportion to it."""
    usual = facts_of(setup_of(start(0, {})[0]).rules.deck_list)
    assert (usual.size, tuple(usual.cards), tuple(usual.birds)) == (USUAL_SIZE, USUAL_CARDS, USUAL_BIRDS)
