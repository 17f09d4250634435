"""The contracts in pyproject.toml that import-linter checks."""

import re
import tomllib

from domain.registry import GAMES
from tests.support.running import ROOT


def test_a_contract_that_names_a_game_names_every_game() -> None:
    """import-linter passes over a game that no contract names."""
    games = {type(game).__module__.split(".")[1] for game in GAMES.values()}
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    naming = {}
    for contract in contracts:
        folders = {name.split(".")[0] for name in re.findall(r"(?:\bdomain\.)?([\w.]+)", str(contract))}
        if folders & games:
            naming[contract["name"]] = folders & games
    assert naming
    assert naming == dict.fromkeys(naming, games)
