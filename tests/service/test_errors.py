"""Errors: one shape from every path, and never more than the caller may know."""

import logging
import re
from dataclasses import replace
from unittest.mock import Mock

import pytest
from flask.testing import FlaskClient

from events.errors import StoreUnavailable
from events.features.games.create import Creation
from events.features.games.moves import Moves
from events.features.games.views import Views
from events.features.listings.pages import Listing
from events.features.seats.seats import Seats
from events.runtime.settings import Settings
from service.http.app import Service
from service.http.problems import KINDS
from service.http.routing.path_parameters import PATH_PARAMETERS
from tests.service.contract import description
from tests.service.table import FIRST_MOVE, Json, Table, code_of
from tests.service.thinking import Worker
from tests.support.recording import EMBEDDER, record

METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND"}
PROMISED = {
    400: {"malformed-json"},
    415: {"unsupported-media-type"},
    413: {"too-large"},
    401: {"unauthorized"},
    403: {"forbidden"},
    404: {"not-found"},
    409: {"not-your-turn", "game-not-started", "game-over", "seat-taken", "conflict"},
    412: {"version-mismatch"},
    422: {
        "validation-error",
        "illegal-move",
        "unknown-bot",
        "unknown-game",
        "idempotency-mismatch",
        "bad-deck",
    },
    429: {"rate-limited"},
    503: {"store-unavailable"},
}


def paths(service: Service) -> dict[str, set[str]]:
    """Every address of the service with a value for its variables, and its methods."""
    found: dict[str, set[str]] = {}
    for rule in service.url_map.iter_rules():
        path = re.sub(r"<(\w+):\1>", lambda match: PATH_PARAMETERS[match[1]].example, rule.rule)
        path = re.sub("<any.*>", "page.css", path)
        found.setdefault(path, set()).update(rule.methods or ())
    return found


def test_the_contracts_codes() -> None:
    """Every code of the contract exists, with its status."""
    assert {code: status for status, codes in PROMISED.items() for code in codes}.items() <= {
        code: kind.status for code, kind in KINDS.items()
    }.items()


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """Settings under which tables may be shown in frames."""
    return replace(settings, embed_ancestors=(EMBEDDER,))


def described_bodies() -> dict[str, Json]:
    """Examples of bodies by operation, as openapi.yaml has them."""
    found = dict[str, Json]()
    for operation in (
        operation for methods in description()["paths"].values() for operation in methods.values()
    ):
        for content in operation.get("requestBody", {}).get("content", {}).values():
            examples = content["examples"].items()
            found[operation["operationId"]] = {name: example["value"] for name, example in examples}
    return found


FOR_ONCE = {"code"}  # the engine makes another one each time


def test_every_documented_body_and_every_code_that_a_caller_can_provoke(
    client: FlaskClient, worker: Worker
) -> None:
    """The recording sends the bodies that the description shows, and none is refused. It provokes the codes one by one;
    those left out need a broken store, a race, or a limit.
    """
    elsewhere = {"conflict", "rate-limited", "store-unavailable"}
    recorded = record(client, worker)
    for operation, bodies in described_bodies().items():
        for name, body in bodies.items():
            sent = recorded[operation]["request"][name]
            assert sent == body | {once: sent[once] for once in FOR_ONCE & body.keys()}, (operation, name)
    provoked = recorded["problems"]
    assert {code for codes in PROMISED.values() for code in codes} - set(provoked) == elsewhere
    for code, problem in provoked.items():
        assert problem["status"] == KINDS[code].status
        assert problem["title"] == KINDS[code].title


def test_every_other_method_of_every_path(service: Service, client: FlaskClient) -> None:
    """405 with Allow."""
    for path, methods in paths(service).items():
        for method in METHODS - methods:
            answer = client.open(path, method=method)
            assert answer.status_code == 405, (method, path)
            assert method == "HEAD" or code_of(answer) == (405, "method-not-allowed")
            assert answer.headers["Allow"].split(", ") == sorted(methods)


UNKNOWN = [
    "/nope", "/v1", "/v1/", "/v1/games/", "//v1/games", "/v1//games", "/v2/games", "/v1/games/../games", "/%00",
    "/static/", "/static/page", "/static/../app.py", "/static/%2e%2e/app.py", "/static/index.html", "/docs/", "/\xfc",
]  # fmt: skip


