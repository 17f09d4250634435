"""Signed heads, published keys, exports, and the server's own check."""

import base64
from pathlib import Path
from typing import Any

import orjson
import pytest
from flask.testing import FlaskClient
from redis import Redis

from benchmarks.bursts import write_long_game
from events.application import Application
from events.engine.repository import NEAR
from events.log.chain import canonical
from events.log.signing import verify_head
from events.runtime import bootstrap, key_files
from events.runtime.settings import Settings
from events.scheduling import Slices
from events.store.event_store import RedisEventStore
from events.store.keys import stream
from events.store.link import link_to
from events.store.stream_entries import place
from tests.service.conftest import NewService
from tests.service.table import FIRST_MOVE, Json, Table, code_of, json_of, set_table
from tests.support.recording import AllThere

LINES = "application/x-ndjson"


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """A directory with a key."""
    directory = tmp_path / "keys"
    key_files.ensure(directory)
    return directory


@pytest.fixture
def signing(settings: Settings, keys: Path) -> Application:
    """An application that signs."""
    return bootstrap.application(
        Settings(redis_url=settings.redis_url, queue_url=settings.queue_url, signing_keys=keys)
    )


@pytest.fixture
def signer(settings: Settings, signing: Application, new_service: NewService) -> FlaskClient:
    """A caller of a service that signs."""
    service = new_service(settings, signing, AllThere())
    return service.test_client()


@pytest.fixture
def signed(signer: FlaskClient, signing: Application) -> Table:
    """A public game of two people at that service."""
    return set_table(signer, signing, visibility="public")


def finish(table: Table) -> None:
    """Play a move, resign, confirm."""
    table.move(0, FIRST_MOVE)
    table.finish(1)


def verifies(client: FlaskClient, head: Json) -> bool:
    """By the keys as they are published, and nothing else."""
    published = {key["kid"]: key for key in json_of(client.get("/.well-known/migrato-keys.json"))["keys"]}
    key = published[head["key_id"]]
    return verify_head(key, head["game_id"], head["version"], head["head"], head["signature"])


class TestKeys:
    """GET /.well-known/migrato-keys.json."""

    def test_anybody_may_have_them_and_keep_them_for_a_while(self, signer: FlaskClient, keys: Path) -> None:
        """A JWK set that needs no token; of the private key none of its bytes is in it."""
        answer = signer.get("/.well-known/migrato-keys.json")
        (key,) = json_of(answer)["keys"]
        assert set(key) == {"kty", "crv", "x", "kid", "use"}
        assert len(base64.urlsafe_b64decode(key["x"] + "=")) == 32
        assert "max-age" in answer.headers["Cache-Control"]
        pem = (keys / "current.pem").read_text().splitlines()[1]
        assert pem[-20:] not in answer.text

    def test_an_engine_that_signs_nothing(self, client: FlaskClient, application: Application) -> None:
        """An empty set, and the head alone."""
        assert json_of(client.get("/.well-known/migrato-keys.json")) == {"keys": []}
        table = set_table(client, application, visibility="public")
        head = json_of(table.get("/head"))
        assert head["head"] == table.log()[-1][2]
        assert head["key_id"] is head["signature"] is None


class TestHead:
    """GET /v1/games/{id}/head."""

    def test_a_running_head(self, signer: FlaskClient, signed: Table) -> None:
        """Signed on request, at every version."""
        signed.move(0, FIRST_MOVE)
        heads = [event[2] for event in signed.log()]
        for version in range(1, len(heads) + 1):
            head = json_of(signed.get(f"/head?version={version}"))
            assert (head["version"], head["head"]) == (version, heads[version - 1])
            assert verifies(signer, head)
        assert json_of(signed.get("/head"))["head"] == heads[-1]

    def test_the_final_head_is_signed_once(
        self, signer: FlaskClient, signed: Table, settings: Settings, keys: Path
    ) -> None:
        """By the worker that scores, before anybody looks, by the key of that time; the final view alone shows it."""
        finish(signed)
        kept = bootstrap.application(settings).views.snapshot(signed.id).secrets.signature
        assert kept is not None
        signed.application.bot_turns.score_game(signed.id)  # twice changes nothing
        assert bootstrap.application(settings).views.snapshot(signed.id).secrets.signature == kept
        first = json_of(signed.get("/head"))
        key_files.rotate(keys)
        assert json_of(signed.get("/head")) == first
        assert verifies(signer, first)
        view = json_of(signed.get())
        assert view["fairness"]["signature"] | {"game_id": signed.id} == first
        last = view["version"]
        assert json_of(signed.get(f"?version={last}"))["fairness"]["signature"] is not None
        assert json_of(signed.get(f"?version={last - 1}"))["fairness"]["signature"] is None
        assert json_of(signed.get(f"/head?version={last - 1}"))["key_id"] != first["key_id"]


