"""Fixtures of the archive's tests: finished games on a real server, and an archive beside it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from domain.lifecycle import Json, Seat
from domain.registry import DEFAULT_GAME, GAMES
from events.archive.mover import Mover
from events.archive.reader import ArchiveReader
from events.archive.storage import Directory, Storage
from events.games.new_game import NewGame
from events.log import partitions
from events.log.stored_form import StoredGame
from events.redis import keys
from events.redis.connections.client import RedisClient
from events.redis.whole_games import RedisGames
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.use_cases.application import Application

BOTS = (Seat("bot", bot="greedy"), Seat("bot", bot="heuristic"))
WEEK = 7 * 86_400.0

NewMover = Callable[..., Mover]


@pytest.fixture
def settings(redis_url: str, tmp_path: Path) -> Settings:
    """Settings for an empty server and an empty archive."""
    return replace(Settings(), redis_url=redis_url, queue_url=redis_url, archive=str(tmp_path / "archive"))


@pytest.fixture
def storage(settings: Settings) -> Storage:
    """The archive's directory."""
    assert settings.archive is not None
    return Directory(Path(settings.archive))


@pytest.fixture
def archive_reader(storage: Storage) -> ArchiveReader:
    """A reader of the archive."""
    return ArchiveReader(storage)


@pytest.fixture
def link(redis_url: str) -> RedisClient:
    """A link to the server."""
    return RedisClient.to(redis_url, timeout=10.0)


@pytest.fixture
def redis_games(link: RedisClient) -> RedisGames:
    """Whole games on that server."""
    return RedisGames(link)


@pytest.fixture
def new_mover(link: RedisClient, storage: Storage) -> NewMover:
    """Makes movers for whom a week has passed since the games were played."""

    def make(**options: object) -> Mover:
        arguments = {"now": lambda: datetime.now(UTC) + timedelta(seconds=WEEK + 60), **options}
        return Mover(RedisGames(link), storage, GAMES, WEEK, **arguments)  # type: ignore[arg-type]

    return make


def play_on(application: Application, game_id: str, *, scored: bool = True) -> str:
    """Let the bots of a game play it to its end; its id."""
    while (now := application.views.snapshot(game_id)).status.result is None:
        application.bot_turns.bot_move(game_id, now.version)
    if scored:
        application.bot_turns.score_game(game_id)
    application.listing.update(game_id)
    return game_id


def finished(
    application: Application,
    turns: int | None = 6,
    *,
    game: str = DEFAULT_GAME,
    seats: tuple[Seat, ...] = BOTS,
    visibility: str = "public",
    options: Json | None = None,
) -> str:
    """A finished and scored game of bots; its id."""
    new = NewGame(game, {"turn_limit": turns, **(options or {})}, seats, visibility)
    return play_on(application, application.creation.create("anonymous", new).snapshot.game_id)


@pytest.fixture
def one_partition(monkeypatch: pytest.MonkeyPatch) -> None:
    """All games share one partition, so that they come into one file.

    Compiled modules look their constants up in their dictionaries.
    """
    from events.redis import feed

    monkeypatch.setitem(vars(partitions), "PARTITIONS", 1)
    monkeypatch.setitem(vars(keys), "PARTITIONS", 1)
    monkeypatch.setattr(feed, "PARTITIONS", range(1))


@pytest.fixture
def application(settings: Settings) -> Application:
    """The application with the real games, which knows the archive."""
    return bootstrap.application(settings)


def raw_of(redis_games: RedisGames, game_id: str) -> StoredGame:
    """The game as Redis has it."""
    return redis_games.whole(game_id).raw
