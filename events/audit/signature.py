"""The signature of an export: by whom its last head is signed, and what for it counts."""

from collections.abc import Mapping
from typing import Any, Final

from domain.lifecycle import Json
from events.audit.counts import CheckCounts
from events.audit.findings import CheckFailed
from events.audit.stream_verifier import KeptHead
from events.log.signing import decoded, key_id_of, verify_head

_KEY = {"kty", "crv", "x", "kid", "use"}
_CHECK = "signature"
UNSIGNED: Final = "is not signed"

TrustedKeys = Mapping[str, str]  # key id: public key in base64url


def check_signature(
    header: Json, end: Json, head: KeptHead, trusted: TrustedKeys | None, counts: CheckCounts
) -> str | None:
    """The id of the key that signed the last head; None if nobody did.

    Raises CheckFailed "signature"; a complete game must be signed where keys are trusted, and by one of them.

    An engine gives anybody the signed head of any version. So a signature says nothing about hidden events, nor about
    later ones: it counts only if all was checked.
    """
    key, key_id, signed = header["public_key"], header["key_id"], end["signature"]
    if key is None and key_id is None and signed is None:
        if trusted is not None and header["complete"]:
            raise CheckFailed(_CHECK, head.version, "The last head must be signed, and is not.")
        why = "the export" if header["complete"] else "a game whose result is not confirmed"
        counts.note(_CHECK, f"{why} {UNSIGNED}")
        return None
    named = [key_id, key and key.get("kid"), signed and signed["key_id"], _id_of(key)]
    if key_id is None or named.count(key_id) < len(named) or key.keys() != _KEY or key["use"] != "sig":
        raise CheckFailed(_CHECK, None, "The file must name exactly one signing key.", None, named)
    if trusted is not None and trusted.get(key_id) != key["x"]:
        raise CheckFailed(
            _CHECK,
            None,
            "The export is signed by a key that is none of those you trust.",
            sorted(trusted),
            key_id,
        )
    if not verify_head(key, header["game_id"], head.version, head.head, signed["signature"]):
        raise CheckFailed(
            _CHECK, head.version, "The key did not make this signature for this head.", None, signed
        )
    if not header["complete"]:
        counts.note(_CHECK, "the last head is signed, but that counts for complete games only")
        return str(key_id)
    counts.passed(_CHECK)
    if trusted is None:
        counts.add(_CHECK, f"by the key {key_id} that the file names; is it the engine's?")
        counts.remark("signer", f"signer NOT verified: nothing but the file itself names the key {key_id}")
    return str(key_id)


def _id_of(key: Any) -> str | None:
    """The id that follows from the public key."""
    try:
        return None if key is None else key_id_of(decoded(key["x"]))
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