class TestExport:
    """GET /v1/games/{id}/export."""

    def lines(self, table: Table, seat: int | None = None) -> list[Json]:
        answer = table.get("/export", seat)
        assert answer.mimetype == LINES
        assert answer.data.endswith(b"\n")
        lines = [orjson.loads(line) for line in answer.data.splitlines()]
        assert b"".join(canonical(line) + b"\n" for line in lines) == answer.data
        return lines

    def test_a_finished_game_is_whole_and_the_same_for_everybody(self, signed: Table) -> None:
        """Header, events as they are given elsewhere, the end with seed and signature."""
        finish(signed)
        header, *events, last = self.lines(signed)
        assert header["complete"] is True
        assert (header["format"], header["viewer"]) == ("migrato-export/2", None)
        assert header["public_key"]["kid"] == header["key_id"]
        assert events == json_of(signed.get("/events"))["events"]
        end, fairness = last["end"], json_of(signed.get())["fairness"]
        assert (end["version"], end["head"]) == (len(events), events[-1]["head"])
        assert end["server_seed"] == fairness["server_seed"]
        assert verify_head(
            header["public_key"], signed.id, end["version"], end["head"], end["signature"]["signature"]
        )
        assert signed.get("/export", 0).data == signed.get("/export", 1).data == signed.get("/export").data

    def test_a_running_game_is_redacted(self, signed: Table) -> None:
        """As its viewer sees it; no seed, and incomplete."""
        signed.move(0, FIRST_MOVE)
        for seat in (None, 0, 1):
            header, *events, last = self.lines(signed, seat)
            assert (header["viewer"], header["complete"], header["deck"]) == (seat, False, None)
            assert events == json_of(signed.get("/events", seat))["events"]
            assert last["end"]["server_seed"] is None
            assert last["end"]["signature"] is None

    def test_headers(self, signed: Table) -> None:
        """A name for the file; the entity tag tells versions and viewers apart, and can be asked with."""
        tags = {signed.get("/export", seat).headers["ETag"] for seat in (None, 0, 1)}
        signed.move(0, FIRST_MOVE)
        tags |= {signed.get("/export", seat).headers["ETag"] for seat in (None, 0, 1)}
        assert len(tags) == 6
        answer = signed.get("/export", 0)
        assert answer.headers["Content-Disposition"] == f'attachment; filename="migrato-{signed.id}-5.ndjson"'
        again = signed.get("/export", 0, If_None_Match=answer.headers["ETag"])
        assert (again.status_code, again.data) == (304, b"")
        assert signed.get("/export", 1, If_None_Match=answer.headers["ETag"]).status_code == 200


class TestAudit:
    """GET /v1/games/{id}/audit."""

    def test_a_game_that_holds(self, signed: Table) -> None:
        """While it runs, as far as its viewer's export tells, and all of it when it is over."""
        found = json_of(signed.get("/audit"))
        assert (found["passed"], found["complete"], found["wrong"]) == (True, False, None)
        assert found["verdict"] == "incomplete"
        assert statuses(found)["rules"] == "not-checked"
        finish(signed)
        found = json_of(signed.get("/audit"))
        assert (found["passed"], found["complete"], found["wrong"]) == (True, True, None)
        assert {name for name, status in statuses(found).items() if status != "passed"} == {
            "shuffles",  # the deck was set up
            "position",
            "bot-seeds",
            "bots",
            "clocks",
        }
        assert found["verdict"] == "passed"

    def test_a_game_that_does_not(self, signed: Table, settings: Settings) -> None:
        """Rewritten in the store: the check that fails is named, and so is the event."""
        finish(signed)
        redis, key = Redis.from_url(str(settings.redis_url)), stream(signed.id)
        entries: Any = redis.xrange(key)
        redis.delete(key)
        for entry_id, fields in entries:
            if place(entry_id)[0] == 3:
                fields[b"events"] = fields[b"events"].replace(b"bird_played 1 0", b"bird_played 1 1")
            redis.xadd(key, fields, id=entry_id)
        found = json_of(signed.get("/audit"))
        assert found["passed"] is False
        assert (found["wrong"]["check"], found["wrong"]["version"]) == ("chain", 3)

    def test_a_caller_that_has_the_report_already(self, signed: Table) -> None:
        """A caller that has the report already is told so; after a move there is another report."""
        answer = signed.get("/audit", 0)
        again = signed.get("/audit", 0, If_None_Match=answer.headers["ETag"])
        assert (again.status_code, again.data) == (304, b"")
        assert signed.get("/audit", 1, If_None_Match=answer.headers["ETag"]).status_code == 200
        signed.move(0, FIRST_MOVE)
        assert signed.get("/audit", 0, If_None_Match=answer.headers["ETag"]).status_code == 200

    def test_an_engine_with_too_much_under_way(
        self, settings: Settings, table: Table, new_service: NewService
    ) -> None:
        """A long game is not checked, nor given away, for who has waited long enough; a short one is."""
        slices = Slices(at_once=0, patience=0)
        service = new_service(settings, bootstrap.application(settings, slices), AllThere())
        client, link = service.test_client(), link_to(str(settings.redis_url), 5.0)
        long = write_long_game(RedisEventStore(link, link, 1.0), NEAR + 100, over=False)
        for what in ("audit", "export", "?version=1050"):
            path = f"/v1/games/{long}{'' if what.startswith('?') else '/'}{what}"
            answer = client.get(path)
            assert code_of(answer) == (503, "busy")
            assert answer.headers["Retry-After"] == "5"
        short = client.get(f"{table.path}/audit", headers=table.bearer(0))
        assert json_of(short)["passed"]

    def test_a_signature_that_comes_later_is_told(
        self, client: FlaskClient, application: Application, signer: FlaskClient
    ) -> None:
        """The version stays, but what is checked does not: another entity tag, for the export as for its check."""
        table = set_table(client, application, visibility="public")
        finish(table)
        paths = [f"/v1/games/{table.id}/{what}" for what in ("audit", "export")]
        for path, unsigned in [(path, client.get(path)) for path in paths]:
            signed = signer.get(path)
            assert unsigned.data != signed.data
            assert unsigned.headers["ETag"] != signed.headers["ETag"]
            assert signed.headers["ETag"] == signer.get(path).headers["ETag"]


def statuses(found: Json) -> dict[str, str]:
    """Result of each check."""
    return {one["check"]: one["status"] for one in found["checks"]}
