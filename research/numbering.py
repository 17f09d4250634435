"""Every move as a number, the same in all rule variants: what was learnt on one can be carried to another."""

from typing import Final

from domain.migrato.codec.move_codec import move_document
from domain.migrato.rules.cards import DANGERS, DOWN, FIRST_DANGER, LONGEST_COLUMN, NAME, SPECIES
from domain.migrato.rules.moves import (
    ABANDONS,
    DANGER_ON_PILE,
    DANGER_ON_SLOT,
    DISCARDS,
    EXCHANGE,
    MOVE_CARDS,
    PASS,
    PLAYS,
    RETURN,
    SETTLE,
    Move,
    MoveCards,
    Play,
)
from domain.migrato.rules.rule_books import SLOTS


def _moves() -> list[Move]:
    """Every move that a position may allow; "settle" has the number of making no choice."""
    slots, dangers, choices = range(SLOTS), range(len(DANGERS)), (None, RETURN)
    moves: list[Move] = [DISCARDS[card] for card in range(DOWN + 1, len(NAME))]
    for card in range(DOWN + 1, FIRST_DANGER):
        moves += [PLAYS[card, slot, choice] for slot in (None, *slots) for choice in choices]
    for danger in dangers:
        moves += [DANGER_ON_SLOT[danger][slot] for slot in slots]
        moves += [DANGER_ON_PILE[danger][pile] for pile in range(len(SPECIES))]
    for source in slots:
        moves += [MOVE_CARDS[source, index, None, False, None] for index in range(1, LONGEST_COLUMN)]
        moves += [
            MOVE_CARDS[source, index, target, uncover, choice]
            for target in slots
            if target != source
            for index in range(LONGEST_COLUMN)
            for uncover in (False, True)
            for choice in choices
        ]
    return [*moves, EXCHANGE, *ABANDONS, PASS]


MOVES: Final = tuple(_moves())  # number -> move
NUMBER_OF: Final[dict[Move, int]] = {move: number for number, move in enumerate(MOVES)} | {
    move._replace(on_arrival=SETTLE): number
    for number, move in enumerate(MOVES)
    if isinstance(move, Play | MoveCards) and move.on_arrival is None
}


def described(number: int) -> str:
    """The move in words that no other move has, such as "play card=G5d slot=2"."""
    kind, *details = move_document(MOVES[number]).items()
    return " ".join([kind[1], *(f"{name}={_written(value)}" for name, value in details)])


def _written(value: object) -> str:
    if isinstance(value, dict):  # a danger's target
        return "".join(f"{name}:{of}" for name, of in value.items())
    return "new" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
