"""`python -m tests.domain.noninterference POSITIONS`: what bots choose in two truths that a seat cannot tell apart.

Games are played by a net level with some random moves between. All that the seat to act cannot know is drawn anew.
Every bot by the net has to choose the same move in both, by the same chance, with the same list of what it considered,
and every move has to be judged by the same number and explained in the same words and figures. Prints how many
positions were compared, in how many of them the second truth differs, and how often each bot chose otherwise, or a move
was judged or explained otherwise.
"""

import random
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import compiled.preferred  # noqa: F401 (before anything imports the domain)
from domain.bot import Choice
from domain.migrato.belief.observation import Observation, observe
from domain.migrato.belief.resampling import resampled
from domain.migrato.bots import BOTS
from domain.migrato.bots.learned.levels import LEVELS, STYLES
from domain.migrato.game import MIGRATO
from domain.migrato.net.checked_in import trained
from domain.migrato.net.judge import Judge
from domain.prng import Prng
from tests.domain.playing import FAR_OPTIONS, OPTIONS, chance_of
from tests.domain.remembering import Told

SELDOM = {"level-7": 20}  # a search, asked in one of so many positions
OFTEN = ("net", *[bot.name for bot in (*LEVELS, *STYLES) if bot.name not in SELDOM])
JUDGED, EXPLAINED = "judged", "explained"
PLAYER = BOTS["level-5"]
WILD = 0.2  # the share of random moves
LONGEST = 120  # decisions of a game
VARIANTS: Sequence[dict[str, Any]] = (*OPTIONS, *FAR_OPTIONS.values())


class Compared(NamedTuple):
    """Numbers of games, and of positions: compared, with another truth indeed, and by bot those in which the choices
    differ.
    """

    games: int
    positions: int
    different: int
    betrayed: dict[str, int]


def compare(positions: int, longest: int = LONGEST, apart: int = 1) -> Compared:
    """Games of all variants in turn, of so many decisions at most, until so many positions were compared: one in every
    `apart` decisions.
    """
    done = different = number = 0
    betrayed = dict.fromkeys((*OFTEN, *SELDOM, JUDGED, EXPLAINED), 0)
    while done < positions:
        told, rng, chance = (
            Told.dealt(number, VARIANTS[number % len(VARIANTS)]), random.Random(number), chance_of(number)
        )  # fmt: skip
        number += 1
        for decision in range(longest):
            seat = told.state.to_act
            if seat is None or done == positions:
                break
            seen = told.seen(seat)
            if decision % apart == 0:
                other = resampled(told.state, seat, told.memories[seat], done)
                _compare(seen, observe(other, seat, told.memories[seat]), done, betrayed)
                done += 1
                different += other != told.state
            move = rng.choice(seen.moves) if rng.random() < WILD else PLAYER.choose(seen, Prng(done))
            told.plays(move, chance)
    return Compared(number, done, different, betrayed)


def _compare(one: Observation, other: Observation, number: int, betrayed: dict[str, int]) -> None:
    """Count who says something else of the second truth."""
    sights = (one, other)
    for name in (*OFTEN, *(name for name, apart in SELDOM.items() if number % apart == 0)):
        first, second = (BOTS[name].think(sight, Prng(number)) for sight in sights)
        betrayed[name] += first != second
    logits = [[judge.logit(move) for move in one.moves] for judge in (Judge(s, trained()) for s in sights)]
    betrayed[JUDGED] += logits[0] != logits[1]
    weighed, again = (MIGRATO.explained(sight, "net", Choice(one.moves[0])) for sight in sights)
    betrayed[EXPLAINED] += weighed != again


if __name__ == "__main__":
    sys.stdout.write(f"{compare(int(sys.argv[1]))}\n")
