"""What a position promises each seat: how likely it is to win the game.

Who wins a later round nobody can know, for it depends on a shuffle: every seat that plays is as likely as another.
"""

from functools import lru_cache
from math import exp, sqrt
from typing import Final

from domain.migo.bots.evaluation import Outlook
from domain.migo.rules.options import FLAGS_TO_WIN, last_round
from domain.migo.rules.scoring import places, round_winner, scores
from domain.migo.rules.state import State, setup_of

SETTLED: Final = 0.6  # points: how much of a lead is worth nothing with the last card
OPEN: Final = 0.9  # more of it for the square root of the cards that are left


def prospects(state: State) -> tuple[float, ...]:
    """The chance of every seat, exact once the game is over, after a take or at the round's end."""
    seats = range(len(state.players))
    if not state.lying:
        return _after_round(state, round_winner(state, scores(state)))
    if state.takes == setup_of(state).options.turn_limit:
        ranks = places(state, None)
        return tuple([float(ranks[seat] == 1) / ranks.count(1) for seat in seats])
    promised, width = Outlook(state).expected_after_next(), SETTLED + OPEN * sqrt(state.left)
    most = max([promised[seat] for seat in seats if seat not in state.resigned])
    weights = [0.0 if seat in state.resigned else exp((promised[seat] - most) / width) for seat in seats]
    chances, total = [0.0] * len(weights), sum(weights)
    for winner, weight in enumerate(weights):
        if weight:
            for seat, chance in enumerate(_after_round(state, winner)):
                chances[seat] += chance * weight / total
    return tuple(chances)


def _after_round(state: State, winner: int) -> tuple[float, ...]:
    """The chances if that seat wins the running round."""
    flags = tuple([player.flags for player in state.players])
    playing = tuple([seat for seat in range(len(flags)) if seat not in state.resigned])
    return chances_by_flags(flags, winner, state.number, playing, last_round(len(flags)))


@lru_cache(maxsize=4096)
def chances_by_flags(
    flags: tuple[int, ...], winner: int, number: int, playing: tuple[int, ...], last: int
) -> tuple[float, ...]:
    """The chances of the game, with the flags as they are before the winner of round `number` gets another."""
    after = flags[:winner] + (flags[winner] + 1,) + flags[winner + 1 :]
    if after[winner] >= FLAGS_TO_WIN or number == last:
        return tuple([float(seat == winner) for seat in range(len(flags))])
    sums = [0.0] * len(flags)
    for following in playing:
        for seat, chance in enumerate(chances_by_flags(after, following, number + 1, playing, last)):
            sums[seat] += chance
    return tuple([total / len(playing) for total in sums])
