"""Pull: a program that follows the games of its seats, and moves when it is their turn."""

import json
import logging
import random
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from http import HTTPStatus
from typing import Any, Final, Protocol

import httpx
from migrato_client import ApiError, Client, Connection, Game, StreamGap, Turn, Unreachable
from migrato_client.transport import PATIENCE

from migrato_bots.bots import Bots, NoMove, View
from migrato_bots.journal import Asked, Journal, Seat

log = logging.getLogger("migrato_bots")

LOOK: Final = 1.0  # seconds after which the journal is looked at again, and more seats are sought
AWAY: Final = 5.0  # seconds before an engine is asked again after it gave no seat or no stream of a game
MARGIN: Final = 0.5  # seconds of a clock that a move may take on its way
FOR_GOOD: Final = frozenset(
    (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
)
GONE_ON: Final = frozenset(("version-mismatch", "not-your-turn", "game-over"))


class Source(Protocol):
    """Source of seats, beside those that stand in the journal."""

    def ask(self, engine: Client, journal: Journal) -> list[Asked]:
        """Requests for seats that the bot should have now."""

    def refused(self, error: ApiError) -> None:
        """A request was refused: go on, or end the program."""

    def is_exhausted(self, journal: Journal) -> bool:
        """True if there will be no more."""


class Puller:
    """Plays the seats of a journal, each in a thread of its own, until it is stopped."""

    def __init__(
        self, bots: Bots, url: str, journal: Journal, app_key: str | None = None, thinkers: int = 4
    ) -> None:
        """`url`: the engine's; `app_key`: needed to seek seats; `thinkers`: how many moves are chosen at once."""
        self._bots = bots
        self._url, self._app_key = url, app_key
        self._journal = journal
        self._thinkers = threading.BoundedSemaphore(thinkers)
        self._followed = dict[Seat, threading.Thread]()
        self._stopping = threading.Event()
        self._change = threading.Condition()
        self._moving = 0

    def stop(self) -> None:
        """Begin no further move. It may be called by a handler of signals."""
        self._stopping.set()

    def run(self, source: Source | None = None) -> None:
        """Play until it is stopped, or until every game of a source with an end is over."""
        with self._client(AWAY) as engine:  # this thread must see soon that it is stopped
            while not self._stopping.is_set():
                self._seek(engine, source)
                for seat in self._journal.open_seats():
                    if seat not in self._followed:
                        thread = threading.Thread(target=self._follow, args=(seat,), daemon=True)
                        self._followed[seat] = thread
                        thread.start()
                if source is not None and source.is_exhausted(self._journal):
                    return
                self._stopping.wait(LOOK)

    def drain(self, seconds: float) -> bool:
        """Wait so long until the moves that were begun are made; whether they are. `stop` comes before."""
        with self._change:
            return self._change.wait_for(lambda: self._moving == 0, seconds)

    def _client(self, patience: float = PATIENCE) -> Client:
        """A client with connections of its own, of which a game holds one."""
        return Client(self._url, self._app_key, patience=patience, transport=httpx.HTTPTransport())

    # Seats

    def _seek(self, engine: Client, source: Source | None) -> None:
        """Send the requests for seats that have no answer yet, and new ones."""
        try:
            for (
                asked
            ) in self._journal.unanswered():  # of a process that was killed, or of an engine that was away
                self._send(engine, asked)
            for asked in source.ask(engine, self._journal) if source is not None else ():
                self._journal.ask(asked)
                refusal = self._send(engine, asked)
                if refusal is not None and source is not None:
                    source.refused(refusal)
        except (ApiError, Unreachable) as error:
            log.warning("no seat: %s", error)
            self._stopping.wait(AWAY)

    def _send(self, engine: Client, asked: Asked) -> ApiError | None:
        """Send a request with its key, so that it is carried out once; the refusal, if it was refused for good.

        Raises ApiError, Unreachable if it is to be sent again later.
        """
        try:
            answer = engine.request("POST", asked.path, asked.body, idempotency_key=asked.key)
        except ApiError as error:
            if (
                error.status >= HTTPStatus.INTERNAL_SERVER_ERROR
                or error.status == HTTPStatus.TOO_MANY_REQUESTS
            ):
                raise
            log.warning("%s was refused: %s", asked.path, error)
            self._journal.got(asked.key, None)
            return error
        tokens = [answer.get("token"), *[seat.get("token") for seat in answer.get("seats", ())]]
        token = next(filter(None, tokens), None)
        game = answer.get("id") or asked.path.split("/")[3]
        self._journal.got(asked.key, None if token is None else Seat(game, token))
        return None

    # Games

    def _follow(self, seat: Seat) -> None:
        """Play a seat to the end of its game, or until the process ends."""
        with self._client() as engine:
            game = engine.game(seat.game, seat.token)
            log.info("%s: following", seat.game)
            while not self._stopping.is_set():
                try:
                    for turn in game.turns(lambda how: self._tell(seat, how)):
                        self._move(game, turn)
                    view = game.view()
                    if view["status"] == "finished":
                        self._over(seat, view)
                        return
                except ApiError as error:
                    if error.status in FOR_GOOD:
                        log.warning("%s: given up: %s", seat.game, error)
                        self._journal.end(seat, error.code or str(error.status))
                        return
                    log.warning("%s: %s", seat.game, error)
                except (StreamGap, Unreachable) as error:
                    log.warning("%s: %s", seat.game, error)
                except Exception:
                    log.exception("%s: following anew", seat.game)
                self._stopping.wait(AWAY)

    def _move(self, game: Game, turn: Turn) -> None:
        """Make a move in this turn, unless no more are to be begun."""
        with self._counted() as may, self._thinkers:
            if not may or self._stopping.is_set():
                return
            started = time.monotonic()
            try:
                move = self._bots.choose(
                    turn.view, turn.legal_moves, lambda: list(game.events()), _deadline(turn.view)
                )
            except NoMove:
                log.exception("%s: event %d: no move, so any legal one", game.id, turn.version)
                move = random.choice(turn.legal_moves)  # noqa: S311 (the game must go on)
            took = time.monotonic() - started
            try:
                game.move(move, turn_version=turn.turn_version)
            except ApiError as error:
                if error.code not in GONE_ON:
                    raise
                log.info("%s: event %d: the game has gone on: %s", game.id, turn.version, error.code)
            else:
                log.info("%s: event %d: %s in %.2f s", game.id, turn.version, json.dumps(move), took)

    @contextmanager
    def _counted(self) -> Iterator[bool]:
        """A move that `drain` waits for; False if none is to be begun any more."""
        with self._change:
            may = not self._stopping.is_set()
            self._moving += may
        try:
            yield may
        finally:
            with self._change:
                self._moving -= may
                self._change.notify_all()

    def _over(self, seat: Seat, view: View) -> None:
        result = view["result"] or {"winner": None, "reason": "aborted"}
        place = (
            "won" if result["winner"] == view["viewer"] else "a draw" if result["winner"] is None else "lost"
        )
        log.info("%s: over: %s (%s)", seat.game, place, result["reason"])
        self._bots.forget(seat.game, view["viewer"])
        self._journal.end(seat, result["reason"])

    @staticmethod
    def _tell(seat: Seat, how: Connection) -> None:
        log.info("%s: the connection is %s", seat.game, how)


def _deadline(view: View) -> float | None:
    """The time of `time.monotonic` at which the seat's clock runs out; None where none runs."""
    clock = view.get("clock")
    if clock is None or clock["running_seat"] != view["viewer"] or clock["deadline"] is None:
        return None
    until, now = (datetime.fromisoformat(clock[name]).timestamp() for name in ("deadline", "now"))
    return time.monotonic() + until - now - MARGIN


class Against:
    """So many games against one of the engine's bots, the seats in turn."""

    def __init__(self, bot: str, games: int, at_once: int, player: str, new_game: dict[str, Any]) -> None:
        """`new_game`: further members of the request, such as `options`."""
        self._bot, self._games, self._at_once = bot, games, at_once
        self._player, self._new_game = player, new_game

    def ask(self, engine: Client, journal: Journal) -> list[Asked]:
        """As many new games as there is room for."""
        there, running = journal.count(), len(journal.open_seats())
        return [
            self._asked(there + more) for more in range(min(self._games - there, self._at_once - running))
        ]

    def _asked(self, number: int) -> Asked:
        seats = [{"kind": "human", "player": self._player}, {"kind": "bot", "bot": self._bot}]
        body = self._new_game | {"seats": seats[:: 1 if number % 2 == 0 else -1]}
        return Asked(str(uuid.uuid4()), "/v1/games", body)

    def refused(self, error: ApiError) -> None:
        """End: each further request would be refused too."""
        raise SystemExit(f"No game against {self._bot}: {error}")

    def is_exhausted(self, journal: Journal) -> bool:
        """True once so many games are over."""
        return journal.count() >= self._games and not journal.open_seats()


class Lobby:
    """Open seats in the app's lobby, as they come."""

    def __init__(self, at_once: int, player: str, game: str | None) -> None:
        """`game`: of this kind alone; None for any."""
        self._at_once, self._player, self._game = at_once, player, game

    def ask(self, engine: Client, journal: Journal) -> list[Asked]:
        """Open seats, as many as there is room for, in games that have no seat of ours."""
        room = self._at_once - len(journal.open_seats())
        if room <= 0:
            return []
        found = []
        for line in engine.lobby(game=self._game):
            seat = next((n for n, seat in enumerate(line["seats"]) if seat["kind"] == "open"), None)
            if seat is None or journal.has(line["id"]):
                continue
            found.append(
                Asked(str(uuid.uuid4()), f"/v1/games/{line['id']}/seats/{seat}", {"player": self._player})
            )
            if len(found) == room:
                break
        return found

    def refused(self, error: ApiError) -> None:
        """Go on: somebody else was quicker, or the seat is for somebody who was invited."""

    def is_exhausted(self, journal: Journal) -> bool:
        """False: somebody may always come."""
        return False
