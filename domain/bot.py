# compiled into rules
"""Bots, the questions to them, and their answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

from domain.errors import DomainError
from domain.prng import Prng

Move = Any  # a command of the game's
MOST_ITERATIONS: Final = 1_000_000  # that any search may be asked for
LONGEST: Final = 5.0  # seconds that an engine lets any bot think; what it has found by then is its move


class Strength(NamedTuple):
    """Elo points, with the bounds of their 95% interval; only differences between bots mean anything."""

    elo: int
    low: int
    high: int


class Observation(Protocol):
    """Observation: all that a seat sees and remembers; the rest is the game's own."""

    @property
    def moves(self) -> Sequence[Move]:
        """The seat's legal moves."""


class Rng(Protocol):
    """Source of a bot's chance; `random.Random` fits."""

    def randrange(self, stop: int, /) -> int:
        """A number from 0 to stop - 1."""

    def random(self) -> float:
        """A number from 0.0 to below 1.0."""

    def shuffle(self, items: list[Any], /) -> None:
        """Put the items in any order, in place."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Limit of thinking: so many `iterations` of a search, or until the caller's clock says `milliseconds` are over.

    `exact`: all of the iterations, also where the move is settled before. A search that did so many iterations is
    reproduced like that, to the last digit, no matter what ended it.
    """

    iterations: int | None = None
    milliseconds: int | None = None
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Reason:
    """Something that speaks for or against a move: its `kind` is WINS, DENIES or RISKS.

    `code`: which sentence it is, by the game's name for it; `about`: the id of its object, also by the game's name;
    None without a single object; `change`: what it adds to the probability of winning, below 0 for a risk; `points`:
    the change of the lead in points, None if the reason is not about points; `text`: the sentence in English.
    """

    kind: str
    code: str
    about: str | None
    change: float
    points: int | None
    text: str


WINS: Final = "wins"
DENIES: Final = "denies"
RISKS: Final = "risks"


@dataclass(frozen=True, slots=True)
class Considered:
    """An alternative that the bot weighed: its number of tries, and the bot's judgement.

    `value`: a lead in points, in the bot's own sense; `win_probability`: 0 to 1, a draw counts half; `spread`: the
    standard deviation of that over the sampled deals and draws, None without samples.
    """

    move: Move
    visits: int
    value: float
    win_probability: float
    spread: float | None = None
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """A move, the alternatives (most visited first; none from a bot that does not search), the iterations spent."""

    move: Move
    considered: tuple[Considered, ...] = ()
    iterations: int = 0


Stop = Callable[[], bool]
Policy = Callable[[Any, Rng, Budget, Stop], Choice]  # of the game's own observation


def never() -> bool:
    """The stop of a caller that has time."""
    return False


@dataclass(frozen=True, slots=True)
class Bot:
    """A named opponent: the same observation, chance and iterations give the same move.

    `budget`: its default for a move, None for a bot that does not search; `milliseconds`: how long that is on one core
    in plain Python, at most; `remembers`: whether it looks at what happened before, not only at the table; `chance`:
    whether its moves may depend on chance, or only on the observation and the iterations.
    """

    name: str
    version: str
    description: str
    policy: Policy
    milliseconds: int
    budget: Budget | None = None
    remembers: bool = False
    chance: bool = True

    def think(
        self, observation: Observation, rng: Rng, budget: Budget | None = None, stop: Stop = never
    ) -> Choice:
        """One of the observation's legal moves; if there is only one, at once.

        The domain has no clock: the bot counts iterations, and the caller's `stop` keeps the milliseconds. The search
        asks `stop` again and again, and ends with its best move so far.
        """
        if len(observation.moves) == 1:
            return Choice(observation.moves[0])
        return self.policy(observation, rng, budget or self.budget or Budget(), stop)

    def choose(self, observation: Observation, rng: Rng) -> Move:
        """The move alone."""
        return self.think(observation, rng).move


def with_version(name: str | None, version: object) -> str:
    """A bot's name with its version, as in level-5@2-5229c095 or my-bot@3."""
    return f"{name}@{version}"


def name_and_version(named: str) -> tuple[str, str]:
    """The parts of a bot's name with its version; the version is "" if there is none."""
    name, _, version = named.partition("@")
    return name, version


def by_version(bots: Sequence[Bot]) -> dict[str, Bot]:
    """The bots by name and version."""
    return {with_version(bot.name, bot.version): bot for bot in bots}


NONE_KEPT: Final[Mapping[str, Bot]] = {}


def bot_named(bots: Mapping[str, Bot], name: str, kept: Mapping[str, Bot] = NONE_KEPT) -> Bot:
    """The one of a game's bots that has the name, or the name and the version.

    `kept`: bots of former versions, by both. DomainError "unknown-bot" if none has it.
    """
    if name in bots:
        return bots[name]
    plain, version = name_and_version(name)
    if plain in bots and bots[plain].version == version:
        return bots[plain]
    if name in kept:
        return kept[name]
    if plain in bots:
        there = [bots[plain].version, *[bot.version for bot in kept.values() if bot.name == plain]]
        raise DomainError(
            "unknown-bot", f"{plain} has no version {version!r} here; it has: {', '.join(there)}."
        )
    raise DomainError("unknown-bot", f"There is no bot {name!r}; there are: {', '.join(bots)}.")


def think(
    bots: Mapping[str, Bot],
    name: str,
    observation: Observation,
    seed: int,
    budget: Budget | None = None,
    stop: Stop = never,
    kept: Mapping[str, Bot] = NONE_KEPT,
) -> Choice:
    """Decision of the bot of that name, by its own budget unless another one is given; see `bot_named`."""
    return bot_named(bots, name, kept).think(observation, Prng(seed), budget, stop)
