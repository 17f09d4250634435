"""Somebody who follows a game by its stream of states, and connects again, as a browser does, until that ends."""

import threading
import time
from dataclasses import dataclass
from typing import Any, Final

import orjson
import requests

from drills.clients.client import LONGEST_PAUSE, TRY_AGAIN, Client, Unanswered

SILENCE: Final = (5.0, 20.0)  # seconds: to connect, and until the next line; a comment comes every 15 s
FIRST_PAUSE: Final = 0.05  # seconds before it connects again
STREAM: Final = "text/event-stream"


@dataclass(slots=True)
class Follower:
    """A seat's stream, or, without a token, that of anybody who watches.

    `played`: all who play the game have seen its end, so the stream is about to end, too.
    """

    client: Client
    game_id: str
    played: threading.Event
    seat: int | None = None
    token: str | None = None
    last_id: str | None = None
    _until: float = 0.0

    def follow(self) -> None:
        """Follow the stream to its end, or until it is refused. Raises Unanswered."""
        self._until, pause, heard = self._patient(), FIRST_PAUSE, self.last_id
        while not self._streamed():
            if self.client.stopped.is_set() or time.monotonic() > self._until:
                raise Unanswered(f"{self.client.by}: the stream of {self.game_id}")
            pause = FIRST_PAUSE if heard != self.last_id else min(LONGEST_PAUSE, 2 * pause)
            heard = self.last_id
            time.sleep(pause)

    def _patient(self) -> float:
        return time.monotonic() + self.client.patience

    def _streamed(self) -> bool:
        """Follow on one connection; whether there is no more to come."""
        client, path = self.client, f"/v1/games/{self.game_id}/events?views=true"
        client.count += 1
        asked = {"do": "follow", "seat": self.seat, "method": "GET", "path": path, "body": None, "key": None}
        self._write("invoke", **asked, attempt=1)
        headers = {"Accept": STREAM}
        if self.token is not None:
            headers["Authorization"] = f"Bearer {self.token}"
        if self.last_id is not None:
            headers["Last-Event-ID"] = self.last_id
        try:
            with client.session.get(client.url + path, headers=headers, stream=True, timeout=SILENCE) as got:
                if got.status_code == 204:
                    self._write("end")
                    return True
                if got.status_code == 200:
                    return self._heard(got)
                if got.status_code in TRY_AGAIN or got.status_code >= 500:
                    self._write("info", why=f"{got.status_code}")
                    return False
                self._write("fail", status=got.status_code, answer=got.json())
                return True
        except (requests.RequestException, ValueError) as error:
            self._write("info", why=type(error).__name__)
            return False

    def _heard(self, got: requests.Response) -> bool:
        """Write down every frame; whether the last one says that there are no more."""
        name = ""
        for raw in got.iter_lines(chunk_size=None):
            line = raw.decode()
            if not self.played.is_set():
                self._until = self._patient()
            elif time.monotonic() > self._until or self.client.stopped.is_set():
                return False
            field, _, value = line.partition(": ")
            if field == "id":
                self.last_id = value
            elif field == "event":
                name = value
            elif field == "data" and name == "end":
                self._write("end")
                return True
            elif field == "data":
                document = orjson.loads(value)
                self._write("frame", answer=document)
                self.client.history.told(self.game_id, document["version"])
        self._write("info", why="the connection ended")
        return False

    def _write(self, kind: str, **more: Any) -> None:
        said = {"is": kind, "by": self.client.by, "n": self.client.count}
        self.client.history.write(self.game_id, said | more)
