"""The whole store at one moment, in the server's own form, and from there into another server.

The server is asked as a replica asks (SYNC): it forks, and sends its data of that moment, while it goes on. So a dump
holds every key, of whatever kind, and no write by half.
"""

import socket
from collections.abc import Callable
from typing import IO, Any, Final

from redis.exceptions import RedisError, ResponseError

from events.errors import EngineError, StoreUnavailable
from events.store.connections.client import Argument, RedisClient, ServerClient
from events.store.connections.refusals import is_forbidden, told, unavailable

AT_ONCE: Final = 65_536  # bytes
SILENCE: Final = 60.0  # seconds; while it prepares, a server says every second that it is there
MARK: Final = 40  # bytes by which a dump ends whose length the server did not know
KEYS: Final = 200  # copied at once
LINE: Final = 1024  # bytes, at most, of what comes before a dump


class DumpRefused(EngineError):
    """The server gives no dump, or takes none; `detail` says why."""

    code = "dump-refused"


def dump(link: ServerClient, file: IO[bytes]) -> None:
    """Write a server's dump to the file. Raises StoreUnavailable, DumpRefused, and OSError of the file."""
    connection: Any = link.connection()
    try:
        # Former servers do not know the second option, without which a dump only ends later.
        for option in (("capa", "eof"), ("rdb-only", "1")):
            connection.send_command("REPLCONF", *option)
            _read(connection)
        connection.send_command("SYNC")
        _receive(connection._sock, file)  # noqa: SLF001 -- redis-py has no name for it
    except RedisError as error:
        raise unavailable(error) from error
    finally:
        connection.disconnect()


def _read(connection: Any) -> None:
    try:
        connection.read_response()
    except ResponseError as refusal:
        if is_forbidden(refusal):
            raise DumpRefused(f"The server gives this user no dump: {told(refusal)}") from refusal


def _receive(sock: socket.socket, file: IO[bytes]) -> None:
    sock.settimeout(SILENCE)
    line, data = _first_line(sock)
    if not line.startswith(b"$"):
        raise DumpRefused(f"The server gives no dump: {line.decode(errors='replace').lstrip('-')}")
    if line.startswith(b"$EOF:"):
        _until(sock, file, data, line.removeprefix(b"$EOF:"))
    else:
        _so_many(sock, file, data, int(line[1:]))
    file.flush()


def _first_line(sock: socket.socket) -> tuple[bytes, bytes]:
    """The line before the dump, and what came with it; empty lines only say that the server is there."""
    data = b""
    while b"\n" not in (data := data.lstrip(b"\r\n")):
        if len(data) > LINE:
            raise DumpRefused("The server gives no dump, but something else.")
        data += _more(sock)
    line, _, rest = data.partition(b"\n")
    return line.rstrip(b"\r"), rest


def _until(sock: socket.socket, file: IO[bytes], data: bytes, mark: bytes) -> None:
    if len(mark) != MARK:
        raise DumpRefused("The server gives no dump, but something else.")
    while not data.endswith(mark):
        file.write(data[:-MARK])
        data = data[-MARK:] + _more(sock)
    file.write(data[:-MARK])


def _so_many(sock: socket.socket, file: IO[bytes], data: bytes, left: int) -> None:
    while left > 0:
        data = data or _more(sock)
        file.write(data[:left])
        left, data = left - len(data), b""


def _more(sock: socket.socket) -> bytes:
    try:
        data = sock.recv(AT_ONCE)
    except OSError as error:
        raise StoreUnavailable(f"no answer within the dump: {error}") from error
    if not data:
        raise StoreUnavailable("the server ended the connection within the dump")
    return data


def size(link: RedisClient) -> int:
    """The number of keys in the store. Raises StoreUnavailable."""
    return int(link.call("DBSIZE"))


def copy(source: RedisClient, target: RedisClient, progress: Callable[[int], None] = lambda _: None) -> None:
    """Copy all keys of a store that nobody writes to; a key of that name is replaced, so it may be done twice.

    `progress` is called with the number of keys copied so far. Raises StoreUnavailable, DumpRefused.
    """
    cursor, done = b"0", 0
    while True:
        cursor, found = source.call("SCAN", cursor, "COUNT", KEYS)
        values = source.calls([request for key in found for request in (("DUMP", key), ("PTTL", key))])
        restoring: list[tuple[Argument, ...]] = [
            ("RESTORE", key, max(0, int(left)), value, "REPLACE")
            for key, value, left in zip(found, values[::2], values[1::2], strict=True)
            if value is not None
        ]
        for reply in target.calls(restoring):
            if isinstance(reply, ResponseError):
                raise DumpRefused(f"The server does not take what the backup holds: {reply}")
        done += len(restoring)
        progress(done)
        if cursor == b"0":
            return
