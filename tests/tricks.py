"""The game of `docs/how-to/add-a-game.md`, as that page builds it."""

import re
from typing import Any

from domain.game import Game
from tests.project.running import ROOT

PAGE = ROOT / "docs" / "how-to" / "add-a-game.md"


def _built() -> Game:
    """The game, from the page's one block of Python that defines it."""
    (source,) = re.findall(
        r"^```python\n(.*?class Tricks\b.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE
    )
    module: dict[str, Any] = {"__name__": "tricks"}
    exec(compile(source, str(PAGE), "exec"), module)
    game: Game = module["Tricks"]()
    return game


TRICKS = _built()
