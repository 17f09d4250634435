"""A server's dump, as far as hostile servers go; `tests/processes/test_backup.py` takes whole ones."""

import io
from pathlib import Path

import pytest

from events.backup.dump import LINE, DumpRefused, dump
from events.store.connections.client import ServerClient
from events.store.link import link_to
from tests.support.scripted_server import ScriptedServer

MARK = b"m" * 40


def dumped(directory: Path, reply: bytes) -> bytes:
    """The dump of a server that answers SYNC so."""
    server = ScriptedServer(directory, lambda _, request: reply if request == "SYNC" else b"+OK\r\n")
    link, file = link_to(server.url, 5.0), io.BytesIO()
    assert isinstance(link, ServerClient)
    try:
        dump(link, file)
    finally:
        server.close()
    return file.getvalue()


def test_something_else_than_a_dump(short_path: Path) -> None:
    """It is refused at once; a mark of another length might never come."""
    long_mark = b"$EOF:" + MARK + b"m\r\nREDIS" + MARK
    for reply in (b"$EOF:short\r\nREDIS", long_mark, b"x" * (LINE + 1), b"+OK\r\n"):
        with pytest.raises(DumpRefused, match="gives no dump"):
            dumped(short_path, reply)


def test_a_dump_ends_with_its_mark(short_path: Path) -> None:
    """The mark is no part of it."""
    assert dumped(short_path, b"$EOF:" + MARK + b"\r\nREDIS0011" + MARK) == b"REDIS0011"
