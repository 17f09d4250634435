"""The recipes in JavaScript, on the installed package; tests/project runs those by curl and in Python."""

from pathlib import Path

import pytest

from tests.clients.test_typescript import node
from tests.support.command import migrato
from tests.support.engine import Engine
from tests.support.markdown import ROOT, blocks

PAGE = ROOT / "docs/how-to/recipes.md"
LANGUAGES = ["bash", "python", "js"]


@pytest.mark.nightly("an example of the documentation does not run")
def test_they_run(installed: Path, tmp_path: Path) -> None:
    """The recipes run as the page says, on an engine without app keys."""
    engine = Engine(tmp_path / "data", "--ephemeral").start()
    try:
        (installed / "recipes.js").write_text("\n".join(blocks(PAGE, "js")))
        said = node(installed, "recipes.js", URL=engine.url)
    finally:
        engine.end()
    assert "adjudicated" in said
    verified = migrato("verify", installed / "exported.jsonl")
    assert verified.exit_code == 0, verified.stdout


def test_every_recipe_is_there_in_each_language() -> None:
    """A header and what follows it; signatures are nothing for curl."""
    recipes = PAGE.read_text().split("\n## ")[1:]
    for recipe in recipes:
        missing = [language for language in LANGUAGES if f"\n```{language}\n" not in recipe]
        assert missing == (["bash"] if recipe.startswith("Receive a webhook") else []), recipe
