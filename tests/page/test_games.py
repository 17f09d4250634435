"""The page enters a game in one table: outside of its own folder no module and no style sheet knows it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from domain.registry import GAMES
from tests.any_game.test_no_game_is_named import words
from tests.support.running import ROOT

WEB: Final = ROOT / "service/web"
TABLE: Final = Path("shell/games.js")
# Words are kept by language and lessons are what the page says of one game, so both name what they are about. The proof
# needs nothing of the page, and runs without it: it has folders and a table of games of its own.
EXCEPTIONS: Final = (Path("words"), Path("learn"), Path("proof"), Path("vendor"))
# The product has the name of a game: in keys of the browser's store, metrics, messages of frames, the head of screens.
PRODUCT: Final = re.compile(r"\bmigrato(\.[a-z]+\b|[_:-][a-z])|<span>Migrato</span>")
QUEUE: Final = (Path("operator/metrics.js"), 'queue("migrato")')
COMMENT: Final = re.compile(r"/\*.*?\*/|(?<=\s)//[^\n]*|^//[^\n]*", re.DOTALL | re.MULTILINE)
TEXT: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`')
NAME: Final = re.compile(r"[A-Za-z]\w*(?:-\w+)*")
# What is said of anything on a page: a button that ends something, a key for the word on another button.
EVERYBODYS: Final = {"danger", "discard", "rounds", "setup"}


def files(game: str) -> Iterator[Path]:
    """Every module and style sheet that may not know the game."""
    for path in sorted(WEB.rglob("*")):
        inside = path.relative_to(WEB)
        allowed = inside == TABLE or any(
            inside.is_relative_to(folder) for folder in (*EXCEPTIONS, Path(game))
        )
        if path.suffix in (".js", ".css") and not allowed:
            yield inside


def code(path: Path) -> str:
    """Without comments, and without what is the product's."""
    text = COMMENT.sub("", (WEB / path).read_text())
    if path == QUEUE[0]:
        assert QUEUE[1] in text
        text = text.replace(QUEUE[1], "")
    return PRODUCT.sub("", text)


@pytest.mark.parametrize("game", GAMES)
def test_no_other_file_names_it(game: str) -> None:
    """Neither in a text, nor as the name of a class, nor in the address of a module."""
    found = [str(path) for path in files(game) if re.search(rf"\b{game}\b", code(path), re.IGNORECASE)]
    assert found == []


@pytest.mark.parametrize("game", GAMES)
def test_no_other_module_uses_its_words(game: str) -> None:
    """The types of its moves and events, its options, and the members of its table."""
    own = words(game) - EVERYBODYS
    found = [
        f"{path}: {text}"
        for path in files(game)
        if path.suffix == ".js"
        for text in TEXT.findall(code(path))
        if set(NAME.findall(text)) & own
    ]
    assert found == []


@pytest.mark.parametrize("game", GAMES)
def test_it_is_entered_in_the_table(game: str) -> None:
    """Once, from its own folder; so each game of the engine can be played on the page."""
    table = (WEB / TABLE).read_text()
    assert re.findall(rf'import \w+ from "\.\./{game}/game\.js"', table) == [
        f'import {game} from "../{game}/game.js"'
    ]
    assert re.search(rf"GAMES = \[[^]]*\b{game}\b[^]]*\]", table)
    assert f'id: "{game}"' in (WEB / game / "game.js").read_text()
