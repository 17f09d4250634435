"""Key files: one key however many start at once, rotation, what is refused, and modes."""

import multiprocessing
import stat
from pathlib import Path

import pytest

from events.log.signing import verify_head
from events.runtime.key_files import CURRENT, KeyFiles, ensure, keys_of, load, rotate
from events.runtime.settings import Settings, SettingsError


def kid(directory: Path) -> str:
    signer = load(directory).signer
    assert signer is not None
    return signer.key_id


def _ensure_in(directory: str) -> str:
    ensure(Path(directory))
    return kid(Path(directory))


def test_a_first_key_is_made_and_stays(tmp_path: Path) -> None:
    """Nobody but its owner can read it."""
    directory = keys_of(tmp_path / "data")
    made = ensure(directory)
    assert stat.S_IMODE((directory / CURRENT).stat().st_mode) == 0o600
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert ensure(directory).jwk_set() == made.jwk_set()
    assert [path.name for path in directory.glob(".*")] == []


def test_many_that_start_at_once_have_one_key(tmp_path: Path) -> None:
    """Whoever is first."""
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        ids = pool.map(_ensure_in, [str(tmp_path / "keys")] * 8)
    assert len(set(ids)) == 1
    assert len(load(tmp_path / "keys").public) == 1


def test_rotation(tmp_path: Path) -> None:
    """A new key signs; the former public key stays, and what it signed still verifies; its private key is gone."""
    before = ensure(tmp_path)
    assert before.signer is not None
    signed, private = before.signer.sign("game", 3, "00" * 32), (tmp_path / CURRENT).read_bytes()
    after = rotate(tmp_path)
    assert after.signer is not None
    assert after.signer.key_id != signed.key_id
    assert set(after.public) == {signed.key_id, after.signer.key_id}
    assert verify_head(after.jwk(signed.key_id) or {}, "game", 3, "00" * 32, signed.signature)
    assert all(private not in path.read_bytes() for path in tmp_path.iterdir())


def test_running_processes_notice_a_rotation(tmp_path: Path) -> None:
    """At the next look; and a key that is spoilt meanwhile stops nobody who has one."""
    ensure(tmp_path)
    files = KeyFiles(tmp_path)
    first = files.keyring().signer
    rotate(tmp_path)
    second = files.keyring().signer
    assert first is not None
    assert second is not None
    assert first.key_id != second.key_id == kid(tmp_path)
    (tmp_path / CURRENT).unlink()
    assert files.keyring().signer is second


def test_without_a_directory_there_is_no_key() -> None:
    """Nothing is signed then."""
    assert KeyFiles(None).keyring().signer is None
    assert KeyFiles(Settings().signing_keys).keyring().jwk_set() == {"keys": []}


def test_a_directory_without_a_key_is_refused(tmp_path: Path) -> None:
    """The message tells the remedy."""
    with pytest.raises(SettingsError, match="migrato signing-key"):
        KeyFiles(tmp_path / "none").keyring()


def test_what_is_no_key_is_refused_without_being_quoted(tmp_path: Path) -> None:
    """Neither a private nor a public one; the message names the file."""
    ensure(tmp_path)
    public = next(tmp_path.glob("*.pub.pem"))
    for spoilt in (tmp_path / CURRENT, public):
        whole = spoilt.read_bytes()
        for content in (b"sesame", whole[:-40], b""):
            spoilt.write_bytes(content)
            with pytest.raises(SettingsError) as caught:
                load(tmp_path)
            assert spoilt.name in str(caught.value)
            assert "sesame" not in repr(caught.value)
        spoilt.write_bytes(whole)
    assert kid(tmp_path)


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """In a sentence."""
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="No signing key can be made"):
        ensure(tmp_path / "file" / "keys")
