"""The page's modules: what they import, whether at once or later, runs one way."""

import re
from collections.abc import Iterable
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Final

import pytest

from service.http.page.assets import ROUTES
from tests.support.running import ROOT

WEB: Final = ROOT / "service/web"
COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)  # types that comments name are no imports
IMPORT: Final = re.compile(r"""\b(?:from|import)\s*\(?\s*["`](\.[^"`]+)["`]""")
SCREEN: Final = "${module}"  # one of `routes.json`


def imports(web: Path) -> dict[str, set[str]]:
    """The modules that each module imports, by their paths."""
    texts = {
        path.relative_to(web).as_posix(): COMMENT.sub("", path.read_text()) for path in web.rglob("*.js")
    }
    return {
        name: {
            module
            for other in IMPORT.findall(text)
            for module in addressed(normpath(join(dirname(name), other)), texts)
        }
        for name, text in texts.items()
    }


def addressed(address: str, modules: Iterable[str]) -> set[str]:
    """The modules that an address leads to; it may have the name of a variable in the place of a part."""
    if address == SCREEN:
        return set(ROUTES.values())
    if "${" not in address:
        return {address}
    pattern = re.compile("[^/]+".join(map(re.escape, re.split(r"\$\{\w+\}", address))))
    return {module for module in modules if pattern.fullmatch(module)}


def test_no_modules_are_in_a_circle() -> None:
    """A module can be read, and loaded, after those that it imports; each of them is there."""
    found = imports(WEB)
    assert set().union(*found.values()) <= found.keys()
    assert found["shell/routes.js"] == set(ROUTES.values())
    assert "words/fr/page.js" in found["shell/i18n.js"]
    TopologicalSorter(found).prepare()


def test_a_circle_is_found(tmp_path: Path) -> None:
    """A circle is found, also through a folder or a later import, but none through a comment."""
    (tmp_path / "shell").mkdir()
    (tmp_path / "shell/app.js").write_text('export const load = () => import("../home.js");\n')
    (tmp_path / "home.js").write_text('/** @type {import("./shell/app.js").App} */\n')
    TopologicalSorter(imports(tmp_path)).prepare()
    (tmp_path / "home.js").write_text('import {\n  load,\n} from "./shell/app.js";\n')
    with pytest.raises(CycleError, match="cycle"):
        TopologicalSorter(imports(tmp_path)).prepare()
