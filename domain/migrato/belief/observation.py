# compiled into rules
"""Observation of a player who forgets nothing: all that a bot gets to see."""

from dataclasses import dataclass

from domain.migrato.belief.knowledge import NOTHING, Knowledge
from domain.migrato.belief.last_turn import as_seen
from domain.migrato.rules.legal import legal_moves
from domain.migrato.rules.moves import Move
from domain.migrato.rules.options import Rules
from domain.migrato.rules.state import Phase, Player, State, flights_left, setup_of


@dataclass(frozen=True, slots=True)
class Observation:
    """The table from one seat.

    `me` holds the own face-down cards too: their player saw each of them before playing it. `other` is the opponent as
    seen: DOWN for every hand card and every face-down card. `moves` are the legal moves, empty when not to act.
    `knowledge` is the player's knowledge beyond the table.
    """

    seat: int
    rules: Rules
    phase: Phase
    turn: int
    me: Player
    other: Player
    deck: int
    discard_pile: tuple[int, ...]
    flights_left: int
    moves: tuple[Move, ...]
    knowledge: Knowledge


def observe(state: State, seat: int, knowledge: Knowledge = NOTHING) -> Observation:
    """The observation of a seat; built field by field, nothing hidden passes."""
    return Observation(
        seat=seat,
        rules=setup_of(state).rules,
        phase=state.phase,
        turn=state.turn,
        me=state.players[seat],
        other=as_seen(state.players[1 - seat]),
        deck=len(state.deck),
        discard_pile=state.discard_pile,
        flights_left=flights_left(state),
        moves=tuple(legal_moves(state)) if seat == state.to_act else (),
        knowledge=knowledge,
    )
