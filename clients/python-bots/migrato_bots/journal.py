"""Seats that a bot plays, in a file: what a program that is killed must know when it starts again.

Each line is a JSON object; lines are only ever added, and a line that was cut off does not count:

    {"game": ID, "token": TOKEN}              a seat to play; your own program may add such lines at any time
    {"key": KEY, "path": P, "body": B}        a request for a seat, about to be sent with that idempotency key
    {"key": KEY, "game": ID, "token": TOKEN}  its answer; an answer without a game: there is no seat
    {"game": ID, "token": TOKEN, "over": WHY} nothing more to do there
"""

import fcntl
import json
import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple


class Seat(NamedTuple):
    """A seat to play."""

    game: str
    token: str


@dataclass(frozen=True)
class Asked:
    """A request for a seat that was sent perhaps, and has no answer yet."""

    key: str
    path: str
    body: dict[str, Any]


class Journal:
    """The file, held by one process. It may be used by several threads at once."""

    def __init__(self, path: Path) -> None:
        """Open it, or make it for the user alone. BlockingIOError if another process holds it; OSError."""
        self._lock = threading.Lock()
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise
        self._read = 0
        self._seats = dict[Seat, str | None]()
        self._asked = dict[str, Asked]()
        self._sought = set[str]()  # games in which a seat was asked for
        self._refresh()

    def close(self) -> None:
        """Let another process have it."""
        os.close(self._file)

    def open_seats(self) -> list[Seat]:
        """The seats to play, those that were added since among them."""
        with self._lock:
            self._refresh()
            return [seat for seat, over in self._seats.items() if over is None]

    def unanswered(self) -> list[Asked]:
        """The requests without an answer."""
        with self._lock:
            return list(self._asked.values())

    def count(self) -> int:
        """The number of seats, over or not."""
        with self._lock:
            return len(self._seats)

    def has(self, game: str) -> bool:
        """True if the game has or had a seat here, or was asked for one."""
        with self._lock:
            return game in self._sought or any(seat.game == game for seat in self._seats)

    def ask(self, asked: Asked) -> None:
        """Note a request before it is sent."""
        self._add({"key": asked.key, "path": asked.path, "body": asked.body})

    def got(self, key: str, seat: Seat | None) -> None:
        """Note its answer; None if there is no seat."""
        self._add({"key": key} | ({} if seat is None else seat._asdict()))

    def end(self, seat: Seat, why: str) -> None:
        """Note that there is nothing more to do."""
        self._add({**seat._asdict(), "over": why})

    def _add(self, line: dict[str, Any]) -> None:
        with self._lock:
            self._refresh()
            is_cut = os.fstat(self._file).st_size > self._read  # the last line has no end
            data = b"\n" * is_cut + json.dumps(line).encode() + b"\n"
            while data:
                data = data[os.write(self._file, data) :]
            os.fsync(self._file)
            self._refresh()

    def _refresh(self) -> None:
        """Take in whole lines that are new."""
        size = os.fstat(self._file).st_size
        new = os.pread(self._file, max(0, size - self._read), self._read)
        whole = new[: new.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            try:
                self._take(json.loads(line))
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                continue  # a line that was cut off, or none of ours

    def _take(self, line: dict[str, Any]) -> None:
        if "body" in line:
            asked = Asked(line["key"], line["path"], line["body"])
            self._sought.update(asked.path.split("/")[3:4])
            self._asked[asked.key] = asked
            return
        self._asked.pop(line.get("key", ""), None)
        if "game" in line:
            seat = Seat(str(line["game"]), str(line["token"]))
            self._seats[seat] = line.get("over") or self._seats.get(seat)
