"""The contracts in pyproject.toml that import-linter checks, and one that no name of a game need stand in."""

import re
import tomllib
from typing import Final

import grimp

from domain.registry import GAMES
from tests.support.running import ROOT

FOLDERS: Final = {type(game).__module__.split(".")[1] for game in GAMES.values()}


def test_a_contract_that_names_a_game_names_every_game() -> None:
    """import-linter passes over a game that no contract names."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    naming = {}
    for contract in contracts:
        folders = {name.split(".")[0] for name in re.findall(r"(?:\bdomain\.)?([\w.]+)", str(contract))}
        if folders & FOLDERS:
            naming[contract["name"]] = folders & FOLDERS
    assert naming
    assert naming == dict.fromkeys(naming, FOLDERS)


def test_no_other_module_imports_a_game() -> None:
    """Only the registry, the game's own schemas, and research, which wraps some games by name, import one."""
    graph = grimp.build_graph("domain", "events", "service", "workers", "research", "drills", "compiled")
    for game in FOLDERS:
        inside = {f"domain.{game}", *graph.find_descendants(f"domain.{game}")}
        found = {
            name for module in inside for name in graph.find_modules_that_directly_import(module)
        } - inside
        schemas = f"service.http.schemas.{game}"
        assert "domain.registry" in found
        assert not [name for name in found if not name.startswith(("domain.registry", schemas, "research."))]
