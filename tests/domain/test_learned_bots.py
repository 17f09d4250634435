"""Levels and styles: the weaker, the farther from the net's choice; a style shows; a win is never missed."""

from statistics import pstdev

import pytest

from domain.bot import Budget
from domain.migrato.belief.observation import Observation
from domain.migrato.bots import BOTS
from domain.migrato.bots.learned.level_search import Candidate
from domain.migrato.net.checked_in import trained
from domain.migrato.net.judge import WON, Judge, Verdict
from domain.migrato.rules.moves import Exchange, PlayDanger
from domain.net.logistic import CERTAINTY
from domain.prng import Prng
from tests.domain.remembering import games_told


def _seen(seed: int, moves: int) -> list[Observation]:
    """The observation of the seat to act before each move of a game."""
    games = games_told(seed, {}, moves, wild=0.1)
    return [told.seen(told.state.to_act) for told in games if told.state.to_act is not None]


def test_a_higher_level_is_nearer_to_the_nets_best_move() -> None:
    """The mean distance in logits, over the same moments and the same chance."""
    behind = dict.fromkeys(("level-1", "level-3", "level-5"), 0)
    for seen in [seen for seed in range(4) for seen in _seen(seed, 60)[::3]]:
        logits = {move: Judge(seen, trained()).logit(move) for move in seen.moves}
        for name in behind:
            behind[name] += max(logits.values()) - logits[BOTS[name].choose(seen, Prng(1))]
    assert behind["level-1"] > behind["level-3"] > behind["level-5"] > 0


def test_nobody_misses_a_landing_that_wins() -> None:
    """No bot misses a landing that wins: nothing is worth more than to end the game ahead."""
    wins = 0
    for seed in range(6):
        for seen in _seen(seed, 200):
            judge = Judge(seen, trained())
            winning = [move for move in seen.moves if judge.logit(move) >= WON]
            if winning:
                wins += 1
                for name in ("net", "level-1", "level-4", "level-7", "careful", "thief", "racer"):
                    assert BOTS[name].choose(seen, Prng(seed)) in winning
    assert wins


def test_the_net_needs_no_chance() -> None:
    """The net chooses the same with any seed, in either phase of a turn."""
    for seen in _seen(5, 80)[::8]:
        assert len({BOTS["net"].choose(seen, Prng(seed)) for seed in range(3)}) == 1


def test_a_thief_steals_more_than_a_careful_player() -> None:
    """A thief steals more than a careful player in the same moments, by the same chance."""
    moments = [seen for seed in range(4) for seen in _seen(seed, 60)]
    thefts = {
        name: sum(isinstance(BOTS[name].choose(seen, Prng(2)), PlayDanger) for seen in moments)
        for name in ("thief", "careful")
    }
    assert thefts["thief"] > thefts["careful"]


def test_a_search_says_how_much_its_deals_differ() -> None:
    """A search says of each move that it tried, and of no other, how much its deals differ."""
    candidate, shares = Candidate(Verdict(Exchange(), None, 0), 0), (0.25, 0.5, 0.875)
    for share in shares:
        candidate.add(int(share * CERTAINTY), 0)
    assert candidate.spread() == pytest.approx(pstdev(shares))
    tried = [one for seen in _seen(3, 40)[::8] for one in BOTS["level-7"].think(seen, Prng(1)).considered]
    assert all((one.spread is None) == (one.visits == 0) for one in tried)
    assert max(one.spread or 0 for one in tried) > 0.01


def test_a_search_that_was_cut_off_is_found_again_by_its_count() -> None:
    """At any point of weighing games by the opponent's last turn."""
    cut_off = 0
    for number, seen in enumerate(_seen(2, 90)[::5]):
        asked = iter(range(1000))
        most = (1, 3, 7, 20)[number % 4]
        choice = BOTS["level-7"].think(seen, Prng(4), None, lambda: next(asked) + 1 >= most)  # noqa: B023
        assert choice == BOTS["level-7"].think(seen, Prng(4), Budget(choice.iterations, exact=True))
        cut_off += choice.iterations == most
    assert cut_off > 6
