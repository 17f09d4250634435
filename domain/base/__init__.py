"""A base for small games: it does what is the same in all of them, so that a game tells its own rules and no more.

A game subclasses `BaseGame` and writes its events with `event`. `docs/how-to/add-a-game.md` shows a whole game. One
that is played by the million implements `domain.game.Game` itself.
"""

from domain.base.events import event
from domain.base.game import BaseGame

__all__ = ["BaseGame", "event"]
