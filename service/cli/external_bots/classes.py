"""Bots as Python classes with a method `choose(self, view, moves)`: from a file, a module or an entry point."""

import importlib
import importlib.util
import inspect
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from domain.errors import DomainError
from domain.game import Bots, Game
from domain.lifecycle import Seat
from events.engine.seat_record import SeatRecord
from service.cli.external_bots.answers import ExternalBotFailed, blaming, legal
from service.cli.selfplay.match import Decision

GROUP: Final = "migrato.bots"  # of entry points
WITH: Final = ("history", "seconds")  # what `choose` gets besides if it has a parameter of that name


@dataclass(frozen=True, slots=True)
class ClassBot:
    """A class that takes part. `place` is where it is: "mybot.py:MyBot", "package.module:MyBot", or an entry point."""

    name: str
    place: str
    label: str = field(default="")  # its version, if the caller gave it one

    @property
    def is_external(self) -> bool:
        """True."""
        return True

    def version(self, game: Bots) -> str:
        """The version that was given, or the class's own, or the beginning of its file's hash."""
        return self.label or version_of(self.place)

    def seated(self) -> Seat:
        """A seat of an external bot."""
        return Seat("remote", player=self.name)

    def player(self, game: Game, seat: int) -> "ClassAtSeat":
        """A new instance, for a new game."""
        return ClassAtSeat(game, seat, loaded(self.place), self.name)


class ClassAtSeat:
    """An instance of a bot's class, in one game."""

    listens = True

    def __init__(self, game: Game, seat: int, bot: Callable[[], Any], name: str) -> None:
        self._game, self._seat, self._name = game, seat, name
        self._record = SeatRecord(game, seat)
        with blaming(name):
            self._bot = bot()
            self._takes = [word for word in WITH if word in inspect.signature(self._bot.choose).parameters]

    def happened(self, before: Any, event: Any, after: Any) -> None:
        """Keep the event for the next question."""
        self._record.happened(event)

    def decide(self, state: Any, seed: int) -> Decision:
        """The move that it chooses; `random` is seeded before. Raises ExternalBotFailed."""
        question = self._record.question(None)
        moves = question["legal_moves"]
        more = {"history": question["history"], "seconds": None}  # nothing limits the time
        random.seed(seed)
        started = time.process_time()
        with blaming(self._name):
            move = self._bot.choose(question["view"], moves, **{word: more[word] for word in self._takes})
        seconds = time.process_time() - started
        try:
            return Decision(legal(self._game, state, self._seat, move), seconds)
        except DomainError as error:
            what = f"{self._name} chose {move!r}, and {error.detail or error.code}"
            raise ExternalBotFailed(f"{what} The first of {len(moves)} legal moves is {moves[0]}.") from error


def named(text: str) -> bool:
    """True if an entry point of the group has that name."""
    return bool(entry_points(group=GROUP, name=text))


@cache
def loaded(place: str) -> Callable[[], Any]:
    """The class. ExternalBotFailed if it cannot be found, or has no method `choose`."""
    bot = _found(place)
    if not isinstance(bot, type) or not callable(getattr(bot, "choose", None)):
        raise ExternalBotFailed(f"{place} is no class with a method choose(self, view, moves).")
    return bot


def version_of(place: str) -> str:
    """The class's `version`, or the first 8 hex digits of the SHA-256 of its file."""
    bot = loaded(place)
    return str(getattr(bot, "version", "")) or sha256(Path(inspect.getfile(bot)).read_bytes()).hexdigest()[:8]


def _found(place: str) -> Any:
    """The object that the place names. ExternalBotFailed if its code cannot be run."""
    where, colon, name = place.rpartition(":")
    with blaming(place):
        if not colon:
            [entry] = entry_points(group=GROUP, name=place)
            return entry.load()
        module = _of_file(Path(where)) if where.endswith(".py") else _of_name(where)
        return getattr(module, name)


def _of_name(name: str) -> ModuleType:
    if "" not in sys.path:
        sys.path.insert(0, "")  # as `python -m` finds what is in the current folder
    return importlib.import_module(name)


def _of_file(path: Path) -> ModuleType:
    """The module of the file; it may import what lies beside it."""
    path = path.resolve()
    name = str(path)  # no other module has it
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
