"""Likelihood of a player's moves: for people of several strengths, and for a person who has a bot.

A game says how likely people of each strength make each move (`Game.chances`). A person with a bot makes the bot's
move, a strong player's move or any move. Moves with the same outcome are one choice. If a player's moves follow one of
these strengths, the chance is at most 1/x that their likelihood for the bot is x times that for every strength
(Markov). This holds for any positions and any number of choices, so no baseline is needed.
"""

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from domain.lifecycle import EventRecord
from events.audit.players.choices import Choices, Chosen

SLIPS: Final = 0.02  # share of a person's moves that are slips: any move is as likely as any other
SLIPS_WITH_A_BOT: Final = 0.05  # the same share if the person has a bot
FAITHFUL: Final = 0.85  # share of that person's other moves that the bot makes, asked with another seed
_STRONG: Final = 2  # index, among the strengths of the game, of the strength of all remaining moves


class Likelihood(NamedTuple):
    """Of some choices of a player: how many, and the logarithms of their likelihood for a bot and for people, by
    strength.
    """

    of: int
    bot: float
    people: tuple[float, ...]

    def together(self, other: "Likelihood") -> "Likelihood":
        """The likelihoods of these choices and of the others, together."""
        people = tuple([one + two for one, two in zip(self.people, other.people, strict=True)])
        return Likelihood(self.of + other.of, self.bot + other.bot, people)

    @property
    def log_ratio(self) -> float:
        """The logarithm of the likelihood for the bot by that for the people whose moves these are likeliest."""
        return self.bot - max(self.people)


class Weighing(NamedTuple):
    """The choice that was made: its chance for people, by strength, and how many different ones there were."""

    people: tuple[float, ...]
    kinds: int

    def under(self, agrees: bool) -> Likelihood:
        """The likelihood of the choice; `agrees`: the bot would have made it, too."""
        strong = self.people[min(_STRONG, len(self.people) - 1)]
        bot = (1 - SLIPS_WITH_A_BOT) * (
            FAITHFUL * agrees + (1 - FAITHFUL) * strong
        ) + SLIPS_WITH_A_BOT / self.kinds
        people = [math.log((1 - SLIPS) * chance + SLIPS / self.kinds) for chance in self.people]
        return Likelihood(1, math.log(bot), tuple(people))


def weighed(choices: Choices, one: Chosen) -> Weighing | None:
    """The weighing of the choice among all that there were; None if the game does not say how people choose."""
    rows: Sequence[Sequence[float]] = choices.game.chances(one.observation)
    if not rows:
        return None
    outcomes: list[list[EventRecord] | None] = [choices.causes(one, move) for move in one.observation.moves]
    kinds: list[Any] = [outcome for at, outcome in enumerate(outcomes) if outcome not in outcomes[:at]]
    if one.caused not in kinds:  # a move and the discard after it that came in one request
        return None
    people = [
        min(
            1.0, sum([chance for chance, outcome in zip(row, outcomes, strict=True) if outcome == one.caused])
        )
        for row in rows
    ]
    return Weighing(tuple(people), len(kinds))
