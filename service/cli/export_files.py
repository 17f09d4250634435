"""Files of exports, plain or compressed by gzip, read in bounded memory; and files of trusted keys."""

import gzip
import io
import zlib
from collections.abc import Iterator
from functools import partial
from typing import Any, BinaryIO, Final

import orjson

from events.log.export import LARGEST_GAME, Exported, Unreadable, games_in
from service.cli.archive_files import archived, index_place

_GZIP: Final = b"\x1f\x8b"
_LARGEST_KEY_FILE: Final = 2**20


def exports_in(stream: io.BufferedReader, largest: int = LARGEST_GAME, name: str = "") -> Iterator[Exported]:
    """The games of a file or a pipe: what it holds tells whether it is compressed, or a file of an archive.

    `name` says what a file of an archive must hold, if it has the form of such a name. Raises Unreadable, and OSError
    where it cannot be read.
    """
    if not stream.peek(2).startswith(_GZIP):
        yield from games_in(stream, largest)
    elif (place := index_place(stream)) is not None:
        yield from archived(stream, name, place, largest, partial(_unpacked, largest=largest))
    else:
        yield from _unpacked(stream, largest)


def _unpacked(stream: io.BufferedReader, largest: int) -> Iterator[Exported]:
    try:
        with gzip.GzipFile(fileobj=stream) as unpacked:
            yield from games_in(_buffered(unpacked), largest)
    except EOFError:
        raise Unreadable("truncated", "The compressed file ends before its end.") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise Unreadable("damaged", f"The compressed file is damaged: {error}.") from None


def _buffered(unpacked: gzip.GzipFile) -> BinaryIO:
    return io.BufferedReader(unpacked, 2**16)


def trusted_keys(raw: bytes) -> dict[str, str]:
    """Key ids and public keys of a JWK set (RFC 7517) or of one JWK; ValueError says what is wrong with it."""
    if len(raw) > _LARGEST_KEY_FILE:
        raise ValueError("it is too large to be a set of keys")
    try:
        document: Any = orjson.loads(raw)
    except orjson.JSONDecodeError:
        raise ValueError("it is not JSON") from None
    keys = document.get("keys", [document]) if isinstance(document, dict) else None
    found = {}
    for key in keys if isinstance(keys, list) else ():
        named = (key.get("kid"), key.get("x")) if isinstance(key, dict) else (None, None)
        match named:
            case (str(key_id), str(public)) if (key.get("kty"), key.get("crv")) == ("OKP", "Ed25519"):
                found[key_id] = public
    if not found:
        raise ValueError("it is no JWK set, or holds no Ed25519 key with a kid")
    return found
