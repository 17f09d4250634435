"""Positions that play can lead to, by the order of turns, sherpas, bottles and earlier rounds.

If seats have resigned, the position does not show when they did. Then only conditions that hold in every such case are
checked.
"""

from itertools import combinations
from typing import Final

from domain.migo.rules.cards import BOTTLE, CARDS, GEAR, HAT, SHERPA
from domain.migo.rules.options import TOKENS, Options, round_layout
from domain.migo.rules.scoring import EMPTY_POINTS, HAT_POINTS, MAJORITY, starter_after
from domain.migo.rules.state import (
    GONE,
    NEVER,
    Player,
    RoundResult,
    State,
    layout_of,
    next_seat,
    setup_of,
)

LEAST_POINTS: Final = EMPTY_POINTS * TOKENS
MAJORITIES: Final = GEAR * MAJORITY


def unreachable(state: State) -> str | None:
    """The reason for which the visible position cannot have come about by play, in a sentence; None if it can.

    The state holds every card once, in a round and with seats, takes and tokens that there are (see `impossible`).
    """
    return (
        _wrong_turn(state)
        or _wrong_cards(state)
        or _wrong_tokens(state)
        or _wrong_scores(state)
        or _wrong_starter(state)
    )


def unreachable_aside(state: State) -> str | None:
    """The reason for which what a view hides cannot have come about: discarded and boxed cards, last takes."""
    size = layout_of(state).size
    if len(state.boxed) != CARDS - size:
        return f"In this round {CARDS - size} cards stay in the box."
    kinds = setup_of(state).options.card_table.kinds
    if not state.resigned and any(kinds[face] != SHERPA for face in state.discarded):
        return "A card was discarded that shows no sherpa."
    return _wrong_last_takes(state, size - state.left)


# --- the running round ------------------------------------------------------------------------------------------------


def _wrong_turn(state: State) -> str | None:
    """The fault of the seat to act: turns go clockwise from the starter, and each empty token was an extra turn."""
    seats, taken = len(state.players), layout_of(state).size - state.left
    drunk = sum([player.empty for player in state.players])
    turn = state.to_act
    if not state.resigned:
        turn = (state.starter + taken - drunk) % seats
    elif not taken:
        turn = next_seat((state.starter - 1) % seats, seats, state.resigned)
    return None if state.to_act == turn else f"By the order of play it would be the turn of seat {turn}."


def _most_takes(state: State) -> list[int]:
    """The most cards that each seat can have taken in the round; the exact number if nobody has resigned."""
    seats, taken = len(state.players), layout_of(state).size - state.left
    if not state.resigned:
        turns = taken - sum([player.empty for player in state.players])
        return [
            (turns - (seat - state.starter) % seats + seats - 1) // seats + player.empty
            for seat, player in enumerate(state.players)
        ]
    playing = seats - len(state.resigned)  # each of them had at most one turn less than any other seat
    return [
        (taken + playing) // (playing + 1) + player.empty
        if seat in state.resigned
        else (taken + playing - 1) // playing + player.empty
        for seat, player in enumerate(state.players)
    ]


def _wrong_cards(state: State) -> str | None:
    """The fault of the cards: a taken card lies before its taker, or was a sherpa, or a resigned seat took it."""
    layout, kinds = layout_of(state), setup_of(state).options.card_table.kinds
    if any(state.table[place] != GONE and kinds[state.table[place]] == SHERPA for place in layout.start):
        return "A sherpa lies where it could have been taken at the start."
    for player, most in zip(state.players, _most_takes(state), strict=True):
        if any(kinds[face] == SHERPA for face in player.cards):
            return "A player has a card that shows a sherpa."
        if len(player.cards) > most:
            return "A player has more cards than it can have taken."
    gone, sherpas = _gone(state), _sherpas_gone(state)
    if gone < 0:
        return "The players have more cards than were taken."
    if gone > sherpas + _most_of_resigned(state):
        return "More cards were taken than players have and sherpas can have been dismissed."
    return None


def _gone(state: State) -> int:
    """Number of cards taken in the round that no player has."""
    taken = layout_of(state).size - state.left
    return taken - sum([len(player.cards) for player in state.players])


def _sherpas_gone(state: State) -> int:
    """Number of cards with a sherpa that are neither on the table nor with a player."""
    kinds = setup_of(state).options.card_table.kinds
    seen = {face >> 1 for face in state.table if face != GONE}
    for player in state.players:
        seen.update([face >> 1 for face in player.cards])
    return sum([kinds[2 * card + 1] == SHERPA for card in range(CARDS) if card not in seen])


