"""Every bot: legal and repeatable, blind to what is hidden; the search besides: its budget, its stop, its tactics."""

import random
from collections.abc import Iterator
from itertools import product

import pytest

from domain.bot import Bot, Budget, Choice
from domain.migrato.belief.knowledge import NOTHING, Knowledge, update_knowledge
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
from domain.migrato.rules.rule_books import resolve
from domain.migrato.rules.state import State, evolve, fold, scores
from tests.domain.playing import OPTIONS, chance_of, position, start
from tests.domain.sampling import determinize
from tests.domain.table import side, table

FEW = Budget(iterations=12)
SEARCHING = [name for name, bot in BOTS.items() if bot.budget is not None]
SMALL_DECK = {
    "deck_list": {
        "G9n": 6, "G2d": 6, "K9d": 5, "K1d": 5, "S8n": 5, "S2n": 5, "B7d": 4, "B1d": 3, "T9d": 3, "T1n": 3,
        "HUN": 3, "HAB": 3, "LIG": 3,
    }
}  # fmt: skip
VARIANTS = (*OPTIONS, {"turn_limit": 12}, SMALL_DECK)


def _thinks(bot: str, seen: Observation, seed: int = 3, budget: Budget = FEW) -> Choice:
    return BOTS[bot].think(seen, random.Random(seed), budget)


def _game(seed: int, options: dict[str, object], bot: Bot, moves: int) -> Iterator[tuple[State, Knowledge]]:
    """The states of a game that the bot plays against itself, with what the seat to act remembers."""
    state, _ = start(seed, options)
    rng, chance = random.Random(seed), chance_of(seed)
    memories = [NOTHING, NOTHING]
    for _ in range(moves):
        if state.to_act is None:
            return
        seat = state.to_act
        yield state, memories[seat]
        seen = observe(state, seat, memories[seat])
        move = bot.think(seen, rng, FEW).move
        assert move in seen.moves
        for event in decide(state, seat, move, chance):
            after = evolve(state, event)
            memories = [update_knowledge(memories[s], s, state, event, after) for s in (0, 1)]
            state = after


@pytest.mark.parametrize("options", VARIANTS, ids=str)
@pytest.mark.parametrize("bot", SEARCHING)
def test_every_level_plays_legal_moves_in_every_variant(bot: str, options: dict[str, object]) -> None:
    """Sixty moves of a game against itself, remembering (or the whole game, where it is shorter)."""
    assert sum(1 for _ in _game(1, options, BOTS[bot], 60)) > 10


@pytest.mark.parametrize("bot", list(BOTS))
def test_a_bot_repeats_itself_for_the_same_chance(bot: str) -> None:
    """Same observation, same chance, same iterations: same choice, with all that was considered; and a legal one."""
    state = position(5, {}, 20)
    assert state.to_act is not None
    seen = observe(state, state.to_act)
    first, second = _thinks(bot, seen), _thinks(bot, seen)
    assert first == second
    assert first.move in seen.moves


@pytest.mark.parametrize("bot", list(BOTS))
def test_games_that_differ_only_in_what_the_seat_cannot_know_get_the_same_move(bot: str) -> None:
    """At several points of a game, all that is hidden is dealt anew, five times."""
    points = [
        (state, memory) for state, memory in _game(7, {}, BOTS["heuristic"], 70) if state.to_act is not None
    ]
    for number in range(5, len(points), 9):
        state, memory = points[number]
        seat = state.to_act
        assert seat is not None
        seen = observe(state, seat, memory)
        choice = _thinks(bot, seen)
        for seed in range(5):
            other = determinize(seen, random.Random(seed))._replace(setup=state.setup)
            assert _thinks(bot, observe(other, seat, memory)) == choice


def test_what_is_hidden_was_really_dealt_anew() -> None:
    """The test above would be idle otherwise."""
    state = position(7, {}, 30)
    assert state.to_act is not None
    seen = observe(state, state.to_act)
    decks = {determinize(seen, random.Random(seed)).deck for seed in range(5)}
    assert len(decks) == 5


@pytest.mark.parametrize("bot", SEARCHING)
def test_a_stop_ends_the_search_at_once_with_a_legal_move(bot: str) -> None:
    """After the iteration that is under way; whatever the budget says."""
    state = position(5, {}, 20)
    assert state.to_act is not None
    seen = observe(state, state.to_act)
    choice = BOTS[bot].think(seen, random.Random(1), Budget(milliseconds=10**9), lambda: True)
    assert choice.iterations == 1
    assert choice.move in seen.moves


@pytest.mark.parametrize("iterations", [1, 2, 40])
def test_the_budget_is_honoured(iterations: int) -> None:
    """Fewer iterations only where the leader cannot be overtaken any more; visits add up."""
    state = position(3, {}, 9)
    assert state.to_act is not None
    choice = _thinks("ismcts", observe(state, state.to_act), budget=Budget(iterations=iterations))
    assert choice.iterations <= iterations
    assert sum(one.visits for one in choice.considered) == choice.iterations
    visits = [one.visits for one in choice.considered]
    assert choice.move == choice.considered[0].move
    assert visits == sorted(visits, reverse=True)
    if choice.iterations < iterations:
        assert visits[0] - visits[1] > iterations - choice.iterations


