"""The page's words, as its modules have them."""

import json
import subprocess
from typing import Final

from tests.node import NODE
from tests.project.running import ROOT

LANGUAGES: Final = ("en", "fr", "de")
PRINT: Final = "import(process.argv[1]).then((module) => console.log(JSON.stringify(module.default)))"


def words_of(what: str, language: str) -> dict[str, str]:
    """The words of one folder by their keys."""
    path = ROOT / "service/web/words" / what / f"{language}.js"
    found: dict[str, str] = json.loads(subprocess.check_output([NODE, "-e", PRINT, str(path)]))
    return found
