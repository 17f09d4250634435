"""Compressed answers: large ones, for callers that accept gzip, unless a secret stands beside text that others chose.

An eavesdropper on a connection sees the length of each answer. An attacker who can put words of its own beside a
secret, and have the answer sent again and again, learns the secret bit by bit from the length of the compressed answer
(BREACH). So the callers of `compressed` give it only answers that are the same for everybody who may see the game. An
answer with a token or a ticket is never compressed, nor is the view of one seat in a running game. Moves and views are
not compressed in any case: they are small and frequent.
"""

import zlib
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from werkzeug.wrappers import Response

from service.http.call import current_call
from service.http.responses import Pieces, Reply

LARGE: Final = 8192  # bytes from which compression pays
LEVEL: Final = 1  # higher levels take three times as long, and save a tenth of the bytes
GZIP: Final = 16 + zlib.MAX_WBITS


def compressed(reply: Reply) -> Reply:
    """The same answer, compressed if it is large or comes in pieces, and if the caller accepts gzip."""
    if len(reply.body) < LARGE and reply.pieces is None:
        return reply
    reply.vary("Accept-Encoding")
    if accepts_gzip():
        if reply.pieces is None:
            reply.body = zlib.compress(reply.body, LEVEL, GZIP)
        else:
            reply.pieces = Pieces(_in_pieces(reply.pieces), reply.pieces.close)
        reply.lines = reply.lines.replace('ETag: "', 'ETag: W/"', 1)
        reply.add("Content-Encoding", "gzip")
    return reply


def compressed_document(response: Response, large: int = LARGE) -> Response:
    """The same document, compressed if that pays; the compressed bytes are kept, because they are the same for
    everybody.
    """
    if response.status_code != 200:
        return response
    response.direct_passthrough = False
    body = response.get_data()
    if len(body) >= large:
        response.vary.add("Accept-Encoding")
        if accepts_gzip():
            response.set_data(_packed_once(body))
            response.headers["Content-Encoding"] = "gzip"
            if "ETag" in response.headers:
                response.headers["ETag"] = _weak(response.headers["ETag"])
    return response


def accepts_gzip() -> bool:
    """True if the caller accepts gzip."""
    for entry in current_call().environ.get("HTTP_ACCEPT_ENCODING", "").lower().split(","):
        coding, _, weight = entry.partition(";")
        if coding.strip() in ("gzip", "x-gzip"):
            quality = weight.replace(" ", "").removeprefix("q=")
            return not quality or quality.strip("0.") != ""
    return False


@lru_cache(maxsize=256)
def _packed_once(body: bytes) -> bytes:
    return zlib.compress(body, 9, GZIP)


def _in_pieces(pieces: Pieces) -> Iterator[bytes]:
    coder = zlib.compressobj(LEVEL, wbits=GZIP)
    for piece in pieces:
        if coded := coder.compress(piece):
            yield coded
    yield coder.flush()


def _weak(tag: str) -> str:
    """The weak form of an entity tag: the document is the same, but its bytes are not."""
    return tag if tag.startswith("W/") else f"W/{tag}"
