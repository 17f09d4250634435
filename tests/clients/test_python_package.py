"""The Python client and the kit for bots as somebody installs them from the tree, and the client's page."""

import ast
import sys
from pathlib import Path

import pytest

from tests.clients.conftest import Address
from tests.support.markdown import ROOT, blocks
from tests.support.running import output

PACKAGES = {"python/migrato_client": set[str](), "python-bots/migrato_bots": {"migrato_client"}}
PAGE = ROOT / "clients/python/README.md"


def written(folder: Path) -> Path:
    """The code of the page, in a file there."""
    (folder / "page.py").write_text("\n".join(blocks(PAGE, "python")))
    return folder


def test_the_page_is_true(address: Address, tmp_path: Path) -> None:
    """The code of the page runs without a warning."""
    where = {"PYTHONPATH": str(PAGE.parent), "URL": address.url, "APP_KEY": address.app_key}
    said = output([sys.executable, "-W", "error", "page.py"], written(tmp_path), **where)
    assert "player_resigned" in said
    assert "answer 401" in said


@pytest.mark.nightly("what is installed of the clients in Python lacks a file, or the page's types are wrong")
def test_everything_is_in_the_packages(site: Path, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    for package in PACKAGES:
        path = ROOT / "clients" / package
        there, here = ({file.name for file in of.iterdir()} for of in (site / path.name, path))
        assert there - {"__pycache__"} == here - {"__pycache__"}
    cache = pytestconfig.rootpath / ".mypy_cache/clients"
    mypy = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={cache}", "page.py"]
    assert output(mypy, written(tmp_path), MYPYPATH=str(site)).startswith("Success")


def test_they_know_nothing_of_the_engine() -> None:
    """They import the standard library, httpx, themselves, and the kit the client; the rules are another process's."""
    for package, more in PACKAGES.items():
        imported: set[str] = set()
        for path in (ROOT / "clients" / package).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Import):
                    imported |= {alias.name for alias in node.names}
                elif isinstance(node, ast.ImportFrom):
                    assert node.module
                    imported.add(node.module)
        packages = {name.partition(".")[0] for name in imported}
        assert packages - sys.stdlib_module_names == {"httpx", Path(package).name, *more}
