"""Every answer names its request, by an id that the caller may choose."""

import io
import json
import logging
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.application import Application
from events.runtime.settings import Settings
from service.http.app import Service
from service.http.call import new_request_id
from service.http.operations import access_log
from service.http.routing.short_way import ShortWay
from tests.service.conftest import NewService
from tests.service.table import Table, bearer, json_of
from tests.support.recording import AllThere

CHOSEN = ["0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0", "Root=1-67891233-abcdef012345678912345678", "x", "a" * 64]
NOT_ONE = ["", "a" * 65, "mg_0123456789abcdef", "two words", "line\\nline", "a,b", '"', "%0a", "\u00e9"]


def asked(client: FlaskClient, request_id: str, path: str = "/v1/games/none/moves") -> TestResponse:
    """The refusal of a request with that id."""
    return client.post(path, json={}, headers={"X-Request-Id": request_id})


def test_a_caller_may_choose_it(client: FlaskClient) -> None:
    """A caller may choose the id of a request, in any form that proxies and tracers send."""
    for request_id in CHOSEN:
        answer = asked(client, request_id)
        assert answer.headers.getlist("X-Request-Id") == [request_id]
        assert json_of(answer)["request_id"] == request_id


def test_an_odd_one_is_replaced(client: FlaskClient) -> None:
    """No token and nothing that would break a line gets into the log by this way; the request is answered anyway."""
    for request_id in NOT_ONE:
        answer = asked(client, request_id)
        (given,) = answer.headers.getlist("X-Request-Id")
        assert len(given) == 16
        assert int(given, 16) >= 0
        assert json_of(answer)["request_id"] == given


def test_an_idempotency_key_is_none(client: FlaskClient) -> None:
    """A reader of the log could ask for the answer again, and the tokens in it."""
    key = CHOSEN[0]
    answer = client.post("/v1/games", json={}, headers={"X-Request-Id": key, "Idempotency-Key": key})
    assert answer.status_code == 201
    assert answer.headers["X-Request-Id"] != key
    again = client.post("/v1/games", json={}, headers={"X-Request-Id": "mine", "Idempotency-Key": key})
    assert (again.headers["X-Request-Id"], json_of(again)["id"]) == ("mine", json_of(answer)["id"])


def test_each_request_has_another_one(client: FlaskClient) -> None:
    """Each request has another id; ids do not even tell how many requests came in between."""
    given = [int(asked(client, "").headers["X-Request-Id"], 16) for _ in range(20)]
    assert len(set(given)) == 20
    assert given != sorted(given)


def test_a_fork_has_others() -> None:
    """Ids are drawn in advance, but not across a fork."""
    new_request_id()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, " ".join([new_request_id() for _ in range(200)]).encode())
        os._exit(0)
    os.waitpid(child, 0)
    its = os.read(read, 10_000).decode().split()
    for end in (read, write):
        os.close(end)
    assert len({*its, *(new_request_id() for _ in range(200))}) == 400


def test_threads_have_others() -> None:
    """A caller that finds none left draws some."""
    with ThreadPoolExecutor(8) as threads:
        given = list(threads.map(lambda _: [new_request_id() for _ in range(500)], range(8)))
    assert len({one for several in given for one in several}) == 4000


def test_answers_of_all_kinds_have_it(client: FlaskClient, table: Table) -> None:
    """A fast one, one that is not modified, one without a body, a page, one that is streamed."""
    etag = client.get(table.path, headers=table.bearer(0)).headers["ETag"]
    answers = [
        client.get(table.path, headers=table.bearer(0)),
        client.get(table.path, headers={**table.bearer(0), "If-None-Match": etag}),
        client.options(table.path),
        client.get("/docs"),
        client.get("/nowhere"),
        client.get(f"{table.path}/events", headers={**table.bearer(0), "Accept": "text/event-stream"}),
    ]
    assert [answer.status_code for answer in answers] == [200, 304, 204, 200, 404, 200]
    for answer in answers:
        assert len(answer.headers.getlist("X-Request-Id")) == 1
        answer.close()


@pytest.fixture
def told() -> list[bytes]:
    """The lines of the access log."""
    return []


@pytest.fixture
def logged(
    settings: Settings, application: Application, told: list[bytes], new_service: NewService
) -> Service:
    """A service that logs requests as JSON."""
    wanted = replace(settings, access_log=True, log_format="json")
    service = new_service(wanted, application, AllThere())
    service.parts = replace(service.parts, access_log=access_log.access_log(wanted, told.append))
    return service


