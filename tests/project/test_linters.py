"""openapi.yaml as the linters of others read it: Redocly and Spectral, by the rule sets in `linters/`."""

import os
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.support.node import NODE, node_modules
from tests.support.running import ROOT

DOCUMENT: Final = ROOT / "openapi.yaml"
RULES: Final = Path(__file__).parent / "linters"
LINTERS: Final = {
    "@redocly/cli/bin/cli.js": ("--config", RULES / "redocly.yaml"),
    "@stoplight/spectral-cli/dist/index.js": (
        "--ruleset",
        RULES / "spectral.yaml",
        "--fail-severity",
        "hint",
    ),
}


@pytest.mark.nightly("a description that tools warn of, or misread")
@pytest.mark.parametrize("program", LINTERS)
def test_linters_warn_of_nothing(program: str, tmp_path: Path) -> None:
    """They do of an id that no URL can have."""
    assert linted(program, DOCUMENT) == (0, "")
    spoiled = tmp_path / "openapi.yaml"
    spoiled.write_text(DOCUMENT.read_text().replace("operationId: create_game", "operationId: create game"))
    status, found = linted(program, spoiled)
    assert status == 1
    assert "url" in found.lower()


def linted(program: str, document: Path) -> tuple[int, str]:
    """Exit status of a linter, and all that it says if that is not 0."""
    ran = subprocess.run(
        [NODE, node_modules("linters") / program, "lint", document, *LINTERS[program]],
        env={**os.environ, "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"},
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout + ran.stderr if ran.returncode else ""
