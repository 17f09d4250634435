"""`/metrics`: what those who run the service see, and what nobody gets to see there."""

from dataclasses import replace
from hashlib import sha256

from flask.testing import FlaskClient
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from events.application import Application
from events.runtime.settings import Settings
from service.http.page.assets import ROUTES
from tests.service.conftest import NewService
from tests.service.contract import description
from tests.service.table import FIRST_MOVE, Table
from tests.support.recording import AllThere


def families(client: FlaskClient) -> dict[str, Metric]:
    """The metrics by name, as Prometheus reads them."""
    answer = client.get("/metrics")
    assert (answer.status_code, answer.mimetype) == (200, "text/plain")
    return {family.name: family for family in text_string_to_metric_families(answer.text)}


def value(client: FlaskClient, name: str, **labels: str) -> float:
    """One sample's value; 0 if there is none yet."""
    return sum(
        sample.value
        for family in families(client).values()
        for sample in family.samples
        if sample.name == name and sample.labels == labels
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
    """Or whoever asks for nonsense would fill the memory with it."""
    before = [requests(client, "", "", status) for status in (404, 405)]
    assert client.get("/v1/nonsense/4711").status_code == 404
    assert client.open("/v1/games", method="BREW").status_code == 405
    assert [requests(client, "", "", status) for status in (404, 405)] == [count + 1 for count in before]


def test_long_polls_and_streams_are_counted_and_not_timed(client: FlaskClient, table: Table) -> None:
    """They take as long as they are asked to."""
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
    assert set(labels) <= known | webhooks | {"limit", "fault", "le"}
    assert table.id not in client.get("/metrics").text


def test_waiting_games_are_told(client: FlaskClient, application: Application) -> None:
    """Games whose turn is a bot's, by the index that every append keeps."""
    assert value(client, "migrato_games_due", due="bot") == 0
    client.post("/v1/games", json={"seats": [{"kind": "bot", "bot": "greedy"}] * 2})
    assert value(client, "migrato_games_due", due="bot") == 1
    assert value(client, "migrato_queue_length", queue="migrato") == 0


def test_a_store_that_is_away_leaves_a_gap(client: FlaskClient, new_service: NewService) -> None:
    """The processes' own metrics are still told."""
    nowhere = Settings(redis_url="unix:///nonexistent/redis.sock")
    answer = new_service(nowhere, readiness=AllThere()).test_client().get("/metrics")
    assert answer.status_code == 200
    assert "migrato_http_requests_total" in answer.text
    assert "migrato_games_due" not in answer.text


def test_with_app_keys_only_apps_may_look(settings: Settings, table: Table, new_service: NewService) -> None:
    """A public address tells nobody else how busy it is."""
    closed = replace(settings, app_keys={"prometheus": sha256(b"a key").hexdigest()})
    client = new_service(closed, readiness=AllThere()).test_client()
    statuses = [
        client.get("/metrics", headers=headers).status_code
        for headers in ({}, {"Authorization": "Bearer a key"}, table.bearer(0))
    ]
    assert statuses == [401, 200, 403]


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
