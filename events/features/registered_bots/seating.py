"""Seats of bots by name: the bot, and its version, that plays in this game.

The version is fixed when the game is created, and recorded in the game's first event. If several versions share the new
games of a bot, the game's own seed draws one (`events.log.seeds`), so that anybody can check the draw once the game is
over.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from domain.bot import name_and_version
from domain.errors import DomainError, invalid
from domain.game import Bots
from domain.lifecycle import Seat
from events.engine.remote_seat import KIND as REMOTE
from events.errors import BotNotFound
from events.features.registered_bots.records import NAMED, RegisteredBot
from events.features.registered_bots.registry import Registry
from events.log.game_secrets import Remote
from events.log.seeds import drawn_version

NOT_YET: Final = (
    "The store is still written in a former format: this is possible a day after all processes were upgraded."
)


class Seating:
    """Finds the bots of a new game's seats."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def seated(
        self, app: str, game: Bots, seats: Sequence[Seat], is_versioned: bool
    ) -> tuple[tuple[Seat, ...], dict[int, RegisteredBot]]:
        """The seats, those of the engine's bots with their versions, and those of apps' bots as remote seats; and the
        apps' bots.

        `is_versioned`: the store's format allows registered bots. A seat without a version gets one later (`drawn`).
        Raises DomainError "unknown-bot", "validation-error", StoreUnavailable.
        """
        placed, bots = list[Seat](), dict[int, RegisteredBot]()
        for number, seat in enumerate(seats):
            if seat.kind == "bot" and seat.bot is not None and not _is_ours(game, seat.bot):
                if (bot := self._found(app, seat.bot)) is None:
                    game.bot(seat.bot)  # raises if the engine has no such bot
                else:
                    if not is_versioned:
                        raise invalid(f"seats.{number}.bot", NOT_YET)
                    _refuse_budget(number, seat, searches=False)
                    bots[number] = bot
                    placed.append(replace(seat, kind=REMOTE, bot=bot.name, version=_named(bot, seat.bot)))
                    continue
            if seat.kind == "bot":
                seat = _of_the_engine(game, seat)
                _refuse_budget(number, seat, searches=game.bot(str(seat.bot)).budget is not None)
                if seat.budget is not None and not is_versioned:
                    raise invalid(f"seats.{number}.budget", NOT_YET)
            placed.append(seat)
        return tuple(placed), bots

    def _found(self, app: str, named: str) -> RegisteredBot | None:
        match = NAMED.fullmatch(named)
        try:
            return None if match is None else self._registry.get(app, match["name"])
        except BotNotFound:
            return None


def drawn(
    seats: Sequence[Seat], bots: dict[int, RegisteredBot], seed: bytes, game_id: str
) -> tuple[tuple[Seat, ...], dict[int, Remote]]:
    """The seats with the versions that play there, and these versions' addresses; a bot's secret is looked up with each
    call.

    All seats of a bot without a version get the same one.
    """
    placed, remotes = list(seats), dict[int, Remote]()
    for number, bot in bots.items():
        seat = seats[number]
        if seat.version is None:
            parts = tuple(bot.parts.items())
            version = drawn_version(seed, game_id, bot.name, parts)
            seat = replace(seat, version=str(version), shares=parts if len(parts) > 1 else None)
            placed[number] = seat
        found = bot.version(int(str(seat.version)))
        assert found is not None, "a version of the bot was drawn"
        remotes[number] = Remote(found.url, "")
    return tuple(placed), remotes


def _refuse_budget(number: int, seat: Seat, *, searches: bool) -> None:
    if seat.budget is not None and not searches:
        raise invalid(f"seats.{number}.budget", "Only a bot of the engine that searches takes one.")


def _is_ours(game: Bots, named: str) -> bool:
    return name_and_version(named)[0] in game.bots


def _of_the_engine(game: Bots, seat: Seat) -> Seat:
    """The seat with the bot's present version, or with the version that it names, if the engine still has that."""
    bot = game.bot(str(seat.bot))
    return replace(seat, bot=bot.name, version=bot.version)


def _named(bot: RegisteredBot, named: str) -> str | None:
    """The version that the name gives, which must be allowed to play; None if the name gives none."""
    _, text = name_and_version(named)
    if not text:
        if not bot.parts:
            raise DomainError("unknown-bot", f"No version of {bot.name} may play: make one current.")
        return None
    version = bot.version(int(text))
    if version is None or version.retired:
        why = "is not there" if version is None else "is retired"
        raise DomainError("unknown-bot", f"Version {text} of {bot.name} {why}.")
    return text
