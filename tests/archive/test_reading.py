"""Archived games through the HTTP interface: as before, for everybody who might ask."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from flask.testing import FlaskClient

from domain.registry import GAMES
from events.application import Application
from events.archive.mover import Mover
from events.archive.reader import ArchiveReader
from events.archive.restoring import restore
from events.archive.storage import Directory, Storage, storage_of
from events.archive.store import ArchivedEventStore
from events.engine.idempotency import KeyedRequest
from events.engine.new_game import NewGame
from events.errors import StoreUnavailable
from events.fsck.check import Fsck
from events.runtime import bootstrap
from events.runtime.stores import archives
from events.store import keys
from events.store.event_store import RedisEventStore
from events.store.whole_games import RedisGames
from service.http.app import create_app
from tests.archive.conftest import BOTS, Place, play_on
from tests.events.stand_ins import Interrupted
from tests.events.wiring import application_on
from tests.support.stored import lose
from tests.support.sure import sure

Json = dict[str, Any]


@pytest.fixture
def client(place: Place) -> FlaskClient:
    return create_app(place.settings, place.application).test_client()


@dataclass(frozen=True, slots=True)
class Played:
    """A private game of two people, finished by resignation, and the last move's request."""

    client: FlaskClient
    id: str
    tokens: tuple[str, ...]
    moved: Json

    def get(self, what: str = "", seat: int | None = None) -> Any:
        headers = {} if seat is None else {"Authorization": f"Bearer {self.tokens[seat]}"}
        return self.client.get(f"/v1/games/{self.id}{what}", headers=headers)

    def move(self, move: Json, key: str) -> Any:
        headers = {"Authorization": f"Bearer {self.tokens[0]}", "Idempotency-Key": key}
        return self.client.post(f"/v1/games/{self.id}/moves", json=move, headers=headers)

    def told(self) -> list[Any]:
        """All that the interface says of the game."""
        paths = ["", "?version=2", "/events", "/events?limit=500", "/events?after=2&limit=1", "/legal-moves"]
        return [self.get(path, 0).data for path in paths]


def play(client: FlaskClient, application: Application, name: str = "ada") -> Played:
    seats = [{"kind": "human", "player": name}, {"kind": "human", "player": "bob"}]
    created = client.post("/v1/games", json={"seats": seats}).get_json()
    tokens = tuple(seat["token"] for seat in created["seats"])
    game = Played(client, created["id"], tokens, {"type": "exchange"})
    assert game.move({"type": "exchange"}, "first").status_code == 201
    assert game.move({"type": "resign"}, "last").status_code == 201
    application.bot_turns.score_game(game.id)
    application.listing.update(game.id)
    return game


@pytest.fixture
def game(place: Place, client: FlaskClient) -> Played:
    return play(client, place.application)


def test_an_archived_game_answers_as_before(place: Place, game: Played) -> None:
    """Byte for byte: the view, former views, the events, a page of them, the stream, the listing."""
    before, listing = game.told(), game.client.get("/v1/games?status=finished&player=ada").data
    assert game.id.encode() in listing
    assert place.move().games == 1
    assert not place.raw(game.id).entries
    assert game.told() == before
    assert game.client.get("/v1/games?status=finished&player=ada").data == listing
    wanted = {"Accept": "text/event-stream", "Authorization": f"Bearer {game.tokens[1]}"}
    streamed = game.client.get(f"/v1/games/{game.id}/events", headers=wanted)
    assert streamed.data.endswith(b"event: end\ndata: {}\n\n")


def test_seats_are_known_and_strangers_are_not(place: Place, game: Played) -> None:
    """Seats are known and strangers are not, also in a process that has never seen the game."""
    place.move()
    fresh = create_app(place.settings).test_client()
    assert fresh.get(f"/v1/games/{game.id}").status_code == 404
    wrong = {"Authorization": f"Bearer {game.tokens[0][:-1]}_"}
    assert fresh.get(f"/v1/games/{game.id}", headers=wrong).status_code == 401
    view = replace(game, client=fresh).get(seat=1).get_json()
    assert (view["status"], view["viewer"], view["result"]["winner"]) == ("finished", 1, 1)


def test_moves_are_refused_and_repeats_answered(place: Place, game: Played) -> None:
    """A key that was used gets its first answer; with another body it is a mismatch; anything new is too late."""
    first = game.move({"type": "exchange"}, "first")
    place.move()
    for client in (game.client, create_app(place.settings).test_client()):
        there = replace(game, client=client)
        again = there.move({"type": "exchange"}, "first")
        assert (again.status_code, again.data) == (201, first.data)
        assert there.move({"type": "pass"}, "first").get_json()["code"] == "idempotency-mismatch"
        late = there.move({"type": "exchange"}, "new")
        assert (late.status_code, late.get_json()["code"]) == (409, "game-over")


