"""Cards dealt one by one: the domain's own game, with exact chances and without a fixed order."""

import copy
import pickle
import random
from collections import Counter
from typing import Any

import pytest

from domain.lifecycle import Create, Seat
from domain.migrato.rules.decide import decide
from domain.migrato.rules.events import CardsDrawn, DeckReshuffled, GameStarted
from domain.migrato.rules.legal import legal_moves
from domain.migrato.rules.options import resolve
from domain.migrato.rules.rule_books import HAND_SIZE, SEATS
from domain.migrato.rules.state import INITIAL, State, fold
from research.numbering import MOVES, NUMBER_OF
from tests.domain.test_properties import all_cards
from tests.research.playing import VARIANTS, tables, twins, way_to

variants = pytest.mark.parametrize("options", VARIANTS, ids=str)


class RecordedChance:
    """A chance that says what another game recorded."""

    def __init__(self, orders: list[tuple[int, ...]], first_seat: int) -> None:
        self.orders, self.first = orders, first_seat

    def shuffled(self, number: int, cards: Any, client_seeds: Any) -> tuple[int, ...]:
        order = self.orders.pop(0)
        assert sorted(order) == sorted(cards)
        return order

    def first_seat(self, seats: int, client_seeds: Any) -> int:
        return self.first


@variants
def test_a_dealt_game_is_a_game_of_the_domain(options: dict[str, Any]) -> None:
    """Every card that was dealt is given to the domain as the order of its decks: it must play the same game."""
    *_, last = tables(3, options, 300, wild=0.5)
    way = way_to(last)
    moves = [
        (t.earlier.state.to_act, t.action) for t in way if t.earlier is not None and t.earlier.deal is None
    ]
    orders: list[tuple[int, ...]] = []
    first_seat = -1
    for event in (event for table in way for event in table.events):
        match event:
            case GameStarted(first_seat, deck, _):
                orders.append(deck[: SEATS * HAND_SIZE])
                pile = [Counter(deck)]
            case DeckReshuffled(deck):
                orders.append(())
                pile.append(Counter(deck))
            case CardsDrawn(_, cards):
                orders[-1] += cards
    chance = RecordedChance(
        [(*top, *(cards - Counter(top)).elements()) for top, cards in zip(orders, pile, strict=True)],
        first_seat,
    )
    create = Create("dealt", "", options, (Seat("human"),) * 2)
    state = fold(INITIAL, decide(INITIAL, None, create, chance))
    for seat, number in moves:
        assert number is not None
        state = fold(state, decide(state, seat, MOVES[number], chance))
    assert _laid_open(state) == _laid_open(last.state)
    assert last.state.shuffles > 1


def _laid_open(state: State) -> State:
    return state._replace(deck=tuple(sorted(state.deck)))


@variants
def test_cards_may_be_dealt_that_lie_nowhere_else(options: dict[str, Any]) -> None:
    """The chance of a face is its share of the cards that are in no hand, column or pile, nor dealt already.

    The order of the deck says nothing.
    """
    seen, rules = 0, resolve(options)
    for table in tables(1, options, 100):
        state, deal = table.state, table.deal
        assert list(state.deck) == sorted(state.deck)
        if deal is None or deal.first_seat is None or any(heap.shuffled for heap in deal.heaps):
            continue
        left = Counter(rules.deck) - Counter([*_laid(state), *state.discard_pile, *deal.dealt])
        seen += 1
        assert dict(table.outcomes()) == {card: n / left.total() for card, n in left.items()}
    assert seen > 50


@variants
def test_the_last_cards_of_the_deck_are_dealt_before_the_discard_pile(options: dict[str, Any]) -> None:
    seen = 0
    for seed in range(4):
        for table in tables(seed, options, 150, wild=0.6):
            if table.deal is None or len(table.deal.heaps) < 2:
                continue
            rest, pile = table.deal.heaps
            dealt = table.deal.dealt
            heap, gone = (rest, dealt) if len(dealt) < rest.drawn else (pile, dealt[rest.drawn :])
            seen += 1
            assert rest.drawn == len(rest.cards)
            assert pile.shuffled
            assert {card for card, _ in table.outcomes()} == set(Counter(heap.cards) - Counter(gone))
    assert seen


@variants
def test_copies_are_shared_and_a_stored_table_comes_back(options: dict[str, Any]) -> None:
    """Histories and memories are kept at the tables that were asked; asking early or late makes no difference."""
    *_, last = tables(7, options, 40)
    fresh = pickle.loads(pickle.dumps(last))
    for table in way_to(last)[:60]:
        again = pickle.loads(pickle.dumps(table))
        assert copy.deepcopy(table) is table
        assert (again.state, again.deal, again.events) == (table.state, table.deal, table.events)
        assert again.history(0) == table.history(0)
    for table in way_to(last):
        for seat in range(SEATS):
            table.history(seat)
            table.memory(seat)
    for seat in range(SEATS):
        assert fresh.history(seat) == last.history(seat)
        assert fresh.memory(seat) == last.memory(seat)


@variants
def test_a_seat_cannot_tell_an_imagined_table_from_the_true_one(options: dict[str, Any]) -> None:
    rng, different = random.Random(1), 0
    for table in tables(4, options, 80):
        if table.deal is not None or table.state.to_act is None:
            continue
        seat = table.state.to_act
        imagined = table.imagined(seat, rng)
        different += imagined.state.players[1 - seat] != table.state.players[1 - seat]
        assert imagined.seen(seat) == table.seen(seat)
        assert imagined.history(seat) == table.history(seat)
        assert legal_moves(imagined.state) == legal_moves(table.state)
        assert all_cards(imagined.state) == all_cards(table.state)
    assert different > 50


def _laid(state: State) -> list[int]:
    """The cards that are before the players or in their hands."""
    return [card for p in state.players for cards in (p.hand, *p.columns, *p.arrivals) for card in cards]


def test_an_imagined_table_plays_on_and_refuses_to_be_stored() -> None:
    rng = random.Random(2)
    *_, table = tables(4, {"turn_limit": 30}, 20)
    imagined = table.imagined(0, rng)
    while imagined.deal is not None or imagined.state.to_act is not None:
        if imagined.deal is not None:
            imagined = imagined.after(rng.choice(imagined.outcomes())[0])
        else:
            imagined = imagined.after(NUMBER_OF[rng.choice(legal_moves(imagined.state))])
    assert imagined.state.result is not None
    with pytest.raises(TypeError, match="imagined"):
        pickle.dumps(imagined)


@variants
def test_cards_that_only_the_opponent_has_seen_are_not_in_a_seats_history(options: dict[str, Any]) -> None:
    pairs = 0
    for table, twin in twins(1, options, 24):
        pairs += table.history(1) != twin.history(1)
        assert table.history(0) == twin.history(0)
        assert table.history(None) == twin.history(None)
        assert table.memory(0) == twin.memory(0)
    assert pairs > 40
