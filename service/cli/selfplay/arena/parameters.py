"""Options of the arena."""

import json
import re
from collections.abc import Callable
from typing import Final, NoReturn

import click

from domain.errors import DomainError
from domain.game import Game
from domain.lifecycle import Json
from service.cli.selfplay.match import Contestant, Entrant
from service.cli.selfplay.options import game_of

_BUDGET: Final = re.compile(r"([1-9][0-9]{0,8})(ms|it)")


ExternalBots = Callable[[str, Game], Contestant | None]  # the external bot that a text names; ValueError


class Entrants(click.ParamType[tuple[Contestant, ...]]):
    """Names of at least two bots, separated by commas, each with a budget for a move if need be; or external bots."""

    name = "BOT,BOT,..."

    def __init__(self, external_bots: ExternalBots) -> None:
        self._external_bots = external_bots

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[Contestant, ...]:
        """The entrants, if the game has such bots, each once."""
        entrants = tuple(self._entrant(text.strip(), param, ctx) for text in str(value).split(","))
        names = [entrant.name for entrant in entrants]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            self.fail(f"{twice[0]!r} is there twice; other budgets make others of it.", param, ctx)
        if len(names) < 2:
            self.fail("name at least two bots, separated by commas.", param, ctx)
        return entrants

    def _entrant(self, text: str, param: click.Parameter | None, ctx: click.Context | None) -> Contestant:
        try:
            found = self._external_bots(text, game_of(ctx))
        except ValueError as error:
            self.fail(str(error), param, ctx)
        if found is not None:
            return found
        name, at, budget = text.partition("@")
        try:
            bot = game_of(ctx).bot(name)
        except DomainError as error:
            self.fail(str(error), param, ctx)
        if not at:
            return Entrant(name)
        if bot.budget is None:
            self.fail(f"{name} does not search, and takes no budget.", param, ctx)
        parts = _BUDGET.fullmatch(budget)
        if parts is None:
            self.fail(f"{budget!r} is no budget: 300ms or 2000it (iterations).", param, ctx)
        amount = int(parts[1])
        return Entrant(name, milliseconds=amount) if parts[2] == "ms" else Entrant(name, iterations=amount)


class JsonObject(click.ParamType[Json]):
    """A JSON object."""

    name = "JSON"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Json:
        """The JSON object that the value is, or a usage error."""
        try:
            document = json.loads(str(value))
        except ValueError as error:
            self.fail(f"this is no JSON: {error}.", param, ctx)
        return document if isinstance(document, dict) else self._no_object(param, ctx)

    def _no_object(self, param: click.Parameter | None, ctx: click.Context | None) -> NoReturn:
        self.fail('this is no JSON object; {"memory_aid": true} is one.', param, ctx)


class Anchor(click.ParamType[tuple[str, float]]):
    """A bot's name and its rating, 0 unless given."""

    name = "BOT[=ELO]"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, float]:
        """The name of the bot and its rating, or a usage error."""
        name, separator, rating = str(value).partition("=")
        try:
            return name, float(rating) if separator else 0.0
        except ValueError:
            self.fail(f"{rating!r} is no number.", param, ctx)
