# compiled into migo
"""Observation of a seat: all that a bot is shown, and no more than a view tells."""

from collections.abc import Sequence
from dataclasses import dataclass

from domain.lifecycle import Seat
from domain.migo.rules.cards import CARDS
from domain.migo.rules.legal import legal_moves
from domain.migo.rules.moves import Move
from domain.migo.rules.options import Options, round_layout
from domain.migo.rules.state import GONE, Player, RoundResult, Setup, State, lying_at, setup_of


@dataclass(frozen=True, slots=True)
class Observation:
    """The table from one seat; `moves` are its legal moves, empty when it is not to act.

    `table` is a state in which nothing is prepared, and what a view does not tell stands by rule: cards that are
    neither on the table nor with a player lie in the box, front up, and the seats have played in the order of turns.
    """

    seat: int
    table: State
    moves: tuple[Move, ...]


def observe(state: State, seat: int) -> Observation:
    """The observation of a seat."""
    table = seen(
        setup_of(state).options,
        state.to_act,
        state.takes,
        state.number,
        state.starter,
        state.table,
        state.players,
        state.resigned,
        state.rounds,
    )
    return Observation(seat, table, tuple(legal_moves(table)) if seat == state.to_act else ())


def seen(
    options: Options,
    to_act: int | None,
    takes: int,
    number: int,
    starter: int,
    table: tuple[int, ...],
    players: Sequence[Player],
    resigned: Sequence[int],
    rounds: tuple[RoundResult, ...],
) -> State:
    """The table as everybody sees it, field by field; of the `players` all but their last takes."""
    seats, visible = len(players), {face >> 1 for face in table if face != GONE}
    for player in players:
        visible.update([face >> 1 for face in player.cards])
    ago = [((to_act or 0) - 1 - seat) % seats for seat in range(seats)]
    return State(
        Setup("", "", options, (Seat("human"),) * seats, None),
        to_act,
        takes,
        number,
        starter,
        round_layout(options, seats, number),
        table,
        lying_at(table),
        tuple(
            [
                Player(player.cards, player.full, player.empty, player.flags, max(0, takes - ago[seat]))
                for seat, player in enumerate(players)
            ]
        ),
        (),
        tuple([2 * card for card in range(CARDS) if card not in visible]),
        rounds,
        tuple(sorted(resigned)),
        (),
        None,
    )
