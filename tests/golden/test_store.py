"""An event store as it was recorded: its games are answered as they were, played on, moved and brought back."""

import json
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from domain.registry import GAMES
from events.application import Application
from events.archive.mover import Mover
from events.archive.reader import ArchiveReader
from events.archive.restoring import restore
from events.archive.storage import Directory
from events.fsck.check import Fsck
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.store.connections.client import RedisClient
from events.store.feed import RedisFeed
from events.store.link import link_to
from events.store.whole_games import RedisGames
from service.http.app import create_app
from tests.support.recording import AllThere

STORE = Path(__file__).with_name("store.json")
TO_THE_END = 300  # moves of bots, at most

Json = dict[str, Any]


@pytest.fixture
def old(link: RedisClient) -> Json:
    """The kept games; the server has the keys that were kept."""
    document: Json = json.loads(STORE.read_text())
    for key, (kind, content) in document["keys"].items():
        _put_back(link, key.encode("latin-1"), kind, content)
    games: Json = document["games"]
    return games


@pytest.fixture
def link(redis_url: str) -> RedisClient:
    """A link to the server."""
    return link_to(redis_url, timeout=10.0)


@pytest.fixture
def client(settings: Settings, application: Application) -> FlaskClient:
    """A caller of the service of today."""
    return create_app(settings, application, AllThere()).test_client()


def _put_back(link: RedisClient, key: bytes, kind: str, content: Any) -> None:
    match kind:
        case "string":
            link.call("SET", key, content.encode("latin-1"))
        case "hash":
            link.call("HSET", key, *[part.encode("latin-1") for part in content])
        case "zset":
            link.call("ZADD", key, *[part for member in content for part in (0, member.encode("latin-1"))])
        case "stream":
            for entry_id, fields in content:
                link.call("XADD", key, entry_id, *[part.encode("latin-1") for part in fields])
        case _:
            raise AssertionError(kind)


def told(client: FlaskClient, game: Json) -> Json:
    """All that is told of the game now."""
    return {what: client.get(f"/v1/games/{game['id']}{what}").text for what in game["told"]}


def move(client: FlaskClient, game: Json, seat: int, document: Json, key: str | None = None) -> Any:
    """A seat's move."""
    headers = {"Authorization": f"Bearer {game['tokens'][seat]}"}
    headers |= {} if key is None else {"Idempotency-Key": key}
    return client.post(f"/v1/games/{game['id']}/moves", json=document, headers=headers)


def findings(link: RedisClient, archive: Path | None = None) -> list[str]:
    """The codes that the check of everything finds."""
    reader = None if archive is None else ArchiveReader(Directory(archive))
    found = None if reader is None else (reader, Mover(RedisGames(link), reader.storage, GAMES, 0))
    return [finding.code for finding in Fsck(link, GAMES, found, patience=1e12).run().findings]


def test_every_answer_is_the_same(old: Json, client: FlaskClient, link: RedisClient) -> None:
    """Events with salts and commitments, exports: to the last byte. Views: they may have more members than before.

    And all of it is found in order.
    """
    for name, game in old.items():
        now, before = told(client, game), game["told"]
        views = [json.loads(one.pop("")) for one in (now, before)]
        for seat in views[0]["seats"]:
            seat.pop("connected", None)
        assert {**views[0], **views[1]} == views[0], name
        assert now == before, name
    assert findings(link) == []


def test_a_request_of_before_is_not_done_again(old: Json, client: FlaskClient) -> None:
    """Repeated with its key it gets the former answer, also after the game has gone on."""
    running = old["running"]
    assert move(client, running, 0, {"type": "resign"}).status_code == 201
    repeated = [
        (move(client, game, one["seat"], one["move"], one["key"]), json.loads(one["answer"]))
        for game in old.values()
        for one in game["keyed"]
    ]
    assert len(repeated) == 3
    for answer, before in repeated:
        assert answer.status_code == 201
        assert answer.json["events"] == before["events"]
        assert answer.json["version"] == before["version"]


def test_games_are_played_on(
    old: Json,
    client: FlaskClient,
    application: Application,
    settings: Settings,
    link: RedisClient,
    tmp_path: Path,
) -> None:
    """By people and by bots: the whole is still one chain. Then the games are
    archived, and come back as the same games.
    """
    running, bots, unscored = old["running"], old["bots"], old["unscored"]
    assert move(client, running, 0, {"type": "resign"}).status_code == 201
    for _ in range(TO_THE_END):
        now = application.views.snapshot(bots["id"])
        if now.status.result is not None:
            break
        application.bot_turns.bot_move(bots["id"], now.version)
    for game in (running, bots, unscored):
        assert application.bot_turns.score_game(game["id"]) is not None
        application.listing.update(game["id"])
    assert findings(link) == []
    for name, game in old.items():
        before = [json.loads(line) for line in game["told"]["/export"].splitlines()[1:-1]]
        again = [json.loads(line) for line in told(client, game)["/export"].splitlines()[1:-1]]
        assert [event["head"] for event in again[: len(before)]] == [event["head"] for event in before], name
        report: Any = client.get(f"/v1/games/{game['id']}/audit").json
        assert (report["verdict"], report["wrong"]) == ("passed", None), name

    whole = {game["id"]: RedisGames(link).whole(game["id"]).raw for game in old.values()}
    answers = {name: told(client, game) for name, game in old.items()}
    storage = Directory(tmp_path / "archive")
    assert Mover(RedisGames(link), storage, GAMES, -1).run().games == len(old)
    assert restore(RedisGames(link), ArchiveReader(storage).records(), application.listing.update) == {
        "restored": len(old)
    }
    assert {game_id: RedisGames(link).whole(game_id).raw for game_id in whole} == whole
    fresh = create_app(settings, bootstrap.application(settings), AllThere())
    assert {name: told(fresh.test_client(), game) for name, game in old.items()} == answers
    assert findings(link, tmp_path / "archive") == []
    assert restore(RedisGames(link), ArchiveReader(storage).records(), application.listing.update) == {
        "present": len(old)
    }


def test_waiting_work_is_found(old: Json, link: RedisClient, application: Application) -> None:
    """The feed's references are read, and the index of due games is known."""
    feed = RedisFeed(link, "a new group", "first")
    feed.join()
    seen = {(entry.game_id, entry.version) for entry in feed.read(block_ms=10)}
    last = {game["id"]: application.views.snapshot(game["id"]).version for game in old.values()}
    assert set(last.items()) <= seen
    assert {due.game_id for due in feed.overdue(0)} == {old["bots"]["id"], old["unscored"]["id"]}
