"""Bots on servers: asked by signed requests over HTTP, as an engine asks them.

Any address may be called, by http too. The guard of an engine (`events.url_guard`) protects its network from addresses
that strangers name; here the user of the machine names the address.
"""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from itertools import count
from typing import Any, Final
from urllib.parse import urlsplit

import orjson

from domain.errors import DomainError
from domain.game import Bots, Game
from domain.lifecycle import Json, Seat
from events.engine.seat_record import SeatRecord, opening
from events.features.signing_secrets import signature
from events.retry_after import seconds_of
from service.cli.external_bots.answers import ExternalBotFailed, legal
from service.cli.selfplay.match import Decision

SECONDS: Final = 5.0  # for an answer, with all repeats of the request
LARGEST: Final = 65_536  # bytes of an answer
CHUNK: Final = 8_192
PAUSE: Final = 0.1  # seconds before the first repeat; doubled for each further one
SILENT: Final = 10  # answers that may be missing in a row
BUSY: Final = 429
KINDS: Final = {"http": HTTPConnection, "https": HTTPSConnection}
JSON: Final = "application/json"
HEADERS: Final = {"Content-Type": JSON, "Accept": JSON, "User-Agent": "Migrato-Engine", "Connection": "close"}


class NoMove(Exception):
    """The bot has given no move: `why` is a word of docs/reference/remote-bots.md, the text says more."""

    def __init__(self, why: str, detail: str) -> None:
        super().__init__(f"{why}: {detail}")
        self.why = why


class AttemptFailed(Exception):
    """This attempt has failed, another may not; `pause` is the least number of seconds that the server asks for."""

    def __init__(self, detail: str, pause: float = 0.0) -> None:
        super().__init__(detail)
        self.pause = pause


@dataclass(frozen=True, slots=True)
class ServerBot:
    """A bot on a server that takes part; neither its address nor its secret is shown."""

    name: str
    url: str = field(repr=False)
    secret: str = field(repr=False)
    label: str = "unknown"  # its version: only the caller can tell it

    @property
    def is_external(self) -> bool:
        """True."""
        return True

    def version(self, game: Bots) -> str:
        """The version that the caller gave it."""
        return self.label

    def seated(self) -> Seat:
        """A seat of an external bot."""
        return Seat("remote", player=self.name)

    def player(self, game: Game, seat: int) -> "ServerAtSeat":
        """The bot in a new game."""
        return ServerAtSeat(game, seat, self)


class ServerAtSeat:
    """A bot on a server, in one game."""

    listens = True

    def __init__(self, game: Game, seat: int, bot: ServerBot) -> None:
        self._game, self._seat, self._bot = game, seat, bot
        self._record = SeatRecord(game, seat)

    def happened(self, before: Any, event: Any, after: Any) -> None:
        """Keep the event for the next question."""
        self._record.happened(event)

    def decide(self, state: Any, seed: int) -> Decision:
        """The move that it answers, or the game's fallback move. ExternalBotFailed if the bot has given no move SILENT
        times in a row.
        """
        body = orjson.dumps(self._record.question(SECONDS))
        message = f"{self._record.game_id}-{self._record.version}"
        started = time.perf_counter()
        try:
            move = ask(self._bot, message, body)
            command = legal(self._game, state, self._seat, move)
        except (NoMove, DomainError) as error:
            _patience.lose(self._bot, error)
            seconds = time.perf_counter() - started
            return Decision(self._game.fallback_move(state, self._seat), seconds, is_fallback=True)
        _patience.renew(self._bot)
        return Decision(command, time.perf_counter() - started)


def try_out(bot: ServerBot, game: Game, options: Json, seats: int) -> None:
    """Ask for the first move of a game, and do not play it. ExternalBotFailed says what is wrong with the answer."""
    people = (Seat("human"),) * (seats - 1)
    state, seat, asked = opening(game, options, (bot.seated(), *people), b"trial")
    question = orjson.dumps(asked.question(SECONDS))
    try:
        move = ask(bot, f"{asked.game_id}-{asked.version}", question)
        legal(game, state, seat, move)
    except NoMove as error:
        raise ExternalBotFailed(f"{bot.name} gave no move: {error}.") from error
    except DomainError as error:
        raise ExternalBotFailed(f"{bot.name} answered no legal move: {error.detail or error.code}") from error


