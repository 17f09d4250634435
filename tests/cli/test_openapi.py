"""`migrato openapi`."""

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from service.cli import main
from service.cli.commands import openapi


def test_it_prints_the_document() -> None:
    """YAML that says which OpenAPI it is."""
    result = CliRunner().invoke(main, ["openapi"])
    assert result.exit_code == 0
    assert yaml.safe_load(result.stdout)["openapi"].startswith("3.")


def test_check_compares_with_the_committed_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal: exit code 0 and silence; else 1, the difference and the remedy."""
    committed = tmp_path / "openapi.yaml"
    monkeypatch.setattr(openapi, "COMMITTED", committed)
    missing = CliRunner().invoke(main, ["openapi", "--check"])
    assert (missing.exit_code, "cannot be read" in missing.stderr) == (1, True)
    committed.write_text(CliRunner().invoke(main, ["openapi"]).stdout)
    assert CliRunner().invoke(main, ["openapi", "--check"]).output == ""
    committed.write_text(committed.read_text() + "# more\n")
    different = CliRunner().invoke(main, ["openapi", "--check"])
    assert different.exit_code == 1
    assert "-# more" in different.stderr
    assert "migrato openapi > openapi.yaml" in different.stderr