def _most_of_resigned(state: State) -> int:
    """The most cards that resigned seats can have taken in the round: in each circle the others had a turn, too."""
    if not state.resigned:
        return 0
    seats, taken = len(state.players), layout_of(state).size - state.left
    circles = max(0, taken - sum([player.empty for player in state.players])) // seats
    return taken - (seats - len(state.resigned)) * circles


def _wrong_tokens(state: State) -> str | None:
    """The fault of the tokens: a bottle that was taken or turned up brought a token, as long as there were any."""
    kinds, gone = setup_of(state).options.card_table.kinds, _gone(state)
    some_left = sum([player.full + player.empty for player in state.players]) < TOKENS
    for seat, (player, most) in enumerate(zip(state.players, _most_takes(state), strict=True)):
        tokens = player.full + player.empty
        if player.empty and most <= player.empty:
            return "A player has drunk before it can have had a token."
        if seat in state.resigned:
            if tokens > min(most, gone):
                return "A player has more bottle tokens than it can have got."
            continue
        shown = sum([kinds[face] == BOTTLE for face in player.cards])
        if some_left and tokens < shown:
            return "A player shows a bottle and got no token for it, though there were some."
        flips = min(most - len(player.cards), _sherpas_gone(state))
        if tokens > shown + _flipped_for(player, kinds, flips):
            return "A player has more bottle tokens than it can have got."
    return None


def _flipped_for(player: Player, kinds: tuple[int, ...], flips: int) -> int:
    """The most tokens that so many flips can have brought, besides one for each bottle that is up."""
    if any(kinds[face ^ 1] == BOTTLE for face in player.cards):
        return flips
    return flips // 2 if any(kinds[face] == BOTTLE for face in player.cards) else 0


def _wrong_last_takes(state: State, taken: int) -> str | None:
    """The fault of the last takes: each player with a card or token took one in this round, no two the same one."""
    lasts = [player.last for player in state.players if player.last != NEVER]
    if any(last <= state.takes - taken for last in lasts) or len(set(lasts)) != len(lasts):
        return "A player's last take is none of its own in this round."
    if taken and max(lasts, default=NEVER) != state.takes:
        return "Nobody made the last take."
    for player in state.players:
        if player.last == NEVER and (player.cards or player.full or player.empty):
            return "A player has something and has taken nothing."
    return None if state.resigned or _are_in_order(state) else "The last takes are not in the order of play."


def _are_in_order(state: State) -> bool:
    """True if the seats made their last takes clockwise, where nobody has resigned; who drank is to act again."""
    seats, last, first = len(state.players), state.takes + 1, state.to_act or 0
    if state.players[first].last != state.takes or not state.players[first].empty:
        first -= 1
    for ago, most in enumerate([_most_takes(state)[(first - ago) % seats] for ago in range(seats)]):
        player = state.players[(first - ago) % seats]
        if (player.last == NEVER) != (most == 0) or player.last >= last:
            return False
        last = last if player.last == NEVER else player.last
    return True


# --- earlier rounds ---------------------------------------------------------------------------------------------------


def _wrong_scores(state: State) -> str | None:
    options, seats = setup_of(state).options, len(state.players)
    for number, ended in enumerate(state.rounds, 1):
        most = _most_points(options, round_layout(options, seats, number).size)
        least = min(*ended.scores, sum(ended.scores))
        if least < LEAST_POINTS or sum(ended.scores) > most:
            return f"Nobody can have scored that in round {number}."
        playing = [points for seat, points in enumerate(ended.scores) if seat not in state.resigned]
        if ended.scores[ended.winner] < max(playing):
            return f"The winner of round {number} did not have the highest score."
    return None


def _most_points(options: Options, size: int) -> int:
    """The most points of a round of so many cards: those of the best cards, and all majorities."""
    table, worth = options.card_table, list[int]()
    for face in range(2 * CARDS):
        kind, count = table.kinds[face], table.counts[face]
        worth.append(count if kind < GEAR else HAT_POINTS * count if kind == HAT else 0)
    best = sorted([max(worth[2 * card], worth[2 * card + 1]) for card in range(CARDS)], reverse=True)
    return sum(best[:size]) + MAJORITIES


def _wrong_starter(state: State) -> str | None:
    """The fault of the starter: `first_seat` started round 1, the lowest score of a round the next (M1, M10)."""
    seats, first = len(state.players), setup_of(state).options.first_seat
    starters = set(range(seats)) if isinstance(first, str) else {first}
    for ended in state.rounds:
        starters = {seat for starter in starters for seat in _next_starters(state, ended, starter)}
    return None if state.starter in starters else "Another seat started the round."


def _next_starters(state: State, ended: RoundResult, starter: int) -> set[int]:
    """Seats that may have started after that round; seats that had resigned by then may not."""
    return {
        starter_after(starter, ended.scores, before)
        for count in range(len(state.resigned) + 1)
        for before in combinations(state.resigned, count)
    }
