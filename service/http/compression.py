"""Compressed answers: large ones, for callers who can read gzip, where no secret stands beside what others chose.

Whoever watches a connection sees how long its answers are. If an attacker can put words of its own beside a secret, and
have the answer sent again and again, the length of a compressed one tells the secret bit by bit (BREACH). So only what
everybody may see who may see the game is compressed, which `compressed` is told by its callers: nothing with a token or
a ticket, nothing that one seat of a running game sees and others do not. Moves and views are not compressed in any
case: they are small, and asked for all the time.
"""

import zlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from werkzeug.wrappers import Response

from service.http.call import current_call
from service.http.responses import Reply

LARGE: Final = 8192  # bytes from which it pays
LEVEL: Final = 1  # higher ones take three times as long, and save a tenth
GZIP: Final = 16 + zlib.MAX_WBITS


def compressed(reply: Reply) -> Reply:
    """The same answer, compressed if it is large and the caller can read that."""
    if len(reply.body) < LARGE:
        return reply
    reply.vary("Accept-Encoding")
    if accepts_gzip():
        reply.body = _packed(reply.body)
        reply.lines = reply.lines.replace('ETag: "', 'ETag: W/"', 1)
        reply.add("Content-Encoding", "gzip")
    return reply


def compressed_response(response: Response, *, keep: bool = False, large: int | None = None) -> Response:
    """The same for a response; `keep`: its body is the same for everybody, and so is kept as it was compressed."""
    if response.status_code != 200:
        return response
    response.direct_passthrough = False
    body = response.get_data()
    if len(body) >= (LARGE if large is None else large):
        response.vary.add("Accept-Encoding")
        if accepts_gzip():
            response.set_data(_packed_once(body) if keep else _packed(body))
            _mark(response)
    return response


def compressed_stream(response: Response, pieces: Iterable[bytes]) -> Response:
    """The same for a response whose body comes in pieces."""
    response.vary.add("Accept-Encoding")
    if accepts_gzip():
        response.response = _in_pieces(pieces)
        _mark(response)
    return response


def accepts_gzip() -> bool:
    """True if the caller can read gzip."""
    for entry in current_call().environ.get("HTTP_ACCEPT_ENCODING", "").lower().split(","):
        coding, _, weight = entry.partition(";")
        if coding.strip() in ("gzip", "x-gzip"):
            quality = weight.replace(" ", "").removeprefix("q=")
            return not quality or quality.strip("0.") != ""
    return False


def _packed(body: bytes) -> bytes:
    return zlib.compress(body, LEVEL, GZIP)


@lru_cache(maxsize=256)
def _packed_once(body: bytes) -> bytes:
    return zlib.compress(body, 9, GZIP)


def _in_pieces(pieces: Iterable[bytes]) -> Iterator[bytes]:
    coder = zlib.compressobj(LEVEL, wbits=GZIP)
    for piece in pieces:
        if coded := coder.compress(piece):
            yield coded
    yield coder.flush()


def _mark(response: Response) -> None:
    response.headers["Content-Encoding"] = "gzip"
    if "ETag" in response.headers:
        response.headers["ETag"] = _weak(response.headers["ETag"])


def _weak(tag: str) -> str:
    """An entity tag that says: the same document, though not the same bytes."""
    return tag if tag.startswith("W/") else f"W/{tag}"
