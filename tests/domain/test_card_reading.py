"""Card reading: a turn is read from the table as it was, and makes games likelier in which it was a good one."""

from typing import Any

import pytest

from domain.migrato.belief.observation import Observation, observe
from domain.migrato.bots import BOTS
from domain.migrato.bots.learned import card_reading
from domain.migrato.bots.learned.card_reading import ERRATIC, SURE, CardReader
from domain.migrato.net.players import trained
from domain.migrato.rules.decide import decide
from domain.migrato.rules.state import ACTION, State
from domain.prng import Prng
from tests.domain.playing import OPTIONS, chance_of, start
from tests.domain.remembering import Told, games_told


def _turns(seed: int, options: dict[str, Any], moves: int) -> list[tuple[State, State, Observation]]:
    """Of each turn: the state when it began, the state after it, and what the other seat sees then."""
    turns = []
    began: State | None = None
    for told in games_told(seed, options, moves, wild=0.3):
        state = told.state
        if state.phase is ACTION and state.to_act is not None:
            if began is not None:
                turns.append((began, state, told.seen(state.to_act)))
            began = state
    return turns


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_true_cards_give_the_table_as_it_was(options: dict[str, Any]) -> None:
    """To the opponent it then looks as it did, and the turn that it made is one that it may make."""
    read = kinds = 0
    for seed in range(12):
        for began, after, seen in _turns(seed, options, 120):
            reader = CardReader(seen, trained())
            if not reader.reads:
                continue
            read += 1
            rebuilt = reader._began(seen.knowledge.last_turn, after, reader._buried(seen.knowledge.last_turn, after))
            one, two = (observe(state, 1 - seen.seat) for state in (began, rebuilt))
            assert sorted(one.me.hand) == sorted(two.me.hand)
            assert one.me.columns == two.me.columns
            assert set(one.moves) == set(two.moves)
            assert reader.likelihood(after) > 0
    assert read > 300
