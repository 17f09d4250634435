# compiled into recording
"""Check of what a game's first event records of an app's bot, and of a budget."""

from collections.abc import Sequence
from typing import Any, Final

from domain.bot import LONGEST, MOST_ITERATIONS, Bot, with_version
from domain.game import Bots
from domain.lifecycle import Json, Seat
from events.log.seeds import WHOLE, drawn_version

_LIMITS: Final = {"iterations": MOST_ITERATIONS, "milliseconds": round(1000 * LONGEST)}


def is_registered(recorded: Json) -> bool:
    """True if the version of an app's bot is recorded as an engine does."""
    version = recorded.get("version")
    return type(version) is str and version.isascii() and version.isdigit() and len(version) < 7


def are_shares(recorded: Json) -> bool:
    """True if these are the per cents of several versions of an app's bot, one of which is the seat's."""
    shares = recorded["shares"]
    if recorded["kind"] != "remote" or recorded["bot"] is None or type(shares) is not list or len(shares) < 2:
        return False
    for share in shares:
        if type(share) is not list or len(share) != 2 or not all(_is_count(part) for part in share):
            return False
    numbers = [version for version, _ in shares]
    in_order = numbers == sorted(set(numbers))
    return in_order and sum([part for _, part in shares]) == WHOLE and int(recorded["version"]) in numbers


def is_budget(recorded: Json) -> bool:
    """True if a bot of the engine may have such a budget."""
    budget = recorded["budget"]
    if recorded["kind"] != "bot" or type(budget) is not dict or len(budget) != 1:
        return False
    ((name, amount),) = budget.items()
    return name in _LIMITS and _is_count(amount) and amount <= _LIMITS[name]


def misdrawn(seats: Sequence[Seat], seed: bytes, game_id: str) -> tuple[int, int, str] | None:
    """The first seat whose version does not follow from the game's seed: its number, the right and the recorded
    version; None if there is none.
    """
    for number, seat in enumerate(seats):
        if seat.shares is not None:
            right = drawn_version(seed, game_id, str(seat.bot), seat.shares)
            if str(right) != seat.version:
                return number, right, str(seat.version)
    return None


def known_bot(game: Bots, name: str | None, version: str | None) -> Bot | None:
    """The engine's bot of that name and version; None if it has none, or no more."""
    bot = game.bots.get(name or "")
    if bot is not None and bot.version == version:
        return bot
    return game.kept_bots.get(with_version(name, version))


def name_in(game: Bots, bot: Bot) -> str:
    """The name by which the game knows the bot: with the version, if it is a former one."""
    return bot.name if game.bots.get(bot.name) is bot else with_version(bot.name, bot.version)


def _is_count(found: Any) -> bool:
    return type(found) is int and 0 < found <= MOST_ITERATIONS
