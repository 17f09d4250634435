"""Outside of its own folders no module knows a game: neither by an import, nor by a word that is the game's own."""

import ast
from collections.abc import Iterator
from pathlib import Path

from domain.registry import GAMES
from service.http.schemas.common.events import COMMON_EVENTS
from service.http.schemas.of_each_game import GAME_SCHEMAS
from tests.support.running import ROOT

REGISTRY = Path("domain/registry.py")
# Words that are no single game's: of seats, of the export's header, of the archive's tables, of the command line; and
# what a resignation is called in French.
EVERYBODYS = {
    "resign",
    "move",
    "play",
    "take",
    "options",
    "rules",
    "deck",
    "first_seat",
    "turn_limit",
    "claim_after",
    "abandon",
}
COMMON_EVENTS_OF_GAMES = {*COMMON_EVENTS, "game_created", "game_started", "position_set", "moves_taken_back"}


def modules(game: str) -> Iterator[Path]:
    """Every module that may not know the game."""
    own = (Path("domain") / game, Path("service/http/schemas") / game)
    for package in ("domain", "events", "service", "workers", "compiled"):
        for path in sorted((ROOT / package).rglob("*.py")):
            inside = path.relative_to(ROOT)
            if inside != REGISTRY and not any(inside.is_relative_to(folder) for folder in own):
                yield inside


def words(game: str) -> set[str]:
    """The game's own words: its name, the types of its moves and events, its options, the members of its table."""
    schemas = GAME_SCHEMAS[game]
    said = {game, *schemas.moves, *schemas.events, *schemas.options.fields, *schemas.resolved_options.fields}
    if schemas.setup is not None:
        said |= set(schemas.setup.fields)
    return said - EVERYBODYS - COMMON_EVENTS_OF_GAMES


def constants(nodes: list[ast.AST]) -> Iterator[ast.Constant]:
    """The texts of a module that are no docstrings."""
    docstrings = {
        id(node.body[0].value)
        for node in nodes
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node


def test_no_other_module_imports_a_game_or_uses_its_words() -> None:
    """The code asks the registry."""
    product = {"service/cli/__main__.py", "service/cli/supervision/supervisor.py"}
    product |= {"events/engine/pending_action.py", "service/http/server/gunicorn_conf.py"}
    product |= {
        "service/cli/selfplay/arena/plot.py",
        "service/cli/root.py",
        "compiled/cache.py",
        "compiled/wheels.py",
    }
    own = {game: words(game) for game in GAMES}
    others = {game: set(modules(game)) for game in GAMES}
    found = []
    for path in sorted(set.union(*others.values())):
        nodes = list(ast.walk(ast.parse((ROOT / path).read_text())))
        imported = [node for node in nodes if isinstance(node, ast.ImportFrom)]
        said = list(constants(nodes))
        for game in GAMES:
            if path not in others[game]:
                continue
            folders = (f"domain.{game}", f"service.http.schemas.{game}")
            found += [f"{path}:{one.lineno}" for one in imported if (one.module or "").startswith(folders)]
            found += [
                f"{path}:{constant.lineno}: {constant.value}"
                for constant in said
                if constant.value in own[game] and not (constant.value == game and str(path) in product)
            ]
    assert found == []
