"""The game of `docs/how-to/add-a-game.md`, as that page builds it: the game, and its schemas."""

import re
from typing import Any

import pytest

from domain.game import Game
from domain.registry import GAMES
from service.http.schemas.common.game_schemas import GameSchemas
from service.http.schemas.of_each_game import GAME_SCHEMAS
from tests.support.running import ROOT

PAGE = ROOT / "docs" / "how-to" / "add-a-game.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def _built() -> tuple[Game, GameSchemas]:
    game, schemas = BLOCK.findall(PAGE.read_text())
    module: dict[str, Any] = {"__name__": "tricks"}
    for source in (game, schemas):
        exec(compile(source, str(PAGE), "exec"), module)
    return module["Tricks"](), module["SCHEMAS"]


TRICKS, SCHEMAS = _built()


def register(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enter the game in both tables, as the page says."""
    monkeypatch.setitem(GAMES, TRICKS.name, TRICKS)
    monkeypatch.setitem(GAME_SCHEMAS, TRICKS.name, SCHEMAS)
