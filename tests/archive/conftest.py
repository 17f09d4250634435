"""Fixtures of the archive's tests: finished games on a real server, and an archive beside it."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from domain.lifecycle import Json, Seat
from domain.registry import DEFAULT_GAME, GAMES
from events.application import Application, wired
from events.archive.mover import Moved, Mover
from events.archive.reader import ArchiveReader
from events.archive.storage import Directory, Storage
from events.engine.command_handler import utc_now
from events.engine.new_game import NewGame
from events.fsck.check import Fsck, Report
from events.log import partitions
from events.log.stored_form import StoredGame
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.store import keys
from events.store.connections.client import RedisClient
from events.store.link import link_to
from events.store.whole_games import RedisGames
from tests.support.command import migrato
from tests.support.sure import sure

BOTS = (Seat("bot", bot="greedy"), Seat("bot", bot="heuristic"))
WEEK = 7 * 86_400.0


@pytest.fixture
def settings(redis_url: str, tmp_path: Path) -> Settings:
    """Settings for an empty server and an empty archive."""
    return replace(Settings(), redis_url=redis_url, queue_url=redis_url, archive=str(tmp_path / "archive"))


@pytest.fixture
def storage(settings: Settings) -> Storage:
    return Directory(Path(sure(settings.archive)))


@pytest.fixture
def link(redis_url: str) -> RedisClient:
    return link_to(redis_url, timeout=10.0)


@dataclass(frozen=True, slots=True)
class Place:
    """An application on an empty server, an empty archive beside it, and what tests do with both."""

    settings: Settings
    application: Application
    link: RedisClient
    storage: Storage
    reader: ArchiveReader

    @property
    def redis_games(self) -> RedisGames:
        return RedisGames(self.link)

    @property
    def directory(self) -> Path:
        return Path(sure(self.settings.archive))

    @property
    def name(self) -> str:
        """The name of the archive's only file."""
        (name,) = self.storage.names()
        return name

    def changed(self, **settings: Any) -> "Place":
        """The same place by other settings."""
        other = replace(self.settings, **settings)
        return replace(self, settings=other, application=bootstrap.application(other))

    def finished(self, turns: int | None = 6, **options: Any) -> str:
        """A finished and scored game of bots; its id."""
        return finished(self.application, turns, **options)

    def raw(self, game_id: str) -> StoredGame:
        return self.redis_games.whole(game_id).raw

    def mover(self, **options: Any) -> Mover:
        """A mover for whom a week has passed since the games were played."""
        arguments = {"now": lambda: datetime.now(UTC) + timedelta(seconds=WEEK + 60), **options}
        return Mover(self.redis_games, self.storage, GAMES, WEEK, **arguments)

    def move(self, **options: Any) -> Moved:
        return self.mover(**options).run()

    def fsck(self, *, repair: bool = False, patience: float = 1000.0, **more: Any) -> Report:
        """A walk through the server and the archive; nobody is missed for having no dispatcher."""
        archive = ArchiveReader(self.storage), self.mover()
        return Fsck(self.link, GAMES, archive, repair=repair, patience=patience, **more).run()

    def archive(self, *arguments: str, **environ: str) -> Result:
        """The result of `migrato archive ...` with these settings."""
        return self.command("archive", *arguments, **environ)

    def command(self, *arguments: str, **environ: str) -> Result:
        """The result of `migrato ...` with these settings."""
        ours = {"MIGRATO_REDIS_URL": str(self.settings.redis_url), "MIGRATO_ARCHIVE": str(self.directory)}
        return migrato(*arguments, **{**ours, **environ})


@pytest.fixture
def place(settings: Settings, application: Application, link: RedisClient, storage: Storage) -> Place:
    """Nothing has been played there."""
    return Place(settings, application, link, storage, ArchiveReader(storage))


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
    """All games share one partition and one day, so that they come into one file.

    Compiled modules look their constants up in their dictionaries.
    """
    start = utc_now()
    until_noon = start.replace(hour=12) - timedelta(days=1) - start
    monkeypatch.setattr(bootstrap, "wired", partial(wired, now=lambda: utc_now() + until_noon))
    from events.store import feed

    monkeypatch.setitem(vars(partitions), "PARTITIONS", 1)
    monkeypatch.setitem(vars(keys), "PARTITIONS", 1)
    monkeypatch.setattr(feed, "PARTITIONS", range(1))


@pytest.fixture
def application(settings: Settings) -> Application:
    """The application with the real games, which knows the archive."""
    return bootstrap.application(settings)
