"""Thinking of bots: with a seed that can be found again (`events.log.seeds`), for a limited and recorded time."""

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

INTERVAL = 0.1  # seconds between two looks at what else there is to do


def any_seed() -> str:
    """A seed that nobody has seen before, 16 hex digits."""
    return randomness.token_hex(SEED_BYTES)


def seated_bot(game: Bots, seat: Seat) -> Bot:
    """The bot of the seat, in the version with which the game was created.

    If the engine has that version no more, the present one plays on; the record of each move says its version.
    """
    return game.bot(seated_name(game, seat))


def present_bot(game: Bots, name: str) -> Bot:
    """The bot of that name; DomainError "unknown-bot", also for a name with a version."""
    bot = game.bot(name)
    if bot.name != name:
        raise DomainError("unknown-bot", f"Only a seat of a new game takes a version, not {name!r}.")
    return bot


def seated_name(game: Bots, seat: Seat) -> str:
    """The name by which the game knows that bot: with the version, if it is a former one."""
    named = with_version(seat.bot, seat.version)
    return named if named in game.kept_bots else str(seat.bot)


@dataclass(frozen=True, slots=True)
class BotDecision:
    """Decision of a bot in so many milliseconds: its choice, and all that is needed to repeat it."""

    bot: str
    version: str
    searches: bool
    seed: str
    choice: Choice
    milliseconds: int

    @property
    def budget(self) -> Json | None:
        """The budget that was really used up; the clock may have cut the search short.

        None for a bot that does not search. With this budget and the same seed the bot comes to the same move.
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

    The domain has no clock: the milliseconds of a budget are kept here, and in any case `longest`, in seconds. A search
    that is stopped ends with its best move so far. `meanwhile` is called now and then while a search goes on, which
    then gets the time that this took in addition. DomainError "unknown-bot".
    """
    bot = game.bot(name)
    allowed = budget or bot.budget or Budget()
    watch = _Watch(min(longest, (allowed.milliseconds or longest * 1000) / 1000), meanwhile)
    choice = game.think(observation, name, int(seed, 16), budget, watch.is_over)
    took = watch.seconds
    measures.thought(bot.name, took)
    return BotDecision(bot.name, bot.version, bot.budget is not None, seed, choice, round(took * 1000))


def explained(game: Bots, observation: Any, decision: BotDecision) -> BotDecision:
    """The same decision, with reasons for the considered moves if the game can give any."""
    considered = tuple(game.explained(observation, decision.bot, decision.choice))
    return replace(decision, choice=replace(decision.choice, considered=considered))


class _Watch:
    """Keeps the time of a search; other work in between does not count."""

    def __init__(self, seconds: float, meanwhile: Callable[[], None] | None) -> None:
        self._began = time.monotonic()
        self._deadline = self._began + seconds
        self._meanwhile = meanwhile
        self._next_look = self._began + INTERVAL

    @property
    def seconds(self) -> float:
        """Seconds that the bot has thought, without other work in between."""
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
    """The decision as the API gives it: the bot's move, ready to be posted, and the alternatives that it weighed."""
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
