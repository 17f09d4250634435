"""Card reading: a turn is read from the table as it was, and true cards make it likelier than others do."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from domain.migrato.belief.determinize import Determinizer
from domain.migrato.belief.observation import Observation, observe
from domain.migrato.bots import BOTS
from domain.migrato.bots.learned.card_reading import CardReader, _is_made
from domain.migrato.net.checked_in import trained
from domain.migrato.rules.events import DangerPlayed
from domain.migrato.rules.moves import Move, MoveCards, Play
from domain.migrato.rules.state import ACTION, State
from domain.net.logistic import CERTAINTY
from domain.prng import Prng
from tests.domain.playing import OPTIONS, chance_of
from tests.domain.remembering import Told, games_told


class Turn(NamedTuple):
    """The state when it began, its action, the state after it, and what the other seat sees then."""

    began: State
    move: Move
    after: State
    seen: Observation


def _turns(seed: int, options: dict[str, Any], wild: float) -> Iterator[Turn]:
    """The turns of a game that the net plays, with some other moves."""
    told, chance, dice = Told.dealt(seed, options), chance_of(seed), Prng(seed)
    began, action = told.state, None
    for _ in range(150):
        state, seat = told.state, told.state.to_act
        if seat is None:
            return
        if state.phase is ACTION:
            if action is not None:
                yield Turn(began, action, state, told.seen(seat))
            began = state
        move = BOTS["random" if dice.random() < wild else "net"].choose(told.seen(seat), dice)
        if state.phase is ACTION:
            action = move
        told.plays(move, chance)


def _but_for_arrival(move: Move) -> Move:
    """The move without the choice that only an arrival would show."""
    return move._replace(on_arrival=None) if isinstance(move, Play | MoveCards) else move


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_true_cards_give_the_table_as_it_was(options: dict[str, Any]) -> None:
    """So the opponent may do what it did, and that alone is taken for it, unless an arrival would have shown more."""
    read = 0
    for seed in range(2):
        for began, action, after, seen in _turns(seed, options, wild=0.3):
            reader, last = CardReader(seen, trained()), seen.knowledge.last_turn
            if not reader.reads or last is None:
                continue
            read += 1
            buried = reader._buried(last, after)
            one, two = (
                observe(began, 1 - seen.seat),
                observe(reader._began(last, after, buried), 1 - seen.seat),
            )
            assert replace(one, me=two.me, moves=()) == replace(two, moves=())
            assert (sorted(one.me.hand), one.me.columns) == (sorted(two.me.hand), two.me.columns)
            assert set(one.moves) == set(two.moves)
            made = [move for move in two.moves if _is_made(move, last, two.me.columns, buried)]
            assert action in made
            assert {_but_for_arrival(move) for move in made} == {_but_for_arrival(action)}
    assert read > 40


def test_true_cards_make_a_turn_likelier_than_others_do() -> None:
    """Of turns that the net chose: what was read is how it chooses."""
    true = other = read = 0
    for seed in range(3):
        for turn in _turns(seed, {}, wild=0.0):
            reader, dice = CardReader(turn.seen, trained()), Prng(seed)
            if reader.reads:
                read += 1
                true += reader.likelihood(turn.after)
                determinizer = Determinizer(turn.seen)
                dealt = [reader.likelihood(determinizer.sample(dice)) for _ in range(4)]
                assert all(0 < likelihood <= CERTAINTY for likelihood in dealt)
                other += sum(dealt) // len(dealt)
    assert read > 75
    assert 2 * true > 3 * other


def test_cards_drawn_from_a_new_deck_are_not_read() -> None:
    """A first turn is not read either, as the opponent did nothing before it; all games then weigh the same."""
    unread = 0
    for seed in range(8):
        for turn in _turns(seed, {}, wild=0.3):
            if turn.after.shuffles > turn.began.shuffles:
                reader = CardReader(turn.seen, trained())
                assert not reader.reads
                assert reader.likelihood(turn.after) == CERTAINTY
                unread += 1
    assert unread
    told = Told.dealt(1, {})
    assert told.state.to_act is not None
    assert not CardReader(told.seen(told.state.to_act), trained()).reads


def test_a_card_that_the_seat_itself_stole_since_is_read_with_the_rest() -> None:
    """The seat has seen that card: its theft takes nothing away from what the opponent's turn tells."""
    stolen = 0
    for seed in range(8):
        for told in games_told(seed, {}, 120, wild=0.1):
            *_, event = told.events
            seat = told.state.to_act
            if isinstance(event, DangerPlayed) and event.slot is not None and seat == event.seat:
                seen = told.seen(seat)
                assert (seen.knowledge.last_turn is None) or CardReader(seen, trained()).reads
                stolen += seen.knowledge.last_turn is not None
    assert stolen > 10
