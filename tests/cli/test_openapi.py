"""`migrato openapi`."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from service.cli import main
from service.cli.commands import openapi


def test_it_prints_the_document_and_compares_it_with_the_committed_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--check`: equal is exit code 0 and silence; else 1, the difference and the remedy."""

    def run(*options: str) -> tuple[int, str, str]:
        result = CliRunner().invoke(main, ["openapi", *options])
        return result.exit_code, result.stdout, result.stderr

    committed = tmp_path / "openapi.yaml"
    monkeypatch.setattr(openapi, "COMMITTED", committed)
    code, _, told = run("--check")
    assert (code, "cannot be read" in told) == (1, True)
    code, document, told = run()
    assert (code, document.startswith("openapi: 3."), told) == (0, True, "")
    committed.write_text(document)
    assert run("--check") == (0, "", "")
    committed.write_text(f"{document}# more\n")
    code, _, told = run("--check")
    assert code == 1
    assert "-# more" in told
    assert "migrato openapi > openapi.yaml" in told