class _Patience:
    """Answers that were missing in a row, by bot: to play on would measure the fallback bot."""

    def __init__(self) -> None:
        self._missing = dict[str, int]()

    def lose(self, bot: ServerBot, error: Exception) -> None:
        """Count an answer that is missing or wrong; ExternalBotFailed after too many in a row."""
        missing = self._missing[bot.name] = self._missing.get(bot.name, 0) + 1
        if missing == SILENT:
            raise ExternalBotFailed(
                f"{bot.name} gave no move {SILENT} times in a row, the last time: {error}"
            )

    def renew(self, bot: ServerBot) -> None:
        """Begin to count anew."""
        self._missing.pop(bot.name, None)


_patience: Final = _Patience()  # of this process


def ask(bot: ServerBot, message: str, body: bytes, seconds: float = SECONDS) -> Json:
    """The move that the bot answers; `message` is the request's identity. Raises NoMove."""
    deadline = time.monotonic() + seconds
    for pause in _pauses():
        try:
            return _move_of(*_posted(bot, message, body, deadline))
        except AttemptFailed as failed:
            failure = NoMove("unreachable", str(failed))
            pause = max(pause, failed.pause)
        if time.monotonic() + pause >= deadline:
            raise failure
        time.sleep(pause)
    raise AssertionError("pauses do not end")


def _posted(bot: ServerBot, message: str, body: bytes, deadline: float) -> tuple[int, float, bytes]:
    """Status, pause and body of the answer to one attempt. Raises AttemptFailed, NoMove."""
    parts, now = urlsplit(bot.url), datetime.now(UTC)
    signed = signature((bot.secret,), message, body, now)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection = KINDS[parts.scheme](str(parts.hostname), parts.port, timeout=_left(deadline))
    try:
        connection.request("POST", path, body, HEADERS | signed)
        answer = connection.getresponse()
        when, date = (answer.headers.get(name, "") for name in ("Retry-After", "Date"))
        return answer.status, seconds_of(when, date), _body(connection, answer, deadline)
    except TimeoutError as error:
        raise NoMove("timeout", "no answer in time") from error
    except OSError as error:
        raise AttemptFailed(error.strerror or type(error).__name__) from error
    except HTTPException as error:
        raise NoMove("bad-answer", f"no HTTP ({type(error).__name__})") from error
    finally:
        connection.close()


def _body(connection: HTTPConnection, answer: HTTPResponse, deadline: float) -> bytes:
    """The body, of one byte too many at most, read by the deadline."""
    read = b""
    while len(read) <= LARGEST:
        if connection.sock is not None:
            connection.sock.settimeout(_left(deadline))
        part = answer.read1(CHUNK)
        if not part:
            break
        _left(deadline)
        read += part
    return read


def _left(deadline: float) -> float:
    """The seconds until then; TimeoutError once there are none."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _move_of(status: int, pause: float, body: bytes) -> Json:
    """The answer's move. Raises AttemptFailed, NoMove."""
    if status == BUSY or status >= 500:
        raise AttemptFailed(f"status {status}", pause)
    if status != 200:
        raise NoMove("bad-answer", f"status {status}{_said(body)}")
    if len(body) > LARGEST:
        raise NoMove("bad-answer", f"more than {LARGEST} bytes")
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise NoMove("bad-answer", "not JSON") from error
    move = document.get("move") if isinstance(document, dict) else None
    if not isinstance(move, dict):
        raise NoMove("bad-answer", 'no "move" in it')
    return move


def _said(body: bytes) -> str:
    """The server's own words, as far as they fit into a line."""
    text = body[:200].decode(errors="replace").strip()
    return f", {json.dumps(text, ensure_ascii=False)}" if text.isprintable() and text else ""


def _pauses() -> Iterator[float]:
    return (PAUSE * 2**repeat for repeat in count())
