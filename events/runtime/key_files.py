"""Signing keys in files: a directory of PEM files.

    current.pem          the private key that signs (PKCS #8, mode 0600)
    <key id>.pub.pem     every public key that signs or ever did, so that its signatures can be checked
    lock                 held while a key is made

A public key is written before its private one signs anything, and each file appears whole, by renaming. So the
directory is in order after the death of a process at any moment. Of two processes that want a first key, one makes it.
"""

import logging
import os
from pathlib import Path
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from events.log.signing import Keyring, Signer, key_id_of
from events.runtime.file_lock import FileLock
from events.runtime.settings import SettingsError

log = logging.getLogger("migrato.key_files")

CURRENT: Final = "current.pem"
PUBLIC_SUFFIX: Final = ".pub.pem"
PRIVATE_MODE, PUBLIC_MODE, DIRECTORY_MODE = 0o600, 0o644, 0o700


def keys_of(data_dir: Path) -> Path:
    """Directory of the keys in the data directory of `migrato serve`."""
    return data_dir / "keys"


class KeyFiles:
    """The keys of an installation as they are on the disk; a rotation is noticed at the next look."""

    def __init__(self, directory: Path | None) -> None:
        """`directory` None: there are no keys, and nothing is signed."""
        self._directory = directory
        self._stamp_read: tuple[int, ...] | None = ()  # never looked
        self._keyring = Keyring()

    def keyring(self) -> Keyring:
        """The keys as they are now, or were when they could last be read. SettingsError if they never could be."""
        if self._directory is None:
            return self._keyring
        stamp = _stamp(self._directory)
        if stamp != self._stamp_read:
            try:
                self._keyring = load(self._directory)
            except SettingsError as error:
                if self._keyring.signer is None:
                    raise
                log.warning("the keys that were there go on to be used: %s", error)
            self._stamp_read = stamp
        return self._keyring


def load(directory: Path) -> Keyring:
    """The keys of a directory; SettingsError, which says nothing of what the files hold, if they are not usable."""
    try:
        signer = _signer(directory)
        public = {signer.key_id: signer.public}
        for path in sorted(directory.glob(f"*{PUBLIC_SUFFIX}")):
            raw = _public(path)
            public[key_id_of(raw)] = raw
    except FileNotFoundError as error:
        remedy = "`migrato signing-key` makes one"
        raise SettingsError(
            f"There is no signing key in {directory} (MIGRATO_SIGNING_KEYS): {remedy}."
        ) from error
    except OSError as error:
        raise SettingsError(f"The signing keys in {directory} cannot be read: {error.strerror}.") from None
    return Keyring(signer, public)


def ensure(directory: Path) -> Keyring:
    """The keys of a directory, with a first one made if there is none. SettingsError, also if it cannot be written."""
    try:
        if not (directory / CURRENT).exists():
            with _lock(directory):
                if not (directory / CURRENT).exists():  # another process may have been faster
                    _make_current(directory)
    except OSError as error:
        raise SettingsError(f"No signing key can be made in {directory}: {error.strerror}.") from None
    return load(directory)


def rotate(directory: Path) -> Keyring:
    """Make a new key, which signs from now on; the old public key stays, the old private key is gone. SettingsError."""
    former = ensure(directory).signer
    assert former is not None
    try:
        with _lock(directory):
            former = _signer(directory)
            write(directory / f"{former.key_id}{PUBLIC_SUFFIX}", _public_pem(former.public), PUBLIC_MODE)
            _make_current(directory)
    except OSError as error:
        raise SettingsError(f"No signing key can be made in {directory}: {error.strerror}.") from None
    return load(directory)


def _make_current(directory: Path) -> None:
    key = Ed25519PrivateKey.generate()
    signer = Signer(key)
    write(directory / f"{signer.key_id}{PUBLIC_SUFFIX}", _public_pem(signer.public), PUBLIC_MODE)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    write(directory / CURRENT, private, PRIVATE_MODE)


def _signer(directory: Path) -> Signer:
    path = directory / CURRENT
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        # from nothing: the library's message might quote the file
        raise SettingsError(f"{path} must be an Ed25519 private key in PEM, not encrypted.") from None
    return Signer(key)


def _public(path: Path) -> bytes:
    try:
        key = load_pem_public_key(path.read_bytes())
    except (ValueError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PublicKey):
        raise SettingsError(f"{path} must be an Ed25519 public key in PEM.")
    return key.public_bytes_raw()


def _public_pem(public: bytes) -> bytes:
    key = Ed25519PublicKey.from_public_bytes(public)
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def _lock(directory: Path) -> FileLock:
    """Lock that is held while a key is made."""
    directory.mkdir(mode=DIRECTORY_MODE, parents=True, exist_ok=True)
    return FileLock(directory / "lock")


def write(path: Path, content: bytes, mode: int) -> None:
    """The file, whole or not at all, and on the disk when this returns; never readable for others than `mode` says."""
    made = path.with_name(f".{path.name}.{os.getpid()}.new")
    made.unlink(missing_ok=True)
    file = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        os.write(file, content)
        os.fsync(file)
    finally:
        os.close(file)
    made.rename(path)
    directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _stamp(directory: Path) -> tuple[int, ...] | None:
    """Stamp that changes whenever a file is renamed into the directory; None if it is not there."""
    try:
        current = (directory / CURRENT).stat()
        return directory.stat().st_mtime_ns, current.st_mtime_ns, current.st_ino
    except OSError:
        return None
