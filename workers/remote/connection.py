"""A connection to an untrusted server: the bytes that are read and the time are limited.

If a server always has bytes ready, no read ever waits, and the server would keep the whole process busy: so every read
here first lets the other greenlets run, and checks the time. TLS is fed by hand (ssl.MemoryBIO), because OpenSSL would
go on reading by itself as long as there are empty records.
"""

import time
from typing import Final

import gevent  # type: ignore[import-untyped]
from gevent import socket, ssl

CHUNK: Final = 8_192  # bytes that are read together


class DeadlineExceeded(Exception):
    """A call took longer than its deadline allows."""


class RemoteDisconnected(ConnectionError):
    """The server closed the connection before its answer was complete."""


class ResponseTooLarge(Exception):
    """The server has sent more than any answer needs."""


class Connection:
    """A connection in plain text."""

    def __init__(self, connected: socket.socket, deadline: float, most: int) -> None:
        """`deadline`: a time of `time.monotonic`; `most`: bytes that are read in all, including headers and TLS."""
        self._socket = connected
        self._deadline = deadline
        self._left = most

    def receive(self) -> bytes:
        """The next bytes, b"" at the end. Raises DeadlineExceeded, ResponseTooLarge, OSError."""
        return self._read()

    def send(self, data: bytes) -> None:
        """Send all of the data. Raises OSError."""
        self._socket.sendall(data)

    def _read(self) -> bytes:
        gevent.sleep(0)
        if time.monotonic() >= self._deadline:
            raise DeadlineExceeded
        data: bytes = self._socket.recv(CHUNK)
        self._left -= len(data)
        if self._left < 0:
            raise ResponseTooLarge
        return data


class TlsConnection(Connection):
    """A connection by TLS; the server's certificate must have the given name."""

    def __init__(
        self, connected: socket.socket, deadline: float, most: int, tls: ssl.SSLContext, name: str
    ) -> None:
        """Shake hands. Raises DeadlineExceeded, ResponseTooLarge, OSError."""
        super().__init__(connected, deadline, most)
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = tls.wrap_bio(self._incoming, self._outgoing, server_hostname=name)
        while not self._has_shaken_hands():
            self._feed()

    def receive(self) -> bytes:
        """The next bytes, b"" at the end. Raises DeadlineExceeded, ResponseTooLarge, OSError."""
        while True:
            try:
                return bytes(self._tls.read(CHUNK))
            except ssl.SSLWantReadError:
                self._flush()
                self._feed()
            except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
                return b""

    def send(self, data: bytes) -> None:
        """Send all of the data. Raises OSError."""
        self._tls.write(data)  # into memory, so that all of it is written
        self._flush()

    def _has_shaken_hands(self) -> bool:
        try:
            self._tls.do_handshake()
        except ssl.SSLWantReadError:
            return False
        finally:
            self._flush()
        return True

    def _feed(self) -> None:
        data = self._read()
        if data:
            self._incoming.write(data)
        else:
            self._incoming.write_eof()

    def _flush(self) -> None:
        while self._outgoing.pending:
            self._socket.sendall(self._outgoing.read())
