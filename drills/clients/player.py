"""Somebody on a seat: plays sensible moves, and keeps the head of every version that it was told."""

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from domain.errors import DomainError
from domain.game import Game
from drills.clients.client import Answer, Client, new_key

Json = dict[str, Any]
WAIT: Final = 5  # seconds of a long poll
PAGE: Final = 500  # events
ASKS_TWICE: Final = 0.05  # the part of its moves that it sends once more after the answer
ASKS_FOR_A_HINT: Final = 0.03  # and always at first
# And always after its first one: posts a move that it made before, and that is not legal any more.
PLAYS_WRONGLY: Final = 0.03
LOOKS_AROUND: Final = 0.2  # looks at the list of legal moves
PLAYS_ANYTHING: Final = 0.2
PAUSE: Final = (0.0, 0.15)  # seconds before a move, as quick people take

GENESIS: Final = ("00" * 31 + "02", "00" * 32)  # the head before the first event; of games of former releases


def linked(before: str, commitment: str) -> str:
    """The head that follows on the head `before` by an event with this commitment; all in hex."""
    return sha256(bytes.fromhex(before + commitment)).hexdigest()


class Abandoned(Exception):
    """There is nothing left to play: the engine has lost the game, or the seat."""


@dataclass(slots=True)
class Player:
    """A seat of one game, or, without a token, somebody who watches it."""

    client: Client
    game: Game
    game_id: str
    rng: random.Random
    gone: threading.Event  # somebody found that the game is not to be played on
    seat: int | None = None
    token: str | None = None
    sit_again: Callable[[], str] | None = None  # takes the seat once more, where it was lost; a new token
    kept: dict[int, str] = field(default_factory=dict)  # the head of each version
    made: list[Json] = field(default_factory=list)  # moves, each kind once
    read: int = 0  # the stream has been read up to this version
    regressions: int = 0

    def play(self) -> None:
        """Play to the end of the game. Raises Abandoned, Unanswered."""
        while not self.gone.is_set():
            view = self._look()
            if view is None:
                continue
            self._heard(view["version"])
            if view["result"] is not None and view["result"]["scored"]:
                self._read_on()
                self.client.history.over(self.game_id)
                return
            if self.seat is not None and view["to_act"] == self.seat:
                self._turn(view)
            else:
                self._read_on(WAIT)

    def _look(self) -> Json | None:
        answer = self._ask("look", "GET", "")
        if answer.ok:
            return answer.document
        if answer.status != 401:
            raise Abandoned(self.game_id)
        self._sit_down_again()
        return None

    def _sit_down_again(self) -> None:
        """Take the seat once more, for it was lost; what else was shows by the kept heads. Raises Abandoned."""
        if self.sit_again is None:
            raise Abandoned(self.game_id)
        self.regressions += 1
        self.token = self.sit_again()

    def _turn(self, view: Json) -> None:
        time.sleep(self.rng.uniform(*PAUSE))
        if not self.made or self.rng.random() < ASKS_FOR_A_HINT:
            self._ask("hint", "GET", f"/hint?bot={self.game.fallback_bot}")
        wrongly = len(self.made) == 1 or (self.made and self.rng.random() < PLAYS_WRONGLY)
        if wrongly and self._play_wrongly(view["version"]):
            return
        move = self._chosen(view)
        if move is None:
            return
        if (plain := self._plain(move)) not in self.made:
            self.made.append(plain)
        key = new_key()
        answer = self._ask("move", "POST", "/moves", body=move, key=key)
        if answer.ok:
            self._learn(answer.document["events"])
            if self.rng.random() < ASKS_TWICE:
                answer = self._ask("move", "POST", "/moves", body=move, key=key)
                self._learn(answer.document["events"] if answer.ok else [])

    def _play_wrongly(self, version: int) -> bool:
        """Post a move that is not legal now; whether it was made after all, as a legal one written in another way.

        Nobody else can move meanwhile, so a refusal is one by the rules at that version.
        """
        listed, wrong = self._ask("list", "GET", "/legal-moves"), self.rng.choice(self.made)
        legal = [self._plain(move) for move in listed.document["moves"]] if listed.ok else []
        if not legal or wrong in legal:
            return False
        answer = self._ask("move", "POST", "/moves", body=wrong, key=new_key(), version=version)
        if answer.ok:
            self._learn(answer.document["events"])
        return answer.ok

    def _plain(self, move: Json) -> Json:
        """The move in the one form that it has however it is written."""
        return self.game.move_document(self.game.parse_move(dict(move)))

    def _chosen(self, view: Json) -> Json | None:
        """The move of the game's simple bot, or any legal one; None where the game went on meanwhile."""
        if self.rng.random() < LOOKS_AROUND:
            listed = self._ask("list", "GET", "/legal-moves")
            if not listed.ok or not listed.document["moves"]:
                return None
            if self.rng.random() < PLAYS_ANYTHING:
                move: Json = self.rng.choice(listed.document["moves"])
                return move
        try:
            observation = self.game.position({"view": view})
        except DomainError:  # what this seat sees now follows from what it saw before
            history = self._history()
            if len(history) < view["version"]:
                # A fault took a part of the game between the two looks; later the game may be as long again.
                return None
            try:
                observation = self.game.position({"view": view, "history": history[: view["version"]]})
            except DomainError:
                if not self._is_at(view["version"]):
                    return None  # a fault took something of the game in between
                raise
        seed = self.rng.getrandbits(53)
        return self.game.move_document(self.game.think(observation, self.game.fallback_bot, seed).move)

    def _is_at(self, version: int) -> bool:
        answer = self._ask("look", "GET", "")
        return answer.ok and bool(answer.document["version"] == version)

    def _history(self) -> list[Json]:
        events: list[Json] = []
        while True:
            page = self._ask("events", "GET", f"/events?after={len(events)}&limit={PAGE}")
            if not page.ok or not page.document["events"]:
                return events
            events += page.document["events"]
            self._learn(page.document["events"])

    def _read_on(self, wait: int = 0) -> None:
        """Read all events since the last that was read."""
        while True:
            answer = self._ask("events", "GET", f"/events?after={self.read}&limit={PAGE}&wait={wait}")
            if answer.status == 401:
                self._sit_down_again()
                return
            if not answer.ok:
                self._regressed(answer.document.get("version"))
                return
            self.read = answer.document["next"]
            self._learn(answer.document["events"])
            if not answer.document["events"] or answer.document["next"] == answer.document["version"]:
                return

    def _learn(self, events: list[Json]) -> None:
        """Keep the heads. One that differs from what was kept, or does not follow on it, tells of a loss."""
        for event in events:
            version, head = event["version"], event["head"]
            kept = self.kept.get(version - 1)
            before = GENESIS if version == 1 else () if kept is None else (kept,)
            unlinked = before and head not in [linked(one, event["commitment"]) for one in before]
            if self.kept.get(version, head) != head or unlinked:
                self._regressed(version - 1)
                return
            self.kept[version] = head
        if events:
            self._heard(events[-1]["version"])

    def _heard(self, version: int) -> None:
        if version < max(self.kept, default=0):
            self._regressed(version)
        self.client.history.told(self.game_id, version)

    def _regressed(self, version: int | None) -> None:
        """The engine is at a version before what it had told; what came after is gone."""
        if version is None:
            raise Abandoned(self.game_id)
        self.regressions += 1
        self.client.history.write(
            self.game_id, {"is": "regressed", "by": self.client.by, "seat": self.seat, "version": version}
        )
        self.client.history.cut(self.game_id, version)
        self.kept.clear()
        self.read = 0  # to be read anew

    def _ask(self, do: str, method: str, path: str, **more: Any) -> Answer:
        address = f"/v1/games/{self.game_id}{path}"
        return self.client.ask(
            do, method, address, game_id=self.game_id, seat=self.seat, token=self.token, **more
        )
