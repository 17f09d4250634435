"""Decisions of bots: made with a seed that an audit can derive again (`events.log.seeds`), in a limited and recorded
time.
"""

import secrets as randomness
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from domain.bot import LONGEST, Bot, Budget, Choice, Considered, with_version
from domain.errors import DomainError
from domain.game import Bots, Rules
from domain.lifecycle import Json, PlayBotMove, Seat
from events.log.seeds import SEED_BYTES
from events.measures import UNCOUNTED, Measures

Stop = Callable[[], bool]

INTERVAL = 0.1  # seconds between two calls of `meanwhile`


def any_seed() -> str:
    """A seed that nobody has seen before, 16 hex digits."""
    return randomness.token_hex(SEED_BYTES)


def seated_bot(game: Bots, seat: Seat) -> Bot:
    """The bot of the seat, in the version with which the game was created.

    If the engine no longer has that version, the present version plays on; the record of each move names its version.
    """
    return game.bot(seated_name(game, seat))


def present_bot(game: Bots, name: str) -> Bot:
    """The bot of that name; DomainError "unknown-bot", also for a name with a version."""
    bot = game.bot(name)
    if bot.name != name:
        raise DomainError("unknown-bot", f"Only a seat of a new game takes a version, not {name!r}.")
    return bot


def seated_name(game: Bots, seat: Seat) -> str:
    """The name by which the game finds the seat's bot: with its version, if that is a former one."""
    named = with_version(seat.bot, seat.version)
    return named if named in game.kept_bots else str(seat.bot)


@dataclass(frozen=True, slots=True)
class BotDecision:
    """Decision of a bot, the milliseconds that it took, and all that is needed to repeat it."""

    bot: str
    version: str
    searches: bool
    seed: str
    choice: Choice
    milliseconds: int

    @property
    def budget(self) -> Json | None:
        """The budget that was really spent: fewer iterations than allowed if the clock cut the search short.

        None for a bot that does not search. With this budget and the same seed the bot makes the same decision.
        """
        return {"iterations": self.choice.iterations} if self.searches else None

    def chosen(self) -> PlayBotMove:
        """The bot's move as a command."""
        return PlayBotMove(self.choice.move, self.bot, self.version, self.budget, self.seed)


def think(
    game: Bots,
    observation: Any,
    name: str,
    seed: str,
    budget: Budget | None = None,
    meanwhile: Callable[[], None] | None = None,
    measures: Measures = UNCOUNTED,
    longest: float = LONGEST,
) -> BotDecision:
    """Let a bot of the game think about its seat's `observation`, by its own budget unless another one is given.

    The domain has no clock, so this function ends a search after the budget's milliseconds, and in any case after
    `longest` seconds. A search that is stopped ends with its best move so far. `meanwhile` is called about every
    INTERVAL while a search goes on; the time that it takes is added to the search's. Raises DomainError "unknown-bot".
    """
    bot = game.bot(name)
    allowed = budget or bot.budget or Budget()
    watch = _Watch(min(longest, (allowed.milliseconds or longest * 1000) / 1000), meanwhile)
    choice = game.think(observation, name, int(seed, 16), budget, watch.is_over)
    took = watch.seconds
    measures.thought(bot.name, took)
    return BotDecision(bot.name, bot.version, bot.budget is not None, seed, choice, round(took * 1000))


def explained(game: Bots, observation: Any, decision: BotDecision) -> BotDecision:
    """The same decision, with reasons for the considered moves if the game can give some."""
    considered = tuple(game.explained(observation, decision.bot, decision.choice))
    return replace(decision, choice=replace(decision.choice, considered=considered))


class _Watch:
    """Measures the time of a search, without the calls of `meanwhile`."""

    def __init__(self, seconds: float, meanwhile: Callable[[], None] | None) -> None:
        self._began = time.monotonic()
        self._deadline = self._began + seconds
        self._meanwhile = meanwhile
        self._next_look = self._began + INTERVAL

    @property
    def seconds(self) -> float:
        """Seconds that the bot has thought, without the calls of `meanwhile`."""
        return time.monotonic() - self._began

    def is_over(self) -> bool:
        """True if the search is to stop."""
        now = time.monotonic()
        if self._meanwhile is not None and now >= self._next_look:
            self._meanwhile()
            back = time.monotonic()
            self._began, self._deadline = self._began + back - now, self._deadline + back - now
            self._next_look, now = back + INTERVAL, back
        return now >= self._deadline


def reason_documents(considered: Considered) -> list[Json]:
    """The reasons as the API gives them."""
    return [
        {
            "kind": why.kind,
            "code": why.code,
            "about": why.about,
            "change": why.change,
            "points": why.points,
            "text": why.text,
        }
        for why in considered.reasons
    ]


def decision_document(game: Rules, decision: BotDecision) -> Json:
    """The decision as the API gives it: the move, ready to be posted, and the weighed alternatives."""
    return {
        "bot": decision.bot,
        "version": decision.version,
        "move": game.move_document(decision.choice.move),
        "considered": [
            {
                "move": game.move_document(one.move),
                "visits": one.visits,
                "value": round(one.value, 3),
                "win_probability": round(one.win_probability, 4),
                "spread": None if one.spread is None else round(one.spread, 4),
                "reasons": reason_documents(one),
            }
            for one in decision.choice.considered
        ],
        "iterations": decision.choice.iterations,
        "milliseconds": decision.milliseconds,
        "seed": decision.seed,
    }
