"""Key files: one key however many start at once, rotation, what is refused, and modes."""

import os
import stat
from pathlib import Path

import pytest

from events.log.signing import verify_head
from events.runtime.key_files import CURRENT, KeyFiles, ensure, keys_of, load, rotate
from events.runtime.settings import Settings, SettingsError
from tests.events.forking import forked, status_of
from tests.support.sure import sure


def kid(directory: Path) -> str:
    signer = sure(load(directory).signer)
    return signer.key_id


def test_a_first_key_is_made_and_stays(tmp_path: Path) -> None:
    """Nobody but its owner can read it."""
    directory = keys_of(tmp_path / "data")
    made = ensure(directory)
    assert stat.S_IMODE((directory / CURRENT).stat().st_mode) == 0o600
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert ensure(directory).jwk_set() == made.jwk_set()
    assert [path.name for path in directory.glob(".*")] == []


def test_many_that_start_at_once_have_one_key(tmp_path: Path) -> None:
    """Many processes that start at once all use the key that the first one made."""
    directory = tmp_path / "keys"
    reading, writing = os.pipe()

    def begin() -> None:
        os.close(writing)
        os.read(reading, 1)  # until all of them are let go
        ensure(directory)
        (tmp_path / f"{os.getpid()}.kid").write_text(kid(directory))

    children = [forked(begin) for _ in range(8)]
    os.close(writing)
    assert [status_of(child) for child in children] == [0] * 8
    os.close(reading)
    told = [(tmp_path / f"{child}.kid").read_text() for child in children]
    assert told == [kid(directory)] * 8
    assert len(load(directory).public) == 1


def test_rotation(tmp_path: Path) -> None:
    """A new key signs; the former public key stays, and what it signed still verifies; its private key is gone."""
    before = ensure(tmp_path)
    signed, private = sure(before.signer).sign("game", 3, "00" * 32), (tmp_path / CURRENT).read_bytes()
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


def test_places_without_a_key(tmp_path: Path) -> None:
    """Without a directory nothing is signed; one without a key, or that cannot be written, is told with the remedy."""
    assert KeyFiles(None).keyring().signer is None
    assert KeyFiles(Settings().signing_keys).keyring().jwk_set() == {"keys": []}
    with pytest.raises(SettingsError, match="migrato signing-key"):
        KeyFiles(tmp_path / "none").keyring()
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="No signing key can be made"):
        ensure(tmp_path / "file" / "keys")


def test_a_spoilt_key_is_refused_without_being_quoted(tmp_path: Path) -> None:
    """The message names the file, and quotes neither a private nor a public key."""
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
