"""The Python client as somebody installs it from the tree, and its page."""

import ast
import shutil
import sys
from pathlib import Path

import pytest

from tests.clients.conftest import Address
from tests.support.markdown import ROOT, blocks
from tests.support.running import output

PACKAGE = ROOT / "clients/python"
PAGE = PACKAGE / "README.md"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package and nothing else of the tree; what it needs has been installed before."""
    folder = tmp_path_factory.mktemp("installed")
    tree = shutil.copytree(PACKAGE, folder / "tree", ignore=shutil.ignore_patterns("*.egg-info", "build"))
    alone = ("--no-deps", "--no-build-isolation", "--no-index", "--quiet")
    output([sys.executable, "-m", "pip", "install", *alone, "--target", folder / "site", tree], folder)
    return folder / "site"


def test_the_page_is_true(
    installed: Path, address: Address, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """Its code runs on the installed package, without a warning, and its types are right."""
    (tmp_path / "page.py").write_text("\n".join(blocks(PAGE, "python")))
    where = {"PYTHONPATH": str(installed), "URL": address.url, "APP_KEY": address.app_key}
    said = output([sys.executable, "-W", "error", "page.py"], tmp_path, **where)
    assert "player_resigned" in said
    assert "answer 401" in said
    cache = pytestconfig.rootpath / ".mypy_cache/clients"
    mypy = [sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={cache}", "page.py"]
    assert output(mypy, tmp_path, MYPYPATH=str(installed)).startswith("Success")


def test_everything_is_in_the_package(installed: Path) -> None:
    assert {path.name for path in (installed / "migrato_client").iterdir()} - {"__pycache__"} == {
        path.name for path in (PACKAGE / "migrato_client").iterdir()
    } - {"__pycache__"}


def test_it_knows_nothing_of_the_engine() -> None:
    """It imports the standard library, httpx and itself."""
    imported: set[str] = set()
    for path in (PACKAGE / "migrato_client").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert node.module
                imported.add(node.module)
    packages = {name.partition(".")[0] for name in imported}
    assert packages - sys.stdlib_module_names == {"httpx", "migrato_client"}