def test_a_game_that_never_was_costs_one_look(
    place: Place, game: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files are listed once, and again only when a game of the partition has moved."""
    place.move()
    asked: list[str] = []
    names, read_range = place.reader.storage.names, place.reader.storage.read_range

    def listed(pattern: str, day: str | None = None) -> list[str]:
        asked.append(pattern)
        return names(pattern, day)

    def read(name: str, start: int, length: int) -> bytes:
        asked.append("read")
        return read_range(name, start, length)

    monkeypatch.setattr(place.reader.storage, "names", listed)
    monkeypatch.setattr(place.reader.storage, "read_range", read)
    ids = [f"{number:022d}" for number in range(250)]
    unknown, *others = [one for one in ids if keys.partition_of(one) != keys.partition_of(game.id)]
    for _ in range(50):
        assert place.reader.find(unknown, "stamp") is None
    assert asked == ["p*.gz"]
    assert {place.reader.find(other, None) for other in others} == {None}
    assert asked == ["p*.gz"]
    place.reader.find(unknown, "another stamp")
    assert len(asked) == 2


def test_files_that_somebody_copied_there_are_found(place: Place, game: Played, tmp_path: Path) -> None:
    """Within a minute, though no stamp says so; a file that cannot be read hides no other."""
    place.move()
    (name,) = place.storage.names()
    now = [0.0]
    copied = Directory(tmp_path / "copy")
    reader = ArchiveReader(copied, clock=lambda: now[0])
    copied.stage(f"2020/01/01/{name[11:]}", b"no archive file")
    assert reader.find(game.id, None) is None
    copied.stage(name, place.storage.read(name))
    assert reader.find(game.id, None) is None
    now[0] = 61.0
    assert reader.find(game.id, None) is not None


def test_a_reader_finds_what_was_moved_a_moment_ago(place: Place, one_partition: None) -> None:
    """The stamp in Redis says that there is more, or that a file has taken another's place."""
    reader = create_app(place.settings).test_client()
    ids: list[str] = []
    for _ in range(3):
        ids.append(place.finished(3))
        place.move()
        assert [reader.get(f"/v1/games/{game_id}").status_code for game_id in ids] == [200] * len(ids)


def test_an_archive_that_does_not_answer_is_a_503(
    place: Place, game: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An archive that gives no answer is a 503; games in Redis go on meanwhile."""
    place.move()

    def away(*_: object) -> None:
        raise StoreUnavailable("the archive: no route to host")

    monkeypatch.setattr("events.archive.storage.Directory.names", away)
    client = create_app(place.settings).test_client()
    refused = client.get(f"/v1/games/{game.id}", headers={"Authorization": f"Bearer {game.tokens[0]}"})
    assert (refused.status_code, refused.get_json()["code"]) == (503, "store-unavailable")
    created = client.post("/v1/games", json={"visibility": "public"}).get_json()
    assert client.get(f"/v1/games/{created['id']}").status_code == 200


def test_nothing_private_is_in_an_export(place: Place, game: Played) -> None:
    """The hashes of tokens, the app, the commands' keys are in the private line alone."""
    place.move()
    record = sure(place.reader.find(game.id, None))
    secrets = record.raw.beside["secrets"]
    for hidden in (secrets["token:0"], secrets["token:1"], *record.raw.beside["commands"]):
        if hidden not in ("create", "score"):
            assert hidden.encode() in record.private
            assert hidden.encode() not in record.export
    assert b'"app"' not in record.export


def nameless(answers: list[bytes]) -> list[Any]:
    """The answers without what players are called in views, which is no part of a game; events are as they are."""
    documents: list[Any] = [orjson.loads(answer) for answer in answers]
    for document in documents:
        for view in (document, *document.get("games", ())):
            for seat in view.get("seats", ()):
                seat.pop("player", None)
    return documents


def test_the_drill(place: Place, client: FlaskClient) -> None:
    """Archive, lose Redis, read everything; bring everything back, and it is as if nothing had been."""
    games = [play(client, place.application, name) for name in ("ada", "eve", "kim")]
    bots = [place.finished(turns=4) for _ in range(3)]
    everything = {game.id: nameless(game.told()) for game in games}
    raw = {game_id: place.raw(game_id) for game_id in [*everything, *bots]}
    listing = nameless([client.get("/v1/games?limit=50").data])
    assert place.move().games == 6
    place.link.call("FLUSHALL")
    reader = sure(archives.archive_reader(place.settings))
    fsck = Fsck(place.link, GAMES, (reader, place.mover()))
    assert fsck.run().findings == []
    fresh = create_app(place.settings).test_client()
    for game in games:
        assert nameless(replace(game, client=fresh).told()) == everything[game.id]
        assert fresh.get(f"/v1/games/{game.id}").status_code == 404
    assert fresh.get("/v1/games?limit=50").get_json()["games"] == []
    update = bootstrap.application(place.settings).listing.update
    assert restore(RedisGames(place.link), reader.records(), update) == {"restored": 6}
    assert {game_id: place.raw(game_id) for game_id in raw} == raw
    assert nameless([client.get("/v1/games?limit=50").data]) == listing
    assert restore(RedisGames(place.link), reader.records(), place.application.listing.update) == {
        "present": 6
    }
    for game in games:
        assert nameless(game.told()) == everything[game.id]
    report = Fsck(place.link, GAMES, (reader, place.mover())).run()
    assert (report.findings, report.games, report.archived) == ([], 6, 6)
    in_a_while = datetime.now(UTC) + timedelta(days=6)
    assert place.move(now=lambda: in_a_while).games == 0  # as if they had just finished


def test_a_different_stream_is_left_alone(place: Place, game: Played) -> None:
    """One with fewer events, as an older backup may hold, or with a gap, or one with another seed beside it."""
    place.move()
    record = sure(place.reader.find(game.id, None))
    for version in (None, 3):
        place.link.call("FLUSHALL")
        restore(RedisGames(place.link), [record], place.application.listing.update)
        entries = place.link.call("XLEN", keys.stream(game.id))
        lose(place.link, game.id, version)
        assert restore(RedisGames(place.link), [record], place.application.listing.update) == {"different": 1}
        assert place.link.call("XLEN", keys.stream(game.id)) == entries - 1
    place.link.call("DEL", keys.stream(game.id))
    place.link.call("HSET", keys.secrets(game.id), "seed", "00" * 32)
    assert restore(RedisGames(place.link), [record], place.application.listing.update) == {"different": 1}


def test_an_archive_in_memory_of_fsspec(place: Place) -> None:
    """Any place that fsspec has an address for: here one that needs no network."""
    storage: Storage = storage_of("memory://archive-of-a-test")
    game_id = place.finished()
    before = place.raw(game_id)
    later = datetime.now(UTC) + timedelta(days=1)
    assert Mover(RedisGames(place.link), storage, GAMES, 60, now=lambda: later).run().games == 1
    record = sure(ArchiveReader(storage).find(game_id, None))
    assert record.raw == before
    assert [record.raw.game_id for record in ArchiveReader(storage).records()] == [game_id]
    (name,) = storage.names()
    storage.remove(name)
    storage.remove(name)
    assert storage.names() == []
    with pytest.raises(FileNotFoundError):
        storage.read(name)


def test_a_repeated_creation_finds_the_archived_game(place: Place, client: FlaskClient) -> None:
    """The key is good as long as the game: no second game comes about under its id."""
    headers = {"Idempotency-Key": "3f0c8f5e-7d3b-4a53-9a36-4b8d1f1d6a10"}
    seats = [{"kind": "human", "player": "ada"}, {"kind": "human", "player": "bob"}]
    first = client.post("/v1/games", json={"seats": seats}, headers=headers)
    created = first.get_json()
    own = {"Authorization": f"Bearer {created['seats'][0]['token']}"}
    resigned = client.post(created["links"]["moves"], json={"type": "resign"}, headers=own)
    assert resigned.status_code == 201
    place.application.bot_turns.score_game(created["id"])
    place.move()
    del created["seats"][0]["token"]  # which has moved, so that a key alone no longer gets it
    for there in (client, create_app(place.settings).test_client()):
        again = there.post("/v1/games", json={"seats": seats}, headers=headers)
        assert (again.status_code, again.get_json()) == (201, created)
        other = there.post("/v1/games", json={}, headers=headers).get_json()
        assert other["code"] == "idempotency-mismatch"
    assert place.link.call("EXISTS", keys.stream(created["id"])) == 0


def test_a_creation_that_was_on_its_way_while_its_game_went_to_the_archive(place: Place) -> None:
    """It finds the game there, and makes no second one of that id."""
    new, sent = NewGame(options={"turn_limit": 2}, seats=BOTS), KeyedRequest("key", "app key", {})

    def meanwhile() -> None:
        play_on(place.application, place.application.creation.create("club", new, sent).snapshot.game_id)
        assert place.move().games == 1

    happening = iter((meanwhile,))  # once
    slow = Interrupted(RedisEventStore(place.link, place.link, 5.0), lambda: [act() for act in happening])
    late = application_on(place.link, ArchivedEventStore(slow, RedisGames(place.link), place.reader))
    game_id = late.creation.create("club", new, sent).snapshot.game_id
    assert place.reader.find_once(game_id) is not None
    assert place.link.call("EXISTS", keys.stream(game_id)) == 0
