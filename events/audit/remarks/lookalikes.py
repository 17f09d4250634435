"""Remarks on seats that are called people's, but play choice by choice as one of the bots would have played there.

An operator who seals a game can leave out that a bot chose a seat's moves, and call the seat a person's. But the server
seed is revealed, and with it the seed of every choice that the bot would have made. So each bot is asked for the seat's
choices, with those seeds, until it makes another move than the seat.

A choice's seed follows from the version of the game, which shifts with everything else that was left out or inserted:
an annotation (a hint, a new token) can come anywhere and changes nothing, and so does a move that is taken back. So
each such event may be one that was inserted.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from domain.bot import Bot
from domain.chance import SeededChance
from domain.errors import DomainError
from domain.game import Game
from domain.lifecycle import EventRecord
from events.audit.counts import CheckCounts
from events.log.seeds import move_seed

ENOUGH: Final = 8  # choices among several moves, all of them the bot's, of which to tell
MOST: Final = 200  # choices of a seat that are looked at
LEFT_OUT: Final = (0, 1, 2)  # annotations that may have been left out before the seat's first choice
OTHER_SEEDS: Final = 8  # with which a bot is asked whether chance matters
PATIENCE: Final = 20_000  # milliseconds of a bot's thinking that are spent on shifts, or on other seeds
AGAIN: Final = 4  # times as often as there are choices a bot is asked besides


@dataclass(frozen=True, slots=True)
class _Made:
    """A choice that was made in `state`: what the seat observed, how many moves there were, the events of it.

    The bot would have been asked at version `at`, if nothing had been left out or put in before. `left_out` is how many
    choices were left out before if only this seat is a bot's in truth, and if every such seat is; `annotations` is how
    many events before could have been put in.
    """

    state: Any
    observation: Any
    moves: int
    at: int
    left_out: tuple[int, int]
    annotations: int
    encoded: list[EventRecord]


class Lookalikes:
    """The moves of one game that, by its events, the person in the seat has chosen."""

    def __init__(self, game: Game, game_id: str, seed: bytes, counts: CheckCounts) -> None:
        self._game = game
        self._game_id = game_id
        self._seed = seed
        self._chance = SeededChance(seed, game_id)
        self._counts = counts
        self._choices: Counter[int] = Counter()
        self._hints: Counter[int] = Counter()
        self._annotations = 0
        self._made: dict[int, list[_Made]] = {}
        self._last: tuple[int, int, int] | None = None  # the last move: whose, its first version, its events

    def annotated(self, events: int = 1) -> None:
        """Count so many events that change nothing on the table."""
        self._annotations += events

    def taken_back(self, to_version: int) -> None:
        """Drop the moves after event `to_version`, which stand no longer."""
        if self._last is None or self._last[1] <= to_version:
            return
        seat, _, events = self._last
        self._last = None
        self._choices[seat] -= 1
        made = self._made[seat]
        if made and made[-1].at >= to_version:
            made.pop()
        self.annotated(events)

    def hinted(self, seat: int) -> None:
        """The seat was given a hint."""
        self._hints[seat] += 1
        self.annotated()

    def moved(self, state: Any, seat: int, version: int, memory: Any, encoded: Sequence[EventRecord]) -> None:
        """A move of the seat, which remembers that much, and its events, the first of them at `version`."""
        left_out = self._choices[seat], self._choices.total()
        self._choices[seat] += 1
        self._last = seat, version, len(encoded)
        made = self._made.setdefault(seat, [])
        if encoded[0].type in self._game.resignation_events or len(made) >= MOST:
            return
        moves = len(self._game.legal_moves(state, seat))
        if moves > 1:
            observation = self._game.observe(state, seat, memory)
            made.append(
                _Made(state, observation, moves, version - 1, left_out, self._annotations, list(encoded))
            )

    def end(self) -> None:
        """Ask the bots, cheap ones first, and report the seats whose moves are a bot's."""
        for seat, made in sorted(self._made.items()):
            # Between two annotations nothing shifts; where there is much to choose from, others soon choose otherwise.
            made.sort(key=lambda one: (one.annotations, -one.moves))
            bot = self._chooser(seat, made) if len(made) >= ENOUGH else None
            if bot is not None:
                self._counts.remark("people", self._described(bot, seat, made))

    def _described(self, bot: Bot, seat: int, made: Sequence[_Made]) -> str:
        what = f"seat {seat} is not called a bot's, but each of its {len(made)} choices is that of {bot.name}"
        needed = self._needs_chance(bot, seat, made)
        chance = "with the seed that it would have had" if needed else "and would be with another seed"
        count = self._hints[seat]
        hints = f"; it was given {count} hint{'s'[: count > 1]}" if count else ""
        return f"{what}, {chance}{hints}"

    def _chooser(self, seat: int, made: Sequence[_Made]) -> Bot | None:
        for bot in sorted(self._game.bots.values(), key=lambda bot: bot.milliseconds):
            if self._chose(bot, seat, made):
                return bot
        return None

    def _chose(self, bot: Bot, seat: int, made: Sequence[_Made]) -> bool:
        """True if the bot makes all the choices, by some way in which the versions may have been shifted.

        The ways are gone through depth first, likely ones first. A choice asked for once is not asked for again, and
        not too many are asked for.
        """
        left = AGAIN * len(made) + PATIENCE // bot.milliseconds
        known: dict[tuple[int, int | None], bool] = {}
        been: set[tuple[int, int, int]] = set()
        ways = [(0, bots, shift) for shift in reversed(list(_first_shifts(made[0]))) for bots in (1, 0)]
        while ways:
            way = place, bots, shift = ways.pop()
            if place == len(made):
                return True
            if way in been:
                continue
            been.add(way)
            version = made[place].at + made[place].left_out[bots] + shift
            asked = place, version if bot.chance else None
            if asked not in known:
                if not left:
                    return False
                left -= 1
                known[asked] = self._would(bot.name, seat, made[place], self._seed_at(version))
            if known[asked]:
                put_in = made[place + 1].annotations - made[place].annotations if place + 1 < len(made) else 0
                ways += [(place + 1, bots, shift - more) for more in reversed(range(put_in + 1))]
        return False

    def _needs_chance(self, bot: Bot, seat: int, made: Sequence[_Made]) -> bool:
        """True if the bot, with another seed, would have made another choice anywhere."""
        if not bot.chance:
            return False
        left = AGAIN * len(made) + PATIENCE // bot.milliseconds
        asked = [(one, other) for other in range(1, OTHER_SEEDS + 1) for one in made][:left]
        return any(
            not self._would(bot.name, seat, one, self._seed_at(one.at) ^ other) for one, other in asked
        )

    def _seed_at(self, version: int) -> int:
        return int(move_seed(self._seed, self._game_id, version), 16)

    def _would(self, bot: str, seat: int, made: _Made, seed: int) -> bool:
        """True if the bot, asked with that seed, makes that move."""
        choice = self._game.think(made.observation, bot, seed)
        try:
            events = self._game.decide(made.state, seat, choice.move, self._chance)
        except DomainError:
            return False
        return [self._game.encode(event) for event in events] == made.encoded


def _first_shifts(first: _Made) -> Iterator[int]:
    """Possible shifts of the version of a seat's first choice, by events that were left out or put in before it."""
    yield from LEFT_OUT
    yield from range(-1, -first.annotations - 1, -1)
