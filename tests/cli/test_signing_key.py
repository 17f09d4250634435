"""`migrato signing-key`: showing and rotating the key that signs heads."""

import json
from pathlib import Path

from events.runtime.key_files import CURRENT, load
from tests.support.command import migrato


def run(*arguments: str, **environ: str) -> tuple[str, str]:
    """The command's output: the current public key, and the rest."""
    result = migrato("signing-key", *arguments, **environ)
    assert result.exit_code == 0, result.stderr
    return result.stdout, result.stderr


def test_it_shows_the_public_key_of_the_data_directory(tmp_path: Path) -> None:
    """It makes a key where there is none, and never prints the private one."""
    printed, told = run(MIGRATO_DATA_DIR=str(tmp_path))
    assert f"The key was made in {tmp_path / 'keys'}." in told
    key = json.loads(printed)
    assert load(tmp_path / "keys").jwk(key["kid"]) == key
    again, told = run(MIGRATO_DATA_DIR=str(tmp_path))
    assert again == printed
    assert f"The key was found in {tmp_path / 'keys'}." in told
    assert (tmp_path / "keys" / CURRENT).read_text().splitlines()[1] not in printed


def test_rotation(tmp_path: Path) -> None:
    """A new key; it tells how many former ones stay published."""
    first, _ = run(MIGRATO_SIGNING_KEYS=str(tmp_path))
    second, told = run("--rotate", MIGRATO_SIGNING_KEYS=str(tmp_path))
    assert first != second
    assert told.startswith("1 former public key stays published")
    assert set(load(tmp_path).public) == {json.loads(printed)["kid"] for printed in (first, second)}


def test_a_place_that_is_no_directory_is_refused(tmp_path: Path) -> None:
    """A place that is no directory is refused in a sentence."""
    (tmp_path / "file").write_text("")
    for option in ([], ["--rotate"]):
        result = migrato("signing-key", *option, "--keys", tmp_path / "file" / "keys")
        assert (result.exit_code, result.stdout) == (2, "")
        assert "No signing key can be made" in result.stderr
