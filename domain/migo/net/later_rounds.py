# compiled into migo
"""Prospects from flags. The winner of a later round depends on a shuffle, so every seat that still plays counts as
equally likely.
"""

from functools import lru_cache

from domain.migo.rules.options import FLAGS_TO_WIN, last_round
from domain.migo.rules.state import State


def after_round(state: State, winner: int) -> tuple[float, ...]:
    """Each seat's chance of winning the game if seat `winner` wins the running round."""
    flags = tuple([player.flags for player in state.players])
    playing = tuple([seat for seat in range(len(flags)) if seat not in state.resigned])
    return chances_by_flags(flags, winner, state.number, playing, last_round(len(flags)))


@lru_cache(maxsize=4096)
def chances_by_flags(
    flags: tuple[int, ...], winner: int, number: int, playing: tuple[int, ...], last: int
) -> tuple[float, ...]:
    """Each seat's chance of winning the game; `flags` are those before the winner of round `number` gets another."""
    after = flags[:winner] + (flags[winner] + 1,) + flags[winner + 1 :]
    if after[winner] >= FLAGS_TO_WIN or number == last:
        return tuple([float(seat == winner) for seat in range(len(flags))])
    sums = [0.0] * len(flags)
    for following in playing:
        for seat, chance in enumerate(chances_by_flags(after, following, number + 1, playing, last)):
            sums[seat] += chance
    return tuple([total / len(playing) for total in sums])