@pytest.mark.parametrize("bot", SEARCHING)
def test_a_search_that_ended_anyhow_is_found_again_by_its_exact_count(bot: str) -> None:
    """Settled early or stopped by the clock: the same move, and the same in every number."""
    state = position(4, {}, 31)
    assert state.to_act is not None
    seen = observe(state, state.to_act)
    asked = iter(range(1000))
    settled = _thinks(bot, seen, budget=Budget(iterations=400))
    stopped = BOTS[bot].think(seen, random.Random(3), None, lambda: next(asked) >= 4)
    assert settled.iterations < 400
    assert stopped.iterations == 5
    for first in (settled, stopped):
        assert _thinks(bot, seen, budget=Budget(first.iterations, exact=True)) == first


def test_what_was_considered_are_legal_moves_with_probabilities() -> None:
    """And a lead in points that is possible."""
    state = position(4, {}, 31)
    assert state.to_act is not None
    seen = observe(state, state.to_act)
    for one in _thinks("ismcts", seen, budget=Budget(iterations=50)).considered:
        assert one.move in seen.moves
        assert 0 <= one.win_probability <= 1
        assert (one.spread is None) == (one.visits == 0)
        assert one.spread is None or 0 <= one.spread <= 1
        assert -30 < one.value < 30


@pytest.mark.parametrize("bot", list(BOTS))
def test_the_only_legal_move_needs_no_thought(bot: str) -> None:
    """No iteration is spent on it."""
    state = table(side("G5d"), deck="K4d K4d K4d K3d")
    seen = observe(state, 0)
    only = Observation(
        **{name: getattr(seen, name) for name in seen.__match_args__} | {"moves": seen.moves[:1]}
    )
    assert BOTS[bot].think(only, random.Random(1)) == Choice(seen.moves[0])


# --- tactics --------------------------------------------------------------------------------------------------------

LANDED = {"brant_goose": "G5d G5n G4d G4n G3d", "black_kite": "K4d K3d K2d K2d", "stilt": "S6n S6n S3n S3n"}


@pytest.mark.parametrize("bot", SEARCHING)
def test_an_arrival_that_wins_the_game_is_taken(bot: str) -> None:
    """Bee-eaters alone are missing; one card lands them, and with them the higher score."""
    me = side("B1d HUN K3d", {1: "B4d B3d"}, LANDED)
    state = table(me, side("G3d HAB K2d", {1: "K4d"}, {"teal": "T5d T4n"}))
    assert _thinks(bot, observe(state, 0), budget=Budget(iterations=40)).move == PLAYS[FACE["B1d"], 0, None]


@pytest.mark.parametrize("bot", SEARCHING)
def test_a_game_that_would_be_lost_by_it_is_not_ended(bot: str) -> None:
    """The last species could land, for less than the opponent is ahead."""
    me = side("B1d G3d K3d", {1: "B4d B3d", 2: "K4d"}, {"teal": "T3d T1d"})
    state = table(me, side("G3n HAB K2d", {}, LANDED))
    move = _thinks(bot, observe(state, 0), budget=Budget(iterations=40)).move
    assert move != PLAYS[FACE["B1d"], 0, None]
    after = fold(state, decide(state, 0, move, chance_of(1)))
    assert after.result is None or scores(after)[0] > scores(after)[1]


@pytest.mark.parametrize("bot", SEARCHING)
def test_a_good_flock_is_not_abandoned_nor_muddled(bot: str) -> None:
    """Three kites, one lacking, and no card in hand that fits."""
    me = side("B4d T4n G4n", {1: "K4d K3d K3d", 2: "G5d"})
    move = _thinks(bot, observe(table(me), 0), budget=Budget(iterations=60)).move
    assert move in {
        PLAYS[FACE["B4d"], None, None],
        PLAYS[FACE["T4n"], None, None],
        PLAYS[FACE["G4n"], 1, None],
    }


@pytest.mark.parametrize("bot", SEARCHING)
def test_a_card_that_nothing_needs_is_discarded_first(bot: str) -> None:
    """A stilt is of no use to who has landed the stilts."""
    me = side("S6n HUN B2d K4d", {1: "B4d B3d", 2: "K4d K4d"}, {"stilt": "S6n S6n S3n S3n"})
    state = table(me, side("G3d G3d K2d", {1: "G5d G4d"}))
    after = fold(state, decide(state, 0, PLAYS[FACE["B2d"], 0, None], chance_of(1)))
    assert _thinks(bot, observe(after, 0), budget=Budget(iterations=60)).move == Discard(FACE["S6n"])


# --- its parts ------------------------------------------------------------------------------------------------------


def test_every_move_has_a_key_of_its_own() -> None:
    """The tree tells moves apart by these numbers."""
    dangers = [move for row in (*DANGER_ON_SLOT, *DANGER_ON_PILE) for move in row]
    moves: list[Move] = [
        *PLAYS.values(),
        *MOVE_CARDS.values(),
        *dangers,
        *DISCARDS,
        *ABANDONS,
        EXCHANGE,
        PASS,
    ]
    assert len({key_of(move) for move in moves}) == len(moves)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_glance_at_a_move_sees_what_the_move_does(options: dict[str, object]) -> None:
    """What is reckoned in short cuts is what judging the cards after move and best discard gives."""
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


def test_moving_cards_is_judged_by_where_they_come_to_lie() -> None:
    """Two kites below two others are an arrival, and better than any other move here."""
    me = side("HUN HUN HAB", {1: "K4d K4d", 2: "K3d K2d"})
    seen = observe(table(me, side("G3d B1d T1d")), 0)
    move = _thinks("ismcts", seen, budget=Budget(iterations=30)).move
    assert isinstance(move, MoveCards)
    assert (move.source, move.index, move.target) == (1, 0, 0)


@pytest.mark.parametrize("rules", ["digital", "opla"])
def test_what_an_arrival_sweeps_away_is_judged_by_the_rule(rules: str) -> None:
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
