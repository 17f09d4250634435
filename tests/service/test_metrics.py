"""`/metrics`: what those who run the service see, and what nobody gets to see there."""

from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from shutil import disk_usage

import pytest
from flask.testing import FlaskClient
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from events.application import Application
from events.features.apps.scopes import ADMIN, READ
from events.log.usage import Used
from events.measures import FirstNames
from events.runtime import metrics
from events.runtime.embedded import EmbeddedServer
from events.runtime.settings import Settings
from events.store import keys
from events.store.link import link_to
from events.store.queues.keys import DISPATCHER_ALIVE
from service.http.operations import server_metrics
from service.http.page.assets import ROUTES
from tests.service.conftest import NewService
from tests.service.contract import description
from tests.service.table import FIRST_MOVE, Table, bearer, json_of
from tests.service.thinking import Worker
from tests.support.living import live
from tests.support.recording import AllThere
from tests.support.scripted_server import ScriptedServer

BACKUP = "migrato_backup_last_success_timestamp_seconds"


def told(client: FlaskClient) -> str:
    answer = client.get("/metrics")
    assert (answer.status_code, answer.mimetype) == (200, "text/plain")
    return answer.text


def families(client: FlaskClient) -> dict[str, Metric]:
    """The metrics by name, as Prometheus reads them."""
    return {family.name: family for family in text_string_to_metric_families(told(client))}


def value(client: FlaskClient, name: str, **labels: str) -> float:
    """One sample's value; 0 if there is none yet."""
    return value_in(told(client), name, **labels)


def value_in(text: str, name: str, **labels: str) -> float:
    lines = [line for line in text.splitlines() if line.startswith((f"{name}{{", f"{name} "))]
    return sum(
        sample.value
        for family in text_string_to_metric_families("\n".join([*lines, ""]))
        for sample in family.samples
        if sample.labels == labels
    )


def requests(client: FlaskClient, method: str, route: str, status: int) -> float:
    """Number of requests that were counted so."""
    return value(client, "migrato_http_requests_total", method=method, route=route, status=str(status))


def test_requests_are_counted_by_the_route_that_they_match(client: FlaskClient, table: Table) -> None:
    """With method and status; the path itself, which holds ids, stands nowhere."""
    moves = "/v1/games/{game_id}/moves"
    before = [requests(client, "POST", moves, status) for status in (201, 409)]
    assert table.move(0, FIRST_MOVE).status_code == 201
    assert table.move(0, FIRST_MOVE).status_code == 409
    assert [requests(client, "POST", moves, status) for status in (201, 409)] == [
        count + 1 for count in before
    ]
    assert value(client, "migrato_http_request_seconds_count", method="POST", route=moves) >= 2


def test_a_path_without_a_route_has_no_label_of_its_own(client: FlaskClient) -> None:
    """Otherwise requests for nonsense would fill the memory with labels."""
    before = [requests(client, "", "", status) for status in (404, 405)]
    assert client.get("/v1/nonsense/4711").status_code == 404
    assert client.open("/v1/games", method="BREW").status_code == 405
    assert [requests(client, "", "", status) for status in (404, 405)] == [count + 1 for count in before]


def test_long_polls_and_streams_are_counted_and_not_timed(client: FlaskClient, table: Table) -> None:
    """Long polls and streams are not timed, because they take as long as callers ask them to."""
    route = "/v1/games/{game_id}/events"
    timed = value(client, "migrato_http_request_seconds_count", method="GET", route=route)
    counted = requests(client, "GET", route, 200)
    table.get("/events?after=0&wait=1", seat=0)
    table.get("/events", seat=0, Accept="text/event-stream").close()
    table.get("/events", seat=0)
    assert value(client, "migrato_http_request_seconds_count", method="GET", route=route) == timed + 1
    assert requests(client, "GET", route, 200) == counted + 3


def test_nothing_in_it_is_about_one_game_or_player(client: FlaskClient, table: Table) -> None:
    """Every label's value comes from a short list that is known beforehand."""
    table.move(0, FIRST_MOVE)
    table.get("", seat=1)
    client.get(f"/v1/games/{'x' * 30}")
    labels: dict[str, set[str]] = {}
    for family in families(client).values():
        for sample in family.samples:
            for name, label in sample.labels.items():
                labels.setdefault(name, set()).add(label)
    paths = set(description()["paths"]) | {"/docs", "/problems", "/openapi.json", "/openapi.yaml", ""}
    paths |= {"/guide", "/guide/{name}", "/developers", "/embed/{game}", "/assets/{digest}/{name}"}
    paths |= {route.replace("<", "{").replace(">", "}") for route in ROUTES}
    assert {route for route in labels["route"] if not route.startswith("/static/")} <= paths
    assert labels["method"] <= {"GET", "POST", "PATCH", "DELETE", "HEAD", "OPTIONS", ""}
    known = {"method", "route", "status", "queue", "job", "due", "remedy", "cache", "found", "bot", "reason"}
    webhooks = {"outcome", "attempt", "receiver"}  # which tests of webhooks in this process may have counted
    servers = {"server", "what", "place", "role", "version", "code", "python"}
    assert set(labels) <= known | webhooks | servers | {"limit", "fault", "le", "line", "app"}
    assert table.id not in client.get("/metrics").text


