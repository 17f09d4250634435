"""A base for small games: it holds the common parts, so that a game needs only its own rules.

A game subclasses `BaseGame` and writes its events with `event`. `docs/how-to/add-a-game.md` shows a whole game. One
that is played by the million implements `domain.game.Game` itself.
"""

from domain.base.events import event
from domain.base.game import BaseGame

__all__ = ["BaseGame", "event"]
