"""A cluster's games as one file, and from there to one server, and back into a cluster."""

import io
from pathlib import Path

from flask.testing import FlaskClient

from events.backup.package import PackageWriter
from events.runtime import adapters, bootstrap
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.store.link import link_to
from service.cli.backups.restoring import restore_from
from service.cli.backups.taking import take
from service.http.app import create_app
from tests.cluster.test_load import play
from tests.support.command import migrato
from tests.support.recording import AllThere

GAMES = 6


def client_of(settings: Settings) -> FlaskClient:
    """A caller of a service with these settings."""
    return create_app(settings, bootstrap.application(settings), AllThere()).test_client()


def heads(settings: Settings) -> dict[str, str]:
    """The head of every game."""
    games = [game for ids in adapters.whole_games(settings).ids() for game in ids]
    engine = bootstrap.application(settings)
    return {game: engine.views.snapshot(game).stream_head.head for game in games}


def by_own_data(settings: Settings) -> list[str]:
    """The games that the app finds by its own data."""
    query = "external_id=order-1&metadata=plan=gold&order=updated"
    games = client_of(settings).get(f"/v1/games?{query}").json["games"]  # type: ignore[index]
    return [game["id"] for game in games]


def taken(settings: Settings, directory: Path) -> bytes:
    """A backup of the store, which is found to be sound."""
    directory.mkdir()
    file = io.BytesIO()
    backup = take(settings, PackageWriter.to(file), directory)
    assert backup.report is not None
    assert backup.report.games == GAMES
    assert not [finding for finding in backup.report.findings if finding.kind.is_evidence]
    return file.getvalue()


def test_there_and_back(cluster_url: str, redis_url: str, tmp_path: Path) -> None:
    """Every game has the head that it had, and is found by what its app wrote; an emptied cluster is filled again from
    what one server had.
    """
    settings = Settings(redis_url=cluster_url, queue_url=redis_url)
    for _ in range(GAMES):
        play(client_of(settings), 3)
    known = heads(settings)
    assert len(known) == GAMES
    ordered = next(iter(known))
    wanted = {"external_id": "order-1", "metadata": {"plan": "gold"}}
    assert client_of(settings).patch(f"/v1/games/{ordered}", json=wanted).status_code == 200
    assert by_own_data(settings) == [ordered]
    first = taken(settings, tmp_path / "first")
    (tmp_path / "alone").mkdir()
    with EmbeddedServer(None) as server:
        alone = Settings(redis_url=server.url, queue_url=redis_url)
        restore_from(io.BytesIO(first), alone, tmp_path / "alone")
        assert heads(alone) == known
        assert by_own_data(alone) == [ordered]
        second = taken(alone, tmp_path / "second")
    own = {
        "MIGRATO_REDIS_URL": cluster_url,
        "MIGRATO_DATA_DIR": str(tmp_path),
    }  # and no queue, which has no games
    assert migrato("backup", tmp_path / "third.tar", **own).exit_code == 0
    assert "6 games in Redis" in migrato("fsck", **own).output
    link_to(cluster_url, 5.0).call("FLUSHALL")
    (tmp_path / "cluster").mkdir()
    report = restore_from(io.BytesIO(second), settings, tmp_path / "cluster")
    assert report.games == GAMES
    assert heads(settings) == known
    assert by_own_data(settings) == [ordered]
