"""The trainer tells the net the same as the domain does, for every move of games of every variant."""

import random
from typing import Any, Final

import pytest

from domain.chance import SeededChance
from domain.lifecycle import Create
from domain.migrato.belief.hypotheses import unseen
from domain.migrato.belief.knowledge import NOTHING, update_knowledge
from domain.migrato.belief.observation import Observation, observe
from domain.migrato.net.inputs import InformationSet, closed_cards
from domain.migrato.net.judge import Judge
from domain.migrato.net.layout import INPUTS
from domain.migrato.rules.decide import decide
from domain.migrato.rules.moves import Abandon, PlayDanger
from domain.migrato.rules.state import DISCARD, INITIAL, State, evolve, fold, without
from domain.net.network import ONE, SECOND, Network
from research.training.migrato_kernel import Kernel, action_of
from tests.domain.playing import FAR_OPTIONS
from tests.research.test_training_kernel import SEATS, VARIANTS

LANE: Final = 40
SOON: Final = 12  # cards: a deck so short is told of


def recorder() -> Network:
    """A net whose first layer keeps every input apart."""
    network = Network([[0]] * INPUTS, [0], [[0] * SECOND], [0] * SECOND, [0] * SECOND, 0)
    network.rows = [1 << LANE * at for at in range(INPUTS)]
    network.shown = [row * ONE for row in network.rows]
    network.bias = 0
    return network


def recorded(total: int) -> dict[int, int]:
    """The inputs that a recorder was told."""
    half = 1 << LANE - 1
    total += sum(half << LANE * at for at in range(INPUTS))
    values = {at: (total >> LANE * at & (1 << LANE) - 1) - half for at in range(INPUTS)}
    return {at: value for at, value in values.items() if value}


@pytest.mark.parametrize("options", [*VARIANTS, *FAR_OPTIONS.values()], ids=str)
def test_the_net_is_told_the_same(kernel: Kernel, options: dict[str, Any]) -> None:
    """For every move and discard of positions in whole games, with all that the seat knows."""
    assert kernel.inputs == INPUTS
    network, compared, late = recorder(), 0, 0
    for seed in range(2):
        rng, chance = random.Random(seed), SeededChance(seed.to_bytes(32, "big"), "test")
        state = fold(INITIAL, decide(INITIAL, None, Create("test", "c", options, SEATS), chance))
        known = [NOTHING, NOTHING]
        last = 70 if seed else 400  # a long deck needs as many turns until it is to be shuffled
        while state.to_act is not None and state.turn < last:
            seat = state.to_act
            soon = len(state.deck) < SOON
            if state.phase is not DISCARD and (state.turn < 70 or soon) and rng.random() < 0.3:
                observation = observe(state, seat, known[seat])
                compared += _compare(kernel, network, state, observation, rng)
                late += soon
            move = rng.choice(observe(state, seat).moves)
            if isinstance(move, Abandon):  # or nothing would ever grow
                move = rng.choice(observe(state, seat).moves)
            for event in decide(state, seat, move, chance):
                after = evolve(state, event)
                known = [update_knowledge(known[s], s, state, event, after) for s in (0, 1)]
                state = after
    assert compared > 100
    assert late > 3


def _compare(
    kernel: Kernel, network: Network, state: State, observation: Observation, rng: random.Random
) -> int:
    """Both say the same of some of the moves; how many were compared."""
    me, other, seat = observation.me, observation.other, observation.seat
    information = InformationSet(observation, network)
    left = unseen(observation.rules.deck, me, other, observation.discard_pile)
    closed = closed_cards(observation, left)
    judge = Judge(observation, network, information)
    compared = 0
    for move in rng.sample(observation.moves, min(6, len(observation.moves))):
        outcome = judge.outcome(move)
        if outcome.settled is not None:
            continue
        after, hand = outcome.side, outcome.side.hand
        if outcome.blind:  # the card that is stolen is looked at
            assert isinstance(move, PlayDanger)
            assert move.slot is not None
            hand = (*hand, state.players[1 - seat].columns[move.slot][-1])
        discard = rng.choice(hand) if outcome.discards and hand else 0
        hand = without(hand, discard) if discard else hand
        landed, flights = (after.landed, other.landed), (after.flights, other.flights)
        moment = information.moment(outcome.theirs, after.columns, landed, flights, after.lead)
        total = information.total(moment, hand)
        told = kernel.net_inputs(state, action_of(move), discard, closed)
        assert recorded(total) == {at: value for at, value in told.items() if value}, (seat, move, discard)
        compared += 1
    return compared