def test_every_unknown_path(client: FlaskClient) -> None:
    """404 whatever the method, OPTIONS included, and never a redirect."""
    for path in UNKNOWN:
        for method in METHODS:
            answer = client.open(path, method=method)
            assert answer.status_code == 404, (method, path)
            if method == "HEAD":
                assert answer.data == b""
            else:
                assert code_of(answer) == (404, "not-found")


def test_options(service: Service, client: FlaskClient) -> None:
    """A browser's preflight request gets what it needs, from every path."""
    for path, methods in paths(service).items():
        answer = client.options(path, headers={"Origin": "https://example.org"})
        assert (answer.status_code, answer.data) == (204, b"")
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert set(answer.headers["Access-Control-Allow-Methods"].split(", ")) == methods
        assert "Authorization" in answer.headers["Access-Control-Allow-Headers"]
        assert "If-Match" in answer.headers["Access-Control-Allow-Headers"]


def test_browsers_may_read_every_answer(table: Table) -> None:
    """Refusals included, with the headers that the API speaks in; and never with credentials."""
    for answer in (table.get(seat=0), table.get(), table.client.get("/nope"), table.move(0, FIRST_MOVE)):
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        exposed = {"ETag", "Location", "Retry-After", "RateLimit", "RateLimit-Policy"}
        assert exposed <= set(answer.headers["Access-Control-Expose-Headers"].split(", "))
        assert "Access-Control-Allow-Credentials" not in answer.headers
        assert "Set-Cookie" not in answer.headers


@pytest.mark.plain
class TestCrashes:
    """500, of which nothing is told."""

    SECRET = "mg_secret G5d K3d"

    @pytest.fixture
    def broken(self, table: Table, monkeypatch: pytest.MonkeyPatch) -> Table:
        """A table whose every use-case breaks with a message full of secrets."""
        crash = Mock(side_effect=RuntimeError(self.SECRET))
        families: dict[type, tuple[str, ...]] = {
            Views: ("open_game", "snapshot", "history"),
            Moves: ("play", "preview"),
            Listing: ("page",),
            Creation: ("create",),
            Seats: ("take",),
        }
        for family, names in families.items():
            for name in names:
                monkeypatch.setattr(family, name, crash)
        return table

    def test_nothing_is_told(self, broken: Table, caplog: pytest.LogCaptureFixture) -> None:
        """A crash is a problem without a trace, and is logged."""
        answers = [
            *(broken.get(what, 0) for what in ("", "/events", "/legal-moves")),
            broken.get("/events", 0, Accept="text/event-stream"),
            broken.move(0, FIRST_MOVE),
            broken.move(0, FIRST_MOVE, "?dry_run=true"),
            broken.client.get("/v1/games"),
            broken.client.post("/v1/games"),
            broken.client.post(f"{broken.path}/seats/1", json={"player": "eve"}, headers=broken.bearer(0)),
        ]
        for answer in answers:
            assert code_of(answer) == (500, "internal-error")
            assert not any(word in answer.text for word in ("secret", "Traceback", "RuntimeError"))
        assert len([r for r in caplog.records if r.levelno == logging.ERROR]) == len(answers)

    def test_also_in_debug_mode(self, service: Service, broken: Table) -> None:
        """No setting of the framework changes that."""
        service.config.update(DEBUG=True, TESTING=True, PROPAGATE_EXCEPTIONS=True)
        assert code_of(broken.get(seat=0)) == (500, "internal-error")


@pytest.mark.plain
def test_the_reason_why_a_store_is_away_is_not_told(
    table: Table, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """An address or a password may be in it: it is for the log."""
    away = Mock(side_effect=StoreUnavailable("redis://:password@10.0.0.1 refused"))
    monkeypatch.setattr(table.application.moves, "play", away)
    answer = table.move(0, FIRST_MOVE)
    assert code_of(answer) == (503, "store-unavailable")
    assert "password" not in answer.text
    assert "10.0.0.1" in caplog.text


def test_every_advice_is_a_sentence() -> None:
    """Titles do not end in a dot, advices do."""
    for kind in KINDS.values():
        assert not kind.title.endswith(".")
        assert re.fullmatch(r"[A-Z`].*\.", kind.advice)