def test_a_line_for_each_request(logged: Service, table: Table, told: list[bytes]) -> None:
    """By its route, without what its path and query say beside the game's id."""
    client = logged.test_client()
    client.get(f"{table.path}?wait=0&secret=mg_secret", headers={"X-Request-Id": "one"})
    client.get("/mg_secret", headers={"X-Request-Id": "two"})
    client.get("/v1/bots", headers={"X-Request-Id": "three"})
    one, two, three = [json.loads(line) for line in told]
    game_id = table.path.rpartition("/")[2]
    assert (one["route"], one["game_id"], one["request_id"]) == ("/v1/games/{game_id}", game_id, "one")
    assert (two["status"], two["message"], two["request_id"]) == (404, "404", "two")
    assert not two.keys() & {"route", "method", "game_id"}
    assert (three["message"], three["level"], three["process"]) == ("GET /v1/bots 200", "info", "web")
    assert b"secret" not in b"".join(told)
    assert all(line.endswith(b"}\n") and line.count(b"\n") == 1 for line in told)


@pytest.mark.parametrize("short_way", [True, False])
def test_a_line_names_the_app_whose_key_was_looked_at(
    logged: Service, application: Application, told: list[bytes], short_way: bool
) -> None:
    """By both doors, also if its request is refused; beside a seat's token where the app is counted. Never the key."""
    token = json_of(logged.test_client().post("/v1/games", json={}))["seats"][0]["token"]
    game_id = token.split("_")[1]
    keys = {name: application.apps.create(name).text for name in ("club", "rival")}
    own = bearer(keys["club"])
    beside = {**bearer(token), "Migrato-App-Key": keys["rival"]}
    if not short_way:
        logged.short_way = ShortWay(())
    client = logged.test_client()
    told.clear()
    asked = [
        ("club", client.get("/v1/games", headers=own)),
        ("club", client.get("/v1/apps", headers=own)),  # which is refused
        ("rival", client.get(f"/v1/games/{game_id}/audit", headers=beside)),
        ("-", client.get(f"/v1/games/{game_id}", headers=beside)),
        ("-", client.get(f"/v1/games/{game_id}/audit", headers={**beside, "Migrato-App-Key": "mk_nobody"})),
        ("-", client.get("/v1/bots")),
    ]
    assert [answer.status_code for _, answer in asked] == [200, 403, 200, 200, 401, 200]
    assert [json.loads(line)["app"] for line in told] == [app for app, _ in asked]
    assert not any(secret.encode() in line for secret in (*keys.values(), token) for line in told)


@pytest.mark.parametrize("changed", [{}, {"access_log": True, "log_level": "warning"}])
def test_there_is_none_unless_it_is_wanted(settings: Settings, changed: dict[str, Any]) -> None:
    """There is no access log unless the settings ask for it; the level counts, too."""
    assert access_log.access_log(replace(settings, **changed)) is None


def test_the_text_form(settings: Settings, told: list[bytes], service: Service, client: FlaskClient) -> None:
    """For people: the time, the request, and how long it took."""
    service.parts = replace(
        service.parts, access_log=access_log.access_log(replace(settings, access_log=True), told.append)
    )
    client.get("/v1/bots", headers={"X-Request-Id": "mine"})
    (line,) = told
    assert b" INFO GET /v1/bots 200  request_id=mine  duration_ms=" in line


def test_a_crash_is_found_by_its_id(
    service: Service, client: FlaskClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The line has the route, and the formatter adds the id of the request that is under way."""
    fail = Mock(side_effect=RuntimeError("nobody foresaw this"))
    seen = list[dict[str, Any]]()
    monkeypatch.setattr(service.parts.use_cases.listing, "page", fail)
    handler = logging.StreamHandler(io.StringIO())
    handler.emit = lambda record: seen.append({**access_log.under_way(), **vars(record)})  # type: ignore[method-assign]
    logging.getLogger("migrato.app").addHandler(handler)
    try:
        problem = json_of(client.get("/v1/games", headers={"X-Request-Id": "mine"}))
    finally:
        logging.getLogger("migrato.app").removeHandler(handler)
    assert (problem["code"], problem["request_id"]) == ("internal-error", "mine")
    (record,) = seen
    assert (record["route"], record["request_id"], record["method"]) == ("/v1/games", "mine", "GET")
