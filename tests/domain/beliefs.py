"""A seat's beliefs by brute force: every hidden deal that history allows, one by one, and how likely it is.

Likely, that is, with an opponent who picks blindly among its hand cards wherever the rules let it.

Slow and simple, and made without anything of `domain.migrato.belief`, to judge it by.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from domain.migrato.rules.cards import DOWN, SEEN, SPECIES_OF
from domain.migrato.rules.columns import Column, checked_after_play, shape_of
from domain.migrato.rules.events import (
    ArrivalFailed,
    BirdPlayed,
    BirdsArrived,
    CardDiscarded,
    CardsDrawn,
    CardsMoved,
    ColumnDiscarded,
    DangerPlayed,
    DeckReshuffled,
    Event,
    HandExchanged,
)
from domain.migrato.rules.legal import refusal
from domain.migrato.rules.moves import Play
from domain.migrato.rules.state import State, setup_of


class Belief(NamedTuple):
    """One hidden deal: the opponent's hand, sorted; its columns, face-down cards too; the deck, sorted."""

    hand: tuple[int, ...]
    columns: tuple[Column, ...]
    deck: tuple[int, ...]


Beliefs = dict[Belief, float]
Way = tuple[float, Belief]  # what a belief may become, and how likely that is if it is true


def at_start(state: State, seat: int) -> Beliefs:
    """Before the first move: any hand."""
    rest = list((Counter(setup_of(state).rules.deck) - Counter(state.players[seat].hand)).elements())
    return _together(1.0, _drawn(Belief((), ((),) * 4, tuple(sorted(rest))), 3))


def after(beliefs: Beliefs, seat: int, before: State, event: Event, following: list[Event]) -> Beliefs:
    """The beliefs that are left, and what they become, after an event; `following`: those of the same move."""
    now: Beliefs = {}
    for belief, weight in beliefs.items():
        for become, odds in _together(weight, _after(belief, seat, before, event, following)).items():
            now[become] = now.get(become, 0.0) + odds
    total = sum(now.values())
    return {belief: weight / total for belief, weight in now.items()}


def _together(weight: float, ways: Iterator[Way]) -> Beliefs:
    beliefs: Beliefs = {}
    for odds, belief in ways:
        beliefs[belief] = beliefs.get(belief, 0.0) + weight * odds
    return beliefs


def _after(belief: Belief, seat: int, before: State, event: Event, following: list[Event]) -> Iterator[Way]:
    columns, deck = belief.columns, belief.deck
    theirs = getattr(event, "seat", None) != seat
    match event:
        case CardsDrawn(_, cards) if theirs:
            yield from _drawn(belief, len(cards))
        case CardsDrawn(_, cards):
            odds = _blindly(deck, cards)
            if odds:
                yield odds, belief._replace(deck=_less(deck, cards))
        case CardDiscarded(_, card) if theirs:
            yield from _showing(belief, (card,))
        case HandExchanged(_, cards) if theirs:
            yield from _showing(belief, cards)
        case BirdPlayed(_, card, slot) if theirs:
            yield from _played(belief, before, card, slot, following)
        case CardsMoved(_, source, index, target) if theirs:
            laid = list(columns)
            laid[target] += laid[source][index:]
            laid[source] = laid[source][:index]
            yield 1.0, belief._replace(columns=tuple(laid))
        case DangerPlayed(_, danger, _, _, card) if theirs:
            for odds, shown in _showing(belief, (danger,)):
                yield odds, shown._replace(hand=tuple(sorted((*shown.hand, card))))
        case DangerPlayed(_, _, slot, _, card) if slot is not None:
            if columns[slot][-1] == card:
                yield 1.0, _with_column(belief, slot, columns[slot][:-1])
        case BirdsArrived(_, slot, species, cards) if theirs:
            emptied = _with_column(belief, slot, ())
            if columns[slot] == cards and _sweep(before, emptied, species) == _swept(following):
                yield 1.0, emptied
        case ArrivalFailed(_, slot, cards) if theirs:
            if columns[slot] == cards:
                yield 1.0, _with_column(belief, slot, ())
        case ColumnDiscarded(_, slot, cards, places) if theirs:
            column = columns[slot]
            if tuple(column[place] for place in places) == cards:
                kept = tuple(card for place, card in enumerate(column) if place not in places)
                yield 1.0, _with_column(belief, slot, kept)
        case DeckReshuffled(cards):
            if not deck:
                yield 1.0, belief._replace(deck=tuple(sorted(cards)))
        case _:
            yield 1.0, belief


def _drawn(belief: Belief, number: int) -> Iterator[Way]:
    ways = Counter(combinations(belief.deck, number))
    for cards, count in ways.items():
        hand = tuple(sorted(belief.hand + cards))
        yield count / ways.total(), Belief(hand, belief.columns, _less(belief.deck, cards))


def _blindly(pile: tuple[int, ...], cards: tuple[int, ...]) -> float:
    """The probability of just these cards, in this order, drawn blindly."""
    odds, left = 1.0, list(pile)
    for card in cards:
        odds *= left.count(card) / max(1, len(left))
        if odds:
            left.remove(card)
    return odds


def _showing(belief: Belief, cards: tuple[int, ...]) -> Iterator[Way]:
    odds = _blindly(belief.hand, cards)
    if odds:
        yield odds, belief._replace(hand=_less(belief.hand, cards))


def _played(belief: Belief, before: State, card: int, slot: int, following: list[Event]) -> Iterator[Way]:
    player = before.to_act
    assert player is not None
    for face in {face for face in belief.hand if face == card or (SEEN[card] == DOWN)}:
        if face >= len(SEEN) or SEEN[face] != SEEN[card]:
            continue
        side = before.players[player]._replace(hand=belief.hand)
        players = (side, before.players[1]) if player == 0 else (before.players[0], side)
        if refusal(before._replace(players=players), player, Play(face, slot if side.shapes[slot] else None)):
            continue
        column = (*belief.columns[slot], face)
        turned_up = any(getattr(event, "slot", None) == slot for event in following[:1])
        if checked_after_play(column) == turned_up:
            rest = belief._replace(hand=_less(belief.hand, (face,)))
            yield _blindly(belief.hand, (face,)), _with_column(rest, slot, column)


def _sweep(before: State, belief: Belief, species: int) -> list[tuple[int, tuple[int, ...]]]:
    """By slot, the places of what goes after an arrival (rules 6)."""
    places: list[tuple[int, tuple[int, ...]]] = []
    for slot, column in enumerate(belief.columns):
        of_it = tuple(place for place, card in enumerate(column) if SPECIES_OF[card] == species)
        if setup_of(before).rules.sweep == "seen_columns":
            seen = any(face != DOWN and SPECIES_OF[face] == species for face in shape_of(column))
            of_it = tuple(range(len(column))) if seen else ()
        if of_it:
            places.append((slot, of_it))
    return places


def _swept(following: list[Event]) -> list[tuple[int, tuple[int, ...]]]:
    return [(event.slot, event.places) for event in following if isinstance(event, ColumnDiscarded)]


def _with_column(belief: Belief, slot: int, column: Column) -> Belief:
    return belief._replace(columns=(*belief.columns[:slot], column, *belief.columns[slot + 1 :]))


def _less(cards: tuple[int, ...], gone: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted((Counter(cards) - Counter(gone)).elements()))
