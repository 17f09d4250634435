"""The search of Migrato's bots: its budget, its stop, its tactics, and the parts that it judges moves by."""

import random
from itertools import product

import pytest

from domain.bot import Budget, Choice
from domain.migrato.belief.observation import Observation, observe
from domain.migrato.bots import BOTS
from domain.migrato.bots.evaluation import Evaluation
from domain.migrato.bots.ismcts import key_of
from domain.migrato.bots.move_evaluator import MoveEvaluator
from domain.migrato.bots.side_after import flock
from domain.migrato.bots.supply import supply
from domain.migrato.rules.cards import FACE, SPECIES, SPECIES_OF
from domain.migrato.rules.columns import swept
from domain.migrato.rules.decide import decide
from domain.migrato.rules.moves import (
    ABANDONS,
    DANGER_ON_PILE,
    DANGER_ON_SLOT,
    DISCARDS,
    EXCHANGE,
    MOVE_CARDS,
    PASS,
    PLAYS,
    Discard,
    Move,
    MoveCards,
    Play,
    PlayDanger,
)
from domain.migrato.rules.options import resolve
from domain.migrato.rules.state import fold, scores
from tests.domain.playing import OPTIONS, chance_of, position
from tests.domain.table import side, table

SEARCHING = [name for name, bot in BOTS.items() if bot.budget is not None]
every_search = pytest.mark.parametrize("bot", SEARCHING)


def _thinks(bot: str, seen: Observation, iterations: int) -> Choice:
    return BOTS[bot].think(seen, random.Random(3), Budget(iterations=iterations))


def _seen(seed: int, moves: int) -> Observation:
    state = position(seed, {}, moves)
    assert state.to_act is not None
    return observe(state, state.to_act)


@pytest.mark.parametrize("iterations", [1, 2, 40])
def test_the_budget_is_honoured(iterations: int) -> None:
    """Fewer iterations only where the leader cannot be overtaken any more; visits add up."""
    choice = _thinks("ismcts", _seen(3, 9), iterations)
    assert choice.iterations <= iterations
    assert sum(one.visits for one in choice.considered) == choice.iterations
    visits = [one.visits for one in choice.considered]
    assert choice.move == choice.considered[0].move
    assert visits == sorted(visits, reverse=True)
    if choice.iterations < iterations:
        assert visits[0] - visits[1] > iterations - choice.iterations


@every_search
def test_a_search_that_ended_anyhow_is_found_again_by_its_exact_count(bot: str) -> None:
    """Settled early or stopped by the clock: the same move, and the same in every number."""
    seen, asked = _seen(4, 31), iter(range(1000))
    settled = _thinks(bot, seen, 400)
    stopped = BOTS[bot].think(seen, random.Random(3), None, lambda: next(asked) >= 4)
    assert settled.iterations < 400
    assert stopped.iterations == 5
    for first in (settled, stopped):
        again = BOTS[bot].think(seen, random.Random(3), Budget(first.iterations, exact=True))
        assert again == first


def test_legal_moves_are_considered_with_probabilities() -> None:
    """Each has a lead in points that is possible."""
    seen = _seen(4, 31)
    for one in _thinks("ismcts", seen, 50).considered:
        assert one.move in seen.moves
        assert 0 <= one.win_probability <= 1
        assert (one.spread is None) == (one.visits == 0)
        assert one.spread is None or 0 <= one.spread <= 1
        assert -30 < one.value < 30


# --- tactics --------------------------------------------------------------------------------------------------------

LANDED = {"brant_goose": "G5d G5n G4d G4n G3d", "black_kite": "K4d K3d K2d K2d", "stilt": "S6n S6n S3n S3n"}


@every_search
def test_an_arrival_that_wins_the_game_is_taken(bot: str) -> None:
    """Bee-eaters alone are missing; one card lands them, and with them the higher score."""
    me = side("B1d HUN K3d", {1: "B4d B3d"}, LANDED)
    state = table(me, side("G3d HAB K2d", {1: "K4d"}, {"teal": "T5d T4n"}))
    assert _thinks(bot, observe(state, 0), 40).move == PLAYS[FACE["B1d"], 0, None]


