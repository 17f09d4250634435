"""Signed heads: the format, what is refused, and that a private key is never shown."""

import json
import pickle
import traceback

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from events.log.signing import Keyring, Signer, decoded, encoded, head_message, jwk_of, key_id_of, verify_head

SECRET = bytes(range(32))
SIGNER = Signer(Ed25519PrivateKey.from_private_bytes(SECRET))
HEAD = "ab" * 32


def test_vectors() -> None:
    """As docs/reference/fairness-protocol.md gives them: four lines are signed, without a line feed at the end."""
    assert head_message("game", 12, HEAD) == b"migrato-head/1\ngame\n12\n" + HEAD.encode()
    jwk = jwk_of(SIGNER.public)
    assert jwk == {
        "kty": "OKP",
        "crv": "Ed25519",
        "x": "A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg",
        "kid": "56475aa75463474c",
        "use": "sig",
    }
    signed = SIGNER.sign("game", 12, HEAD)
    assert (signed.key_id, signed.version, signed.head) == (jwk["kid"], 12, HEAD)
    assert verify_head(jwk, "game", 12, HEAD, signed.signature)


def test_a_signature_is_for_one_head_only() -> None:
    """Another game, version or head is refused."""
    signed = SIGNER.sign("game", 12, HEAD)
    for other in (("gamf", 12, HEAD), ("game", 13, HEAD), ("game", 12, "ac" + HEAD[2:])):
        assert not verify_head(jwk_of(SIGNER.public), *other, signed.signature)


def test_other_keys_and_nonsense_are_refused() -> None:
    """False, never an error, whatever stands there."""
    signature, jwk = SIGNER.sign("game", 12, HEAD).signature, jwk_of(SIGNER.public)
    other = jwk_of(Ed25519PrivateKey.generate().public_key().public_bytes_raw())
    for key in (other, {}, jwk | {"crv": "X25519"}, jwk | {"kty": "EC"}, jwk | {"x": 7}, jwk | {"x": "AA"}):
        assert not verify_head(key, "game", 12, HEAD, signature)
    for text in (
        "",
        "A" * 86,
        signature + "=",
        signature[:-1],
        "ä" * 86,
        signature.replace(signature[0], "+"),
    ):
        assert not verify_head(jwk, "game", 12, HEAD, text)
    assert not verify_head(jwk, "game", 12, HEAD, None)  # type: ignore[arg-type]


def test_there_is_one_way_to_write_bytes() -> None:
    """So that no byte of a signature can be changed without being noticed."""
    assert decoded(encoded(b"\x00\xff\x10")) == b"\x00\xff\x10"
    for text in ("AB", "A", "AA=="):  # bits that are left over, and padding
        with pytest.raises(ValueError, match="base64url"):
            decoded(text)


def test_a_private_key_is_never_shown() -> None:
    """No text and no error shows a private key, which cannot be pickled; only the key's id is shown."""
    assert repr(SIGNER) == str(SIGNER) == f"Signer({key_id_of(SIGNER.public)})"
    shown = repr(Keyring(SIGNER, {SIGNER.key_id: SIGNER.public})) + json.dumps(Keyring(SIGNER).jwk_set())
    assert SECRET.hex() not in shown
    assert encoded(SECRET) not in shown
    with pytest.raises(TypeError) as caught:
        pickle.dumps(SIGNER)
    assert encoded(SECRET) not in "".join(traceback.format_exception(caught.value))


def test_the_current_key_comes_first() -> None:
    """The published set begins with the current key."""
    former = [Signer(Ed25519PrivateKey.from_private_bytes(bytes([n]) * 32)) for n in range(5)]
    public = {signer.key_id: signer.public for signer in (*former, SIGNER)}
    keys = Keyring(SIGNER, public).jwk_set()["keys"]
    assert keys[0]["kid"] == SIGNER.key_id
    assert {key["kid"] for key in keys} == set(public)
    assert Keyring().jwk_set() == {"keys": []}