def test_waiting_games_are_told(client: FlaskClient, application: Application) -> None:
    """Games whose turn is a bot's, by the index that every append keeps."""
    assert value(client, "migrato_games_due", due="bot") == 0
    client.post("/v1/games", json={"seats": [{"kind": "bot", "bot": "greedy"}] * 2})
    assert value(client, "migrato_games_due", due="bot") == 1
    assert value(client, "migrato_queue_length", queue="migrato") == 0


def test_thinking_that_waits_is_told(public: Table, worker: Worker, redis_url: str) -> None:
    """In seconds for the thinkers that live, whatever the app; that of batches, without the position in the queue."""
    worker.busy, client = True, public.client
    view = json_of(public.get(seat=0))
    asked = {"view": view, "budget": {"milliseconds": 1500}}
    for body in (asked, {"positions": [asked] * 3}):
        assert (
            client.post("/v1/bots/ismcts/choose", json=body, headers={"Prefer": "respond-async"}).status_code
            == 202
        )
    live(link_to(redis_url, 5.0), 2)
    waits = [
        value(client, "migrato_thinking_wait_seconds", queue=name)
        for name in ("hints", "questions", "batches")
    ]
    assert waits == [0, 0.75, 1.5]
    assert value(client, "migrato_thinkers", queue="migrato-thinking") == 2


def test_a_store_that_is_away_leaves_a_gap(client: FlaskClient, new_service: NewService) -> None:
    """The processes' own metrics are still told."""
    nowhere = Settings(redis_url="unix:///nonexistent/redis.sock")
    answer = new_service(nowhere, readiness=AllThere()).test_client().get("/metrics")
    assert answer.status_code == 200
    assert "migrato_http_requests_total" in answer.text
    assert "migrato_games_due" not in answer.text
    assert 'migrato_store_up{server="store"} 0.0' in answer.text
    assert "migrato_build_info{" in answer.text
    told = {line.partition("{")[0] for line in answer.text.splitlines() if line[0] != "#"}
    assert told.isdisjoint({"migrato_store_memory_bytes", "migrato_role_up", BACKUP})


def test_with_app_keys_only_apps_may_look(settings: Settings, table: Table, new_service: NewService) -> None:
    """A public address tells nobody else how busy it is."""
    closed = replace(settings, app_keys={"prometheus": sha256(b"a key").hexdigest()})
    client = new_service(closed, readiness=AllThere()).test_client()
    statuses = [
        client.get("/metrics", headers=headers).status_code
        for headers in ({}, {"Authorization": "Bearer a key"}, table.bearer(0))
    ]
    assert statuses == [401, 200, 403]