@every_search
def test_a_game_that_would_be_lost_by_it_is_not_ended(bot: str) -> None:
    """The last species could land, for less than the opponent is ahead."""
    me = side("B1d G3d K3d", {1: "B4d B3d", 2: "K4d"}, {"teal": "T3d T1d"})
    state = table(me, side("G3n HAB K2d", {}, LANDED))
    move = _thinks(bot, observe(state, 0), 40).move
    assert move != PLAYS[FACE["B1d"], 0, None]
    after = fold(state, decide(state, 0, move, chance_of(1)))
    assert after.result is None or scores(after)[0] > scores(after)[1]


@every_search
def test_a_good_flock_is_not_abandoned_nor_muddled(bot: str) -> None:
    """Three kites, one lacking, and no card in hand that fits."""
    me = side("B4d T4n G4n", {1: "K4d K3d K3d", 2: "G5d"})
    sensible = {(FACE["B4d"], None), (FACE["T4n"], None), (FACE["G4n"], 1)}
    assert _thinks(bot, observe(table(me), 0), 60).move in {PLAYS[*play, None] for play in sensible}


@every_search
def test_a_card_that_nothing_needs_is_discarded_first(bot: str) -> None:
    """A stilt is of no use to who has landed the stilts."""
    me = side("S6n HUN B2d K4d", {1: "B4d B3d", 2: "K4d K4d"}, {"stilt": "S6n S6n S3n S3n"})
    state = table(me, side("G3d G3d K2d", {1: "G5d G4d"}))
    after = fold(state, decide(state, 0, PLAYS[FACE["B2d"], 0, None], chance_of(1)))
    assert _thinks(bot, observe(after, 0), 60).move == Discard(FACE["S6n"])


def test_moving_cards_is_judged_by_where_they_come_to_lie() -> None:
    """Two kites below two others are an arrival, and better than any other move here."""
    me = side("HUN HUN HAB", {1: "K4d K4d", 2: "K3d K2d"})
    move = _thinks("ismcts", observe(table(me, side("G3d B1d T1d")), 0), 30).move
    assert isinstance(move, MoveCards)
    assert (move.source, move.index, move.target) == (1, 0, 0)


# --- its parts ------------------------------------------------------------------------------------------------------


def test_every_move_has_a_key_of_its_own() -> None:
    """The tree tells moves apart by these numbers."""
    dangers = [move for row in (*DANGER_ON_SLOT, *DANGER_ON_PILE) for move in row]
    moves: list[Move] = [*PLAYS.values(), *MOVE_CARDS.values(), *dangers, *DISCARDS, *ABANDONS]
    moves += [EXCHANGE, PASS]
    assert len({key_of(move) for move in moves}) == len(moves)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_glance_at_a_move_sees_what_the_move_does(options: dict[str, object]) -> None:
    """The reckoning in short cuts comes to the same as judging the cards after move and best discard."""
    compared = 0
    for seed in range(40):
        state = position(seed, options, seed)
        if state.to_act is None or state.phase.value != "action":
            continue
        seat = state.to_act
        seen = observe(state, seat)
        evaluation = Evaluation(seen.rules, seen.turn, supply(seen))
        evaluator = MoveEvaluator(evaluation, state)
        for move in seen.moves:
            after = fold(state, decide(state, seat, move, chance_of(seed)))
            if (
                not isinstance(move, Play | PlayDanger)
                or after.phase.value != "discard"
                or after.to_act != seat
            ):
                continue
            if isinstance(move, Play) and len(after.players[seat].columns) != 4:
                continue
            best = max(MoveEvaluator(evaluation, after).worth(one) for one in observe(after, seat).moves)
            assert evaluator.worth(move) == pytest.approx(best)
            compared += 1
    assert compared > 50


@pytest.mark.parametrize("rules", ["digital", "opla"])
def test_cards_that_an_arrival_sweeps_away_are_judged_by_the_rule(rules: str) -> None:
    """All flocks of up to three cards, when birds of each species arrive."""
    state = table(side("G5d"), rules=rules)
    sweep = resolve({"rules": rules}).sweep
    seen = observe(state, 0)
    evaluator = MoveEvaluator(Evaluation(seen.rules, seen.turn, supply(seen)), state)
    birds = [face for face in dict.fromkeys(seen.rules.deck) if SPECIES_OF[face] >= 0]
    columns = [cards for length in (1, 2, 3) for cards in product(birds, repeat=length)]
    for column in [one for one in columns if flock(one) is not None]:
        for species in range(len(SPECIES)):
            gone = swept(sweep, column, species)
            assert evaluator._swept((column,), species) == ((() if gone else column),)
            assert not gone or len(gone) == len(column)
