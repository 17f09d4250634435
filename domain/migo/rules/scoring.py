# compiled into migo
"""Score of a round (rules 4), and places at the end of the game (rulings M3, M9, M11, M15, M16)."""

from collections.abc import Sequence
from typing import Final

from domain.migo.rules.cards import GEAR, HAT, CardTable
from domain.migo.rules.options import FLAGS_TO_WIN, last_round
from domain.migo.rules.state import Player, State, setup_of

MAJORITY: Final = 4
SHARED_MAJORITY: Final = 2  # for each of two who tie, in a game of three or four
HAT_POINTS: Final = 2
EMPTY_POINTS: Final = -2


def scores(state: State) -> tuple[int, ...]:
    """Each seat's score in the running round, as the cards lie."""
    return round_scores(state.players, state.resigned, setup_of(state).options.card_table)


def round_scores(players: tuple[Player, ...], resigned: tuple[int, ...], table: CardTable) -> tuple[int, ...]:
    """Each player's points, those of majorities included."""
    points = [EMPTY_POINTS * player.empty for player in players]
    pieces = [[0] * len(players) for _ in range(GEAR)]  # by kind, then by seat
    for seat, player in enumerate(players):
        for face in player.cards:
            kind, count = table.kinds[face], table.counts[face]
            if kind < GEAR:
                pieces[kind][seat] += count
                points[seat] += count
            elif kind == HAT:
                points[seat] += HAT_POINTS * count
    for of_kind in pieces:
        _add_majority(points, of_kind, resigned)
    return tuple(points)


def _add_majority(points: list[int], pieces: list[int], resigned: tuple[int, ...]) -> None:
    """The points for having the most pieces of a kind, at least one (ruling M7); resigned seats have none (M15)."""
    most, who = 0, list[int]()
    for seat, count in enumerate(pieces):
        if seat not in resigned:
            if count > most:
                most, who = count, [seat]
            elif count == most and count:
                who.append(seat)
    if len(who) == 1:
        points[who[0]] += MAJORITY
    elif len(who) == 2 and len(pieces) > 2:
        points[who[0]] += SHARED_MAJORITY
        points[who[1]] += SHARED_MAJORITY


def round_winner(state: State, points: Sequence[int]) -> int:
    """The highest score takes the flag; of several, the seat that played last (rules 4)."""
    best = -1
    for seat, player in enumerate(state.players):
        if seat in state.resigned:
            continue
        if best < 0 or (points[seat], player.last) > (points[best], state.players[best].last):
            best = seat
    return best


def next_starter(state: State, points: Sequence[int]) -> int:
    """The starter of the next round: the seat with the lowest score of the ended round; M1 and M10 break ties."""
    return starter_after(state.starter, points, state.resigned)


def starter_after(starter: int, points: Sequence[int], resigned: Sequence[int]) -> int:
    """The starter of the round that follows one that `starter` started and that ended with these points by seat."""
    seats, lowest = len(points), -1
    for step in range(seats):
        seat = (starter + 1 + step) % seats
        if seat not in resigned and (lowest < 0 or points[seat] < points[lowest]):
            lowest = seat
    return lowest


def total_scores(state: State) -> tuple[int, ...]:
    """The sums over all rounds, the running one included."""
    sums = [0] * len(state.players) if len(state.rounds) == state.number else list(scores(state))
    for ended in state.rounds:
        for seat, points in enumerate(ended.scores):
            sums[seat] += points
    return tuple(sums)


def champion(state: State) -> tuple[int, str] | None:
    """Winner of the game after a round has ended, and the reason; None if the game goes on.

    Two flags win; after the last round its own flag decides (rulings M3, M16).
    """
    for seat, player in enumerate(state.players):
        if player.flags >= FLAGS_TO_WIN and seat not in state.resigned:
            return seat, "two_flags"
    is_last = state.number == last_round(len(state.players))
    return (state.rounds[-1].winner, "round_four") if is_last else None


def places(state: State, winner: int | None) -> tuple[int, ...]:
    """The place of every seat (ruling M11): the winner, if there is one, then by flags and sums, then who resigned."""
    sums = total_scores(state)
    ranks: list[tuple[int, int, int]] = []
    for seat, player in enumerate(state.players):
        if seat in state.resigned:
            ranks.append((-1, state.resigned.index(seat), 0))
        else:
            ranks.append((int(seat == winner), player.flags, sums[seat]))
    return tuple([1 + sum([other > rank for other in ranks]) for rank in ranks])
