"""The domain against the naive model: whole games, with everything that can be seen compared after every move."""

import os
from collections import Counter
from random import Random

import pytest

from tests.model.differential import Mismatch, domain_match, exhausting_game, random_game, shortest
from tests.model.scenarios import SCENARIOS, Scenario, staged

GAMES = int(os.environ.get("MIGRATO_MODEL_GAMES", "130"))
FIRST_SEED = int(os.environ.get("MIGRATO_MODEL_SEED", "1"))
ENOUGH_GAMES = 100  # for every rule below to have been met

RULES_MET = """
    HUN takes day card of a column; HUN takes day card of a pile
    HAB takes day card of a column; HAB takes day card of a pile
    HAB takes night card of a column; HAB takes night card of a pile
    LIG takes night card of a column; LIG takes night card of a pile
    victim's score rises; last card of a column stolen
    column in slot 1; column in slot 2; column in slot 3; column in slot 4; a freed slot is used again
    wrong card buried; mixed day and night column
    split; part of a column combined; whole columns joined
    abandon; exchange; discard in the same request; discard ignored at the end
    arrived after a play; arrived after a move; arrived after a face-down play (R6)
    arrived after uncovering 2 (R7); arrived after uncovering 4 (R7); arrived after uncovering 5 (R7)
    failed after a play; failed after a move; failed after a face-down play (R6)
    failed after uncovering 2 (R7); failed after uncovering 4 (R7); failed after uncovering 5 (R7)
    not uncovered; five stilts
    failed: several species; failed: increasing; failed: wrong length
    digital: rest cleared; digital: cleared column with a night card; digital: hidden column of the species stays
    opla: rest cleared; opla: face-down card cleared; opla: part of a column cleared
    return flight G; return flight K; return flight S; return flight B; return flight T
    R12 columns stay; settled after own return flight (R11)
    R3 reshuffle; R3 reshuffle between two draws
    end: all_arrived; end: turn_limit; end: turn_limit, a draw (R9); end: resigned
    accepted; refused: not in the list; refused: another seat acts; refused: the game is over
    refused: unknown type or field; refused: the discard is not in hand
    refused: nothing to discard after this action
    an odd discard with what may be the last action accepted
"""


def test_random_games() -> None:
    """Over many random games, domain and model agree at every step, and every rule has been met."""
    seen: Counter[str] = Counter()
    mismatches: list[Mismatch] = []
    for seed in range(FIRST_SEED, FIRST_SEED + GAMES):
        try:
            match = random_game(seed)
        except Mismatch as mismatch:
            mismatches.append(mismatch)
        else:
            seen += match.model.seen + match.tried
    assert not mismatches, f"{len(mismatches)} of {GAMES} games; the shortest:\n{shortest(mismatches)}"
    for what, count in sorted(seen.items()):
        print(f"{count:7} {what}")
    if GAMES >= ENOUGH_GAMES:
        assert not {rule.strip() for rule in RULES_MET.replace("\n", ";").split(";")} - {""} - set(seen)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_scenarios(scenario: Scenario) -> None:
    """Courses of play too rare to wait for."""
    deck, moves = staged(scenario)
    match = domain_match(scenario.name, scenario.options, deck, Random(1))
    for document in moves:
        assert match.model.to_act is not None
        match.play(match.model.to_act, document)
    assert not [rule for rule in scenario.meets if not match.model.seen[rule]]


@pytest.mark.parametrize("seed", [12, 453, 665, 873, 2358])
def test_games_that_run_out_of_cards(seed: int) -> None:
    """Rulings R2 and R4 and a turn without a hand: small decks, found by search to bring them about."""
    assert exhausting_game(seed).model.seen["4.4 nothing to discard"]


def test_passing() -> None:
    """Ruling R2: with no card and no column, passing is all that is left."""
    assert exhausting_game(12).model.seen["R2 pass"]
