"""Trials of apps' bots: a bot is asked for a move outside of any game, and its app is told what is wrong with the
answer.

Only remote workers call bots, so a trial is a question that a job of theirs carries out (`workers.remote.trial`). It is
removed once it is answered, or once nobody waits for it any more.
"""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from domain.errors import DomainError, invalid
from domain.game import Game
from domain.lifecycle import Json, Seat
from domain.registry import DEFAULT_GAME, GAMES, game_named
from events.engine.access import new_game_id
from events.engine.command_handler import Clock, utc_now
from events.engine.remote_seat import KIND as REMOTE
from events.engine.seat_record import opening
from events.errors import BotNotFound, NoAnswer, QuestionNotFound
from events.features.bots.port import QuestionQueue
from events.features.registered_bots.records import NAMED
from events.features.registered_bots.registry import Registry
from events.log.game_secrets import Remote
from events.times import timestamp

JOB: Final = "trial-"  # the beginning of its jobs' ids
MARGIN: Final = 10.0  # seconds for which a caller waits beyond the time that the bot has
# the members of a seat that bots are told
TOLD: Final = ("seat", "kind", "player_id", "bot", "bot_version", "budget")


@dataclass(frozen=True, slots=True)
class Trial:
    """A call that is to be made; `remote` is None if the bot's version was removed meanwhile."""

    remote: Remote | None
    question: Json = field(repr=False)

    def judged(self, move: Json) -> Json:
        """The answered move in the game's own form. Raises DomainError: "illegal-move", or that of a malformed move."""
        game = game_named(self.question["game"])
        command = game.parse_move(move)
        legal = [game.parse_move(one) for one in self.question["legal_moves"]]
        if command not in legal and move.get("type") != "resign":
            raise DomainError("illegal-move", "It is none of `legal_moves`.")
        return game.move_document(command)


class Trials:
    """The use cases of trials. Every method may raise StoreUnavailable."""

    def __init__(
        self,
        registry: Registry,
        queue: QuestionQueue,
        call: Callable[[str], None],
        seconds: float,
        games: Mapping[str, Game] = GAMES,
        now: Clock = utc_now,
    ) -> None:
        """`call` makes the job; `seconds`: the time that the bot has."""
        self._registry = registry
        self._queue = queue
        self._call = call
        self._seconds = seconds
        self._games = games
        self._now = now

    def made(self, app: str, named: str, position: Json) -> Json:
        """A worker's answer, after it asked the app's bot of that name, such as my-bot or my-bot@3.

        `position`: a seat's `view` and `history`; without a view, the bot gets a fresh deal of `game`, or of the
        default game. Raises BotNotFound, DomainError for an unknown game or an impossible position, NoAnswer.
        """
        name, number = self._version(app, named)
        asked = self._described(position) if "view" in position else self._fresh(position.get("game"))
        key = new_game_id()
        try:
            self._queue.lay(key, app, {"trial": [app, name, number], "asked": asked})
            self._call(key)
            answer = self._queue.answer(key, app, self._seconds + MARGIN)
        except QuestionNotFound:
            answer = None
        finally:
            self._queue.forget(key)
        if answer is None:
            raise NoAnswer
        return {"bot": name, "version": str(number)} | answer

    def _version(self, app: str, named: str) -> tuple[str, int]:
        match = NAMED.fullmatch(named)
        if match is None:
            raise BotNotFound
        bot = self._registry.get(app, match["name"])
        version = bot.version(int(match["version"]) if match["version"] else bot.current)
        if version is None:
            raise BotNotFound
        return bot.name, version.number

    def _fresh(self, name: str | None) -> Json:
        game = self._game(name or DEFAULT_GAME)
        seats = (Seat(REMOTE),) * game.seat_counts[0]
        _, _, record = opening(game, {}, seats, secrets.token_bytes(32), "trial")
        return record.question(self._seconds)

    def _described(self, position: Json) -> Json:
        view: Json = position["view"]
        game = self._game(position.get("game") or view.get("game", DEFAULT_GAME))
        moves = [game.move_document(move) for move in game.position({"view": view}).moves]
        if isinstance(seats := view.get("seats"), list):
            view = view | {"seats": [_nameless(seat) for seat in seats]}
        history = position.get("history", [])
        return {"game": game.name, "view": view, "history": history, "legal_moves": moves}

    def _game(self, name: Any) -> Game:
        if not isinstance(name, str) or name not in self._games:
            raise invalid("game", f"Must be one of: {', '.join(self._games)}.")
        return game_named(name, self._games)

    # For workers

    def trial(self, key: str) -> Trial | None:
        """The call that is to be made now; None if nobody waits for its answer any more."""
        found = self._queue.question(key)
        if found is None:
            return None
        deadline = timestamp(self._now() + timedelta(seconds=self._seconds))
        return Trial(self._registry.place(*found["trial"]), found["asked"] | {"deadline": deadline})

    def place(self, job_id: str) -> tuple[str, str] | None:
        """The app whose trial the job is, and the bot's URL; None if the trial is gone."""
        found = self._queue.question(job_id.removeprefix(JOB))
        remote = None if found is None else self._registry.place(*found["trial"])
        return None if found is None or remote is None else (found["trial"][0], remote.url)

    def tell(self, key: str, answer: Json) -> None:
        """Give the answer to the caller that waits."""
        self._queue.tell(key, answer)


def job_of(key: str) -> str:
    """The id of a trial's job."""
    return JOB + key


def _nameless(seat: Any) -> Any:
    """The seat as a bot is told of it in a game: without names, and without the app's own data."""
    if not isinstance(seat, dict):
        return seat
    nobody = {"player": None} if "player" in seat else {}
    return {name: seat[name] for name in TOLD if name in seat} | nobody
