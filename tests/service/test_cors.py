"""CORS: pages of which origins may read the answers, and which headers they may send."""

from dataclasses import replace
from itertools import product

import pytest
from flask.testing import FlaskClient

from events.application import Application
from events.runtime.settings import Settings, SettingsError, load
from tests.service.conftest import NewService
from tests.support.recording import AllThere

LISTED = "https://game.example"
NAMED = "Access-Control-Allow-Origin"


@pytest.fixture
def listing(settings: Settings, application: Application, new_service: NewService) -> FlaskClient:
    """A service whose answers only pages of two origins may read."""
    listed = replace(
        settings, origins=("*",), cors_origins=("HTTPS://Game.example:443", "http://localhost:3000")
    )
    return new_service(listed, application, AllThere()).test_client()


def test_only_listed_origins_are_named(listing: FlaskClient) -> None:
    """In every answer, whichever way it was made; caches are told that it depends on the origin."""
    paths = ("/v1/bots", "/v1/games/x", "/healthz", "/openapi.json", "/nowhere")
    for path, method in product(paths, ("GET", "OPTIONS", "POST")):
        for origin in (LISTED, "http://localhost:3000"):
            answer = listing.open(path, method=method, headers={"Origin": origin})
            assert answer.headers.getlist(NAMED) == [origin], (path, method)
            assert "Origin" in answer.headers["Vary"]
        for origin in (
            "https://evil.example",
            "https://game.example.evil",
            "http://game.example",
            "null",
            "",
        ):
            answer = listing.open(path, method=method, headers={"Origin": origin})
            assert NAMED not in answer.headers, (path, method, origin)
        assert NAMED not in listing.open(path, method=method).headers


def test_every_origin_is_allowed_unless_some_are_listed(client: FlaskClient) -> None:
    """As there are no cookies, a page knows no more than anybody else."""
    assert client.get("/v1/bots", headers={"Origin": "https://evil.example"}).headers.getlist(NAMED) == ["*"]


def test_a_preflight_is_allowed_the_headers_that_it_asks_for(client: FlaskClient) -> None:
    """Whatever a client library sends; instead of what are no names of headers those that the API reads."""
    for asked in ("authorization", "x-request-id, content-type,traceparent", "a" * 3000):
        answer = client.options("/v1/games", headers={"Access-Control-Request-Headers": asked})
        assert answer.headers["Access-Control-Allow-Headers"] == asked
        assert "Access-Control-Request-Headers" in answer.headers["Vary"]
    for asked in ("", "a b", "a,,b", "a;b", "<script>", "\xe9"):
        answer = client.options("/v1/games", headers={"Access-Control-Request-Headers": asked})
        assert answer.headers["Access-Control-Allow-Headers"].startswith("Accept, Authorization, ")


def test_the_setting() -> None:
    """A list of origins; what is none is refused by name."""
    assert load({"MIGRATO_CORS_ORIGINS": f"{LISTED}, http://localhost:3000"}).cors_origins == (
        LISTED,
        "http://localhost:3000",
    )
    for wrong in ("game.example", "https://game.example/path", "ftp://game.example"):
        with pytest.raises(SettingsError, match="MIGRATO_CORS_ORIGINS"):
            load({"MIGRATO_CORS_ORIGINS": wrong})
