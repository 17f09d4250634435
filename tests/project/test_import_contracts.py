"""The contracts in pyproject.toml that import-linter checks."""

import re
import tomllib
from typing import Final

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
