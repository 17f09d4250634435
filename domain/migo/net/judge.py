# compiled into migo
"""Each seat's probability of winning the game after a take, by the net.

The net estimates which seat takes the round's flag, or wins the game if the turn limit ends it within the round. The
value of a flag follows from the flags.
"""

from domain.migo.net.inputs import Table
from domain.migo.net.later_rounds import after_round
from domain.migo.rules.events import RoundEnded
from domain.migo.rules.scoring import champion, places, round_winner, scores
from domain.migo.rules.state import State, evolve, setup_of
from domain.net.logistic import CERTAINTY, probability_of
from domain.net.network import Network


def chances_after(state: State, network: Network, left: int | None = None) -> tuple[float, ...]:
    """The chance of every seat, after a take or at the round's end; where the game is over, the share of the first
    place. `left`: takes until the round ends; as many as cards lie unless told.
    """
    is_last_take = state.takes == setup_of(state).options.turn_limit
    if not state.lying:
        points = scores(state)
        winner = round_winner(state, points)
        if not is_last_take:
            return after_round(state, winner)
        ended = evolve(state, RoundEnded(state.number, points, winner))
        won = champion(ended)
        return _first_places(places(ended, None if won is None else won[0]))
    seats = len(state.players)
    if is_last_take:
        return _first_places(places(state, None))
    table = Table(state, left)
    shares = _of_two(state, table, network) if seats == 2 else _of_more(state, table, network)
    if table.is_cut:
        return tuple(shares)
    chances = [0.0] * seats
    for winner, share in enumerate(shares):
        if share > 0.0:
            for seat, chance in enumerate(after_round(state, winner)):
                chances[seat] += share * chance
    return tuple(chances)


def _first_places(ranks: tuple[int, ...]) -> tuple[float, ...]:
    return tuple([float(rank == 1) / ranks.count(1) for rank in ranks])


def _of_two(state: State, table: Table, network: Network) -> list[float]:
    """Chances of two seats: the net judges for the seat that has just taken a card, and the other one has the rest."""
    mover = int(state.players[1].last > state.players[0].last)
    share = _share(table, mover, network) / CERTAINTY
    return [share, 1.0 - share] if mover == 0 else [1.0 - share, share]


def _of_more(state: State, table: Table, network: Network) -> list[float]:
    """Chances of more than two seats: the net judges for each, and the results are scaled to add up to 1."""
    shares = [
        0 if seat in state.resigned else _share(table, seat, network) for seat in range(len(state.players))
    ]
    total = sum(shares)
    return [share / total for share in shares]


def _share(table: Table, seat: int, network: Network) -> int:
    """The seat's own chance, from 1 to CERTAINTY."""
    return max(1, probability_of(network.logit(network.add(network.bias, table.inputs(seat)))))
