# compiled into rules
"""Bots, the questions to them, and their answers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

from domain.errors import DomainError
from domain.prng import Prng

Move = Any  # a command of the game's
MOST_ITERATIONS: Final = 1_000_000  # the most that may be asked of any search
# seconds that an engine lets any bot think; then the bot plays the best move that it has found
LONGEST: Final = 5.0


class Strength(NamedTuple):
    """Elo points, with the bounds of their 95% interval; only differences between bots mean anything."""

    elo: int
    low: int
    high: int


class Observation(Protocol):
    """An observation: all that a seat sees and remembers. Each game adds members of its own."""

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
    """Limit of thinking: so many `iterations` of a search, or `milliseconds` by the clock of the caller.

    `exact`: the search does all of the iterations, even if the move is settled before. The same number of iterations
    gives the same result, to the last digit, whatever ended the search.
    """

    iterations: int | None = None
    milliseconds: int | None = None
    exact: bool = False


@dataclass(frozen=True, slots=True)
class Reason:
    """Something that speaks for or against a move: `kind` is WINS, DENIES or RISKS.

    `code`: the game's name of the sentence; `about`: the game's id of the single object that the sentence is about, or
    None; `change`: what it adds to the probability of winning, below 0 for a risk; `points`: the change of the lead in
    points, None if the reason is not about points; `text`: the sentence in English.
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

    `value`: a lead in points, as the bot estimates it; `win_probability`: 0 to 1, where a draw counts half; `spread`:
    the standard deviation of that probability over the sampled deals and draws, None without samples.
    """

    move: Move
    visits: int
    value: float
    win_probability: float
    spread: float | None = None
    reasons: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen move, the alternatives (most visited first; none from a bot that does not search) and the iterations
    spent.
    """

    move: Move
    considered: tuple[Considered, ...] = ()
    iterations: int = 0


Stop = Callable[[], bool]
Policy = Callable[[Any, Rng, Budget, Stop], Choice]  # the first argument is the game's own observation


def never() -> bool:
    """False: the `stop` of a caller that sets no limit of time."""
    return False


@dataclass(frozen=True, slots=True)
class Bot:
    """A named opponent: the same observation, chance and iterations give the same move.

    `budget`: the default for a move, None for a bot that does not search; `milliseconds`: the longest time that this
    budget takes on one core in plain Python; `remembers`: whether the bot uses what happened before, not only the
    table; `chance`: whether its moves may depend on chance, and not only on the observation and the iterations.
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
        """Choose one of the observation's legal moves; without a search if there is only one.

        The domain has no clock: the bot counts iterations, and the caller's `stop` measures the milliseconds. The
        search asks `stop` again and again; once it is true, the search ends with its best move so far.
        """
        if len(observation.moves) == 1:
            return Choice(observation.moves[0])
        return self.policy(observation, rng, budget or self.budget or Budget(), stop)

    def choose(self, observation: Observation, rng: Rng) -> Move:
        """The chosen move without the alternatives."""
        return self.think(observation, rng).move


def with_version(name: str | None, version: object) -> str:
    """A bot's name with its version, as in level-5@2-5229c095 or my-bot@3; the name alone if the version is None."""
    return f"{name}@{version}"


def name_and_version(named: str) -> tuple[str, str]:
    """The two parts of a bot's name with its version; the version is "" if there is none."""
    name, _, version = named.partition("@")
    return name, version


def by_version(bots: Sequence[Bot]) -> dict[str, Bot]:
    """The bots by name and version."""
    return {with_version(bot.name, bot.version): bot for bot in bots}


NONE_KEPT: Final[Mapping[str, Bot]] = {}


def bot_named(bots: Mapping[str, Bot], name: str, kept: Mapping[str, Bot] = NONE_KEPT) -> Bot:
    """The bot of that name, or of that name and version, among a game's bots.

    `kept`: bots of former versions, by name and version. Raises DomainError "unknown-bot" if there is no such bot.
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
    """Decision of the bot of that name, with its own budget unless another one is given; see `bot_named`."""
    return bot_named(bots, name, kept).think(observation, Prng(seed), budget, stop)
