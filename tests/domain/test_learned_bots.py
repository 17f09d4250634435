"""Levels and styles: the weaker, the farther from the net's choice; a style shows; a win is never missed; games end."""

import re
from collections.abc import Sequence
from statistics import pstdev

import pytest

from domain.bot import Budget
from domain.migrato.belief.observation import Observation
from domain.migrato.bots import BOTS
from domain.migrato.bots.learned.rollouts import Candidate
from domain.migrato.bots.measured_strength import STRENGTH
from domain.migrato.net.checked_in import trained
from domain.migrato.net.judge import WON, Judge, Verdict
from domain.migrato.rules.decide import decide
from domain.migrato.rules.moves import Exchange, PlayDanger
from domain.net.logistic import CERTAINTY
from domain.prng import Prng
from tests.domain.noninterference import VARIANTS, compare
from tests.domain.playing import chance_of, start
from tests.domain.remembering import Told, games_told
from tests.project.running import ROOT

LONG = 100  # turns; most games take 40 to 80


def _seen(seed: int, moves: int) -> list[Observation]:
    """What the seat to act saw before each move of a game."""
    games = games_told(seed, {}, moves, wild=0.1)
    return [told.seen(told.state.to_act) for told in games if told.state.to_act is not None]


def test_a_higher_level_is_nearer_to_what_the_net_finds_best() -> None:
    """The mean distance in logits, over the same moments and the same chance."""
    moments = [seen for seed in range(4) for seen in _seen(seed, 60)[::3]]
    behind = dict.fromkeys(("level-1", "level-3", "level-5"), 0)
    for seen in moments:
        logits = {move: Judge(seen, trained()).logit(move) for move in seen.moves}
        for name in behind:
            behind[name] += max(logits.values()) - logits[BOTS[name].choose(seen, Prng(1))]
    assert behind["level-1"] > behind["level-3"] > behind["level-5"] > 0


def test_every_bot_states_the_rating_that_was_measured() -> None:
    """Of its present version and with its interval, as the table of ratings has it; the anchor has none."""
    page = (ROOT / "docs/explanation/how-strong-the-bots-are.md").read_text()
    row = r"^\| ([\w-]+) \| ([\w-]+) \| (-?\d+)(?: \((-?\d+) to (-?\d+)\))? \|"
    rows = re.findall(row, page, re.MULTILINE)
    table = {
        name: tuple(int(figure or rating) for figure in (rating, low, high))
        for name, _, rating, low, high in rows
    }
    assert table == STRENGTH
    assert {name: version for name, version, *_ in rows} == {name: bot.version for name, bot in BOTS.items()}


def test_no_level_misses_a_landing_that_wins() -> None:
    """Nor does a style."""
    wins = 0
    for seed in range(12):
        for seen in _seen(seed, 200):
            judge = Judge(seen, trained())
            winning = [move for move in seen.moves if judge.logit(move) >= WON]
            if winning:
                wins += 1
                for name in ("level-1", "level-4", "level-7", "careful", "thief", "racer"):
                    assert BOTS[name].choose(seen, Prng(seed)) in winning
    assert wins


def test_a_thief_steals_more_than_a_careful_player() -> None:
    """In the same moments, by the same chance."""
    moments = [seen for seed in range(4) for seen in _seen(seed, 60)]
    thefts = {
        name: sum(isinstance(BOTS[name].choose(seen, Prng(2)), PlayDanger) for seen in moments)
        for name in ("thief", "careful")
    }
    assert thefts["thief"] > thefts["careful"]


def test_a_search_says_how_much_its_deals_differ() -> None:
    """Of each move that was tried, and of no other."""
    candidate, shares = Candidate(Verdict(Exchange(), None, 0), 0), (0.25, 0.5, 0.875)
    for share in shares:
        candidate.add(int(share * CERTAINTY), 0)
    assert candidate.spread() == pytest.approx(pstdev(shares))

    tried = [one for seen in _seen(3, 40)[::8] for one in BOTS["level-7"].think(seen, Prng(1)).considered]
    assert all((one.spread is None) == (one.visits == 0) for one in tried)
    assert max(one.spread or 0 for one in tried) > 0.01


def test_a_search_that_was_cut_off_is_found_again_by_its_count() -> None:
    """However far it had come with weighing games by the opponent's last turn."""
    cut_off = 0
    for number, seen in enumerate(_seen(2, 90)[::3]):
        asked = iter(range(1000))
        most = (1, 3, 7, 20)[number % 4]
        choice = BOTS["level-7"].think(seen, Prng(4), None, lambda: next(asked) + 1 >= most)  # noqa: B023
        assert choice == BOTS["level-7"].think(seen, Prng(4), Budget(choice.iterations, exact=True))
        cut_off += choice.iterations == most
    assert cut_off > 10


def test_nobody_chooses_by_what_is_hidden() -> None:
    """In two truths that a seat cannot tell apart: the same choices, with the same lists of what was considered."""
    compared = compare(10 * len(VARIANTS), longest=10)
    assert compared.games == len(VARIANTS)
    assert compared.different > 0.9 * compared.positions
    assert compared.betrayed == dict.fromkeys(compared.betrayed, 0)


def _turns(names: Sequence[str], seed: int) -> int | None:
    """How long a game of two bots is, the search with a small budget; None if it has not ended by LONG."""
    told, chance, dice = Told(), chance_of(seed), Prng(seed)
    for event in start(seed, {})[1]:
        told.happens(event)
    while told.state.turn <= LONG:
        seat = told.state.to_act
        if seat is None:
            return told.state.turn
        bot = BOTS[names[seat]]
        move = bot.think(told.seen(seat), dice, Budget(iterations=2) if bot.budget else None).move
        for event in decide(told.state, seat, move, chance):
            told.happens(event)
    return None


@pytest.mark.parametrize(
    "names",
    [(name, name) for name in ("net", "level-1", "level-2", "level-3", "level-4", "level-5", "level-6")]
    + [("careful", "careful"), ("thief", "thief"), ("racer", "racer"), ("careful", "thief")]
    + [("level-7", "level-1"), ("level-7", "level-7")],
    ids=" - ".join,
)
def test_most_games_of_levels_end_soon(names: tuple[str, str]) -> None:
    """Of five games at least three do: now and then both wait for what does not come, until a turn limit ends it."""
    ended = [_turns(names, seed) is not None for seed in range(5)]
    assert sum(ended) > len(ended) / 2