def test_an_app_learns_of_itself_alone(
    client: FlaskClient, application: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of its requests, what it has used, and its bots; administrators of all apps; refusals count apart."""
    monkeypatch.setattr(metrics, "APPS", FirstNames(50))  # other tests of this process have used up names
    apps = application.apps
    keys_of = {name: bearer(apps.create(name).text) for name in ("learner", "neighbour", "other")}
    admin = bearer(apps.create("ops", [ADMIN, READ]).text)
    apps.change("learner", {"quotas": {"games": {"day": 0}}})
    for _ in range(2):
        assert client.post("/v1/games", json={}, headers=keys_of["learner"]).status_code == 429
    for name in ("learner", "neighbour"):
        metrics.tell_usage(Used(name, "2026-11-29", {"people": 1, "moves:greedy": 2, "ms:greedy": 40}))
        metrics.REMOTE_FALLBACKS.labels(f"{name}/mine@1", "timeout").inc()
    metrics.APP_USAGE.labels("other", "moves").inc()

    def shown(headers: dict[str, str]) -> dict[tuple[str, ...], float]:
        text = client.get("/metrics", headers=headers).text
        samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
        return {
            tuple(sample.labels.values()): sample.value
            for sample in samples
            if sample.name.startswith(("migrato_app_", "migrato_registered_bot_fallbacks"))
        }

    own = {("learner", "limited"): 2, ("learner", "moves"): 3, ("learner/mine@1", "timeout"): 1}
    everything = shown(admin)
    assert everything.items() >= own.items()
    assert {("neighbour", "moves"), ("neighbour/mine@1", "timeout"), ("other", "moves")} <= everything.keys()
    assert shown(keys_of["learner"]) == own
    assert shown(keys_of["other"]) == {}
    assert {key[0] for key in shown(keys_of["neighbour"])} == {"neighbour", "neighbour/mine@1"}


def test_names_beyond_the_first_are_one() -> None:
    names = FirstNames(2)
    assert [names.label(name) for name in ("a", "b", "c", "a", "d")] == ["a", "b", "other", "a", "other"]


def test_servers_are_told(
    settings: Settings, new_service: NewService, redis_url: str, tmp_path: Path
) -> None:
    """Memory, writes to their disks, the last backup, the disks that are here, roles; each server by its own name."""
    with EmbeddedServer(None) as queue:
        wanted = replace(settings, queue_url=queue.url, data_dir=tmp_path, archive=str(tmp_path / "none"))
        client = new_service(wanted, readiness=AllThere()).test_client()
        store = link_to(redis_url, 5.0)
        assert value(client, BACKUP) == 0
        store.call("SET", keys.LAST_BACKUP, 1_700_000_000_500)
        store.call("CONFIG", "SET", "maxmemory", "999mb")
        try:
            text = told(client)
        finally:
            store.call("CONFIG", "SET", "maxmemory", "0")
        for server in ("store", "queue"):
            assert value_in(text, "migrato_store_up", server=server) == 1
            used = value_in(text, "migrato_store_memory_bytes", server=server)
            assert 0 < used <= value_in(text, "migrato_store_memory_peak_bytes", server=server)
            for what in ("aof-write", "aof-rewrite", "snapshot"):
                assert value_in(text, "migrato_store_persistence_failed", server=server, what=what) == 0
        assert value_in(text, "migrato_store_memory_limit_bytes", server="store") == 999 * 1024**2
        assert value_in(text, "migrato_store_evicted_keys_total", server="store") == 0
        assert value_in(text, BACKUP) == 1_700_000_000.5
        assert value_in(text, "migrato_disk_free_bytes", place="data") > 0
        assert value_in(text, "migrato_disk_size_bytes", place="data") == disk_usage(tmp_path).total
        assert value_in(text, "migrato_disk_size_bytes", place="archive") == 0  # there is no such directory
        roles = {s.labels["role"]: s.value for s in families(client)["migrato_role_up"].samples}
        assert roles == dict.fromkeys(
            ("dispatcher", "archiver", "webhooks", "workers", "remote", "thinkers"), 0
        )
        link_to(queue.url, 5.0).call("SET", DISPATCHER_ALIVE, 1, "PX", 20_000)
        assert value(client, "migrato_role_up", role="dispatcher") == 1


def test_a_failed_write_is_told(settings: Settings, new_service: NewService, short_path: Path) -> None:
    """As the server reports it, and that one evicts; what its user may not know is left out."""
    report = (
        b"used_memory:5\r\naof_last_write_status:err\r\nevicted_keys:7\r\nmaxmemory_policy:allkeys-lru\r\n"
    )

    def behave(_: int, request: str) -> bytes:
        assert request.startswith("INFO ")
        return b"$%d\r\n%s\r\n" % (len(report), report)

    scripted = ScriptedServer(short_path, behave)
    told = server_metrics.reports("store", link_to(scripted.url, 5.0))
    samples = {
        (s.name, *s.labels.values()): s.value for f in server_metrics.of_servers(told) for s in f.samples
    }
    assert samples == {
        ("migrato_store_memory_bytes", "store"): 5,
        ("migrato_store_evicted_keys_total", "store"): 7,
        ("migrato_store_persistence_failed", "store", "aof-write"): 1,
    }
    scripted.behave = lambda *_: b"-NOPERM User x has no permissions\r\n"
    assert server_metrics.reports("store", link_to(scripted.url, 5.0)) == {}
    assert server_metrics.last_backup(link_to(scripted.url, 5.0)).samples == []
    scripted.close()


def test_caches_are_told(client: FlaskClient, table: Table) -> None:
    """Bytes, things, and how often they were found, by the name of the cache."""

    def looks(found: str) -> float:
        return value(client, "migrato_cache_looks_total", cache="exports", found=found)

    before = looks("hit"), looks("miss")
    for _ in range(2):
        assert table.get("/export", 0).status_code == 200
    assert (looks("hit"), looks("miss")) == (before[0] + 1, before[1] + 2)
    for cache in ("games", "exports"):
        assert value(client, "migrato_cache_bytes", cache=cache) > 500
        assert value(client, "migrato_cache_entries", cache=cache) >= 1
    assert "migrato_cache_evictions" in families(client)
