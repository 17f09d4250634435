# compiled into serving
"""A connection whose replies are read straight from its socket."""

from typing import Any, Protocol

import hiredis
from gevent.socket import socket as greenlets_socket  # type: ignore[import-untyped]
from redis.connection import DefaultParser
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import InvalidResponse, RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

MORE = object()  # what a reader has of a reply that has not come as a whole
AT_ONCE = 65536  # bytes that are read at once


class Connection(Protocol):
    """The part of redis-py's connections that is used."""

    def send_packed_command(self, command: list[bytes]) -> None:
        """Send requests; connects first where need be."""

    def read_response(self, *, disconnect_on_error: bool = True) -> Any:
        """The next reply; raises it where it is an error."""

    def disconnect(self) -> None:
        """Close the socket; the next request opens another."""


class DirectConnection:
    """A connection of redis-py's whose replies are read straight from its socket, in an eighth of the time."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._sock: Any = None
        self._reader: Any = None

    def send_packed_command(self, command: list[bytes]) -> None:
        """Send requests; connects first where need be."""
        self._connection.send_packed_command(command)
        sock = self._connection._sock  # noqa: SLF001 -- redis-py has no name for it
        if self._sock is not sock:
            self._sock = sock
            self._reader = hiredis.Reader(
                protocolError=InvalidResponse, replyError=DefaultParser.parse_error, notEnoughData=MORE
            )

    def read_response(self, *, disconnect_on_error: bool = True) -> Any:
        """The next reply; raises it where it is an error. It is for the caller to disconnect where there is none."""
        try:
            reply = self._reader.gets()
            while reply is MORE:
                data = self._sock.recv(AT_ONCE)
                if not data:
                    raise RedisConnectionError("the server closed the connection")
                self._reader.feed(data)
                reply = self._reader.gets()
        except TimeoutError as error:
            raise RedisTimeoutError("no answer in time") from error
        except OSError as error:
            raise RedisConnectionError(f"no answer: {error}") from error
        if isinstance(reply, RedisError):
            raise reply
        return reply

    def disconnect(self) -> None:
        """Close the socket; the next request opens another."""
        self._connection.disconnect()
        self._sock = self._reader = None

    @property
    def sock(self) -> Any:
        """The connection's socket; None while it is not connected."""
        return self._sock

    @property
    def reader(self) -> Any:
        """Reader that makes replies of the bytes that come."""
        return self._reader

    @property
    def plain_socket(self) -> Any:
        """The system's socket, which never waits, beneath one of greenlets; None where there is none, or TLS is on."""
        return self._sock._sock if type(self._sock) is greenlets_socket else None  # noqa: SLF001 -- gevent's name
