"""Games on the adapter's tables, with chance played by a generator."""

import random
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from domain.errors import DomainError
from domain.migrato.bots import BOTS
from domain.migrato.rules.cards import FIRST_DANGER, IS_NIGHT
from domain.migrato.rules.events import BirdPlayed, CardsDrawn, DeckReshuffled, Event, GameStarted
from domain.migrato.rules.legal import legal_moves
from domain.migrato.rules.moves import Discard, Play, PlayDanger
from domain.migrato.rules.rule_books import HAND_SIZE
from research.dealing import Table
from research.numbering import MOVES, NUMBER_OF

VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {"rules": "opla"},
    {"return_flight": True},
    {"rules": "opla", "return_flight": True, "memory_aid": True, "first_seat": "random"},
)


def tables(seed: int, options: dict[str, Any], moves: int, wild: float = 0.3) -> Iterator[Table]:
    """Every table of one game, those on which chance is to act included, up to so many moves."""
    rng = random.Random(seed)
    table = Table.laid(options)
    yield table
    while moves or table.deal is not None:
        if table.deal is not None:
            outcomes, chances = zip(*table.outcomes(), strict=True)
            table = table.after(rng.choices(outcomes, chances)[0])
        elif table.state.to_act is None:
            return
        else:
            table = table.after(_move(table, rng, wild))
            moves -= 1
        yield table


def _move(table: Table, rng: random.Random, wild: float) -> int:
    """Any legal move, or with probability 1 - `wild` the heuristic bot's."""
    if rng.random() < wild:
        return NUMBER_OF[rng.choice(legal_moves(table.state))]
    assert table.state.to_act is not None
    return NUMBER_OF[BOTS["heuristic"].choose(table.seen(table.state.to_act), rng)]


def way_to(table: Table) -> list[Table]:
    """Every table on the way, from the one that was laid."""
    way = [table]
    while way[-1].earlier is not None:
        way.append(way[-1].earlier)
    return way[::-1]


def twins(seed: int, options: dict[str, Any], moves: int) -> Iterator[tuple[Table, Table]]:
    """Pairs of tables that differ in cards that only seat 1 has seen: two games with the same moves.

    In the second one a card that seat 1 draws is another. Where seat 1 plays it face down, the other one is played
    instead; the pairs end where it shows (rules 9) or where the second game could not go on like the first.
    """
    *_, last = tables(seed, options, moves)
    way = way_to(last)
    for at, (before, after) in enumerate(pairwise(way)):
        if before.deal is not None and before.deal.first_seat is not None and _draws(before) == 1:
            others = [other for other, _ in before.outcomes()]
            for other in random.Random(at).sample(others, min(4, len(others))):
                if other != after.action:
                    yield from _follow(way[at + 1 :], before.after(other), after.action or 0, other)


def _draws(table: Table) -> int:
    """The seat that gets the next card."""
    assert table.deal is not None
    if table.deal.seat is not None:
        return table.deal.seat
    return (len(table.deal.dealt) + (table.deal.first_seat or 0)) % 2


def _follow(way: list[Table], twin: Table, card: int, other: int) -> Iterator[tuple[Table, Table]]:
    """Pairs from where the `other` card was drawn instead of `card`."""
    yield way[0], twin
    for before, after in pairwise(way):
        assert after.action is not None
        action = after.action
        if before.deal is None and before.state.to_act == 1 and _card(action) == card:
            move = MOVES[action]
            if (
                not isinstance(move, Play)
                or other >= FIRST_DANGER
                or before.state.players[1].hand.count(card) > 1
            ):
                return
            action = NUMBER_OF[move._replace(card=other)]
        elif before.deal is not None and action not in dict(twin.outcomes()):
            return
        try:
            twin = twin.after(action)
        except DomainError:
            return
        if len(after.events) != len(twin.events) or any(
            _shows(*pair) for pair in zip(after.events, twin.events, strict=True)
        ):
            return
        yield after, twin


def _card(action: int) -> int | None:
    move = MOVES[action]
    return move.card if isinstance(move, Play | PlayDanger | Discard) else None


def _shows(event: Event, twin: Event) -> bool:
    """True if seat 0 can tell the two events from each other, by the rules and not by the code that is tested."""
    if event == twin:
        return False
    match event, twin:
        case (CardsDrawn(1), CardsDrawn(1)) | (DeckReshuffled(), DeckReshuffled()):
            return False
        case GameStarted(_, _, hands), GameStarted(_, _, other):
            return hands[0] != other[0] or len(hands[1]) != HAND_SIZE
        case BirdPlayed(1, card, slot), BirdPlayed(1, other_card, other_slot):
            return slot != other_slot or not (IS_NIGHT[card] and IS_NIGHT[other_card])
        case _:
            return True
