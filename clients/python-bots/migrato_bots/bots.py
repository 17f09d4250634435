"""A bot's class at work: an instance for each seat of each game, asked for moves."""

import inspect
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, Final, Self, cast

from migrato_client.models import AnyMove

MOST: Final = 1024  # instances that are kept, the latest used
RESIGN: Final = "resign"  # no legal move has this type, yet every seat may

View = Any  # an AnyGameView: its members depend on the game, and a bot knows its game
Event = Any


class NoMove(Exception):
    """The bot has chosen nothing that counts; the text says why."""


class Bots:
    """The instances of one class. It may be used by several threads at once.

    An instance is made without arguments for one seat of one game, and plays it alone, a move at a time: so it may keep
    what it likes in `self`. It must not rely on that, because after a restart another instance goes on.

    Its method `choose(self, view, moves)` returns one of the legal moves, for the game as `view` shows it. If it has a
    parameter `history`, it gets the game's events so far, as the seat may see them; with a parameter `seconds`, the
    time that is left for this answer, or None where nothing limits it.
    """

    def __init__(self, bot: Callable[[], Any]) -> None:
        """`bot`: the class. TypeError if its instances cannot choose."""
        self._make = bot
        self.name = getattr(bot, "__name__", type(bot).__name__)
        choose = getattr(bot, "choose", None)
        if not callable(choose):
            raise TypeError(f"{self.name} has no method choose(self, view, moves).")
        self._parameters = inspect.signature(choose).parameters
        self._playing = OrderedDict[tuple[str, int], _Playing]()
        self._lock = threading.Lock()

    def choose(
        self,
        view: View,
        moves: Sequence[AnyMove],
        history: Callable[[], Sequence[Event]],
        deadline: float | None = None,
    ) -> AnyMove:
        """The move of the game's instance; NoMove if it raises anything, or chooses no legal move.

        `history` is called only if the bot wants it; `deadline`: a time of `time.monotonic`, None where there is none.
        """
        more: dict[str, Any] = {}
        if "history" in self._parameters:
            more["history"] = history()
        key = (view["id"], view["viewer"])
        with self._instance(key) as playing:
            if "seconds" in self._parameters:
                more["seconds"] = None if deadline is None else max(0.0, deadline - time.monotonic())
            try:
                if playing.bot is None:
                    playing.bot = self._make()
                move = playing.bot.choose(view, moves, **more)
            except Exception as error:
                raise NoMove(f"{self.name} failed: {error!r}") from error
        if move in moves or (isinstance(move, dict) and move.get("type") == RESIGN):
            return cast("AnyMove", move)
        raise NoMove(f"{self.name} chose {move!r}, which is none of the {len(moves)} legal moves")

    def forget(self, game: str, seat: int) -> None:
        """Drop the instance of a game that is over."""
        with self._lock:
            self._playing.pop((game, seat), None)

    def _instance(self, key: tuple[str, int]) -> "_Playing":
        """The instance of that seat; a new one if the old one still thinks, over a question that is out of date."""
        with self._lock:
            playing = self._playing.get(key)
            if playing is None or not playing.lock.acquire(blocking=False):
                playing = self._playing[key] = _Playing()
                playing.lock.acquire()
            self._playing.move_to_end(key)
            while len(self._playing) > MOST:
                self._playing.popitem(last=False)
            return playing


class _Playing:
    """An instance, which thinks while the lock is held."""

    def __init__(self) -> None:
        self.bot: Any = None
        self.lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.lock.release()
