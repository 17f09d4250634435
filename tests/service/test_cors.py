"""CORS: pages of which origins may read the answers, and which headers they may send."""

from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from events.runtime.settings import Settings, SettingsError, load
from events.use_cases.application import Application
from tests.service.conftest import NewService
from tests.service.recording import AllThere

LISTED = "https://game.example"
NAMED = "Access-Control-Allow-Origin"


@pytest.fixture
def listing(settings: Settings, application: Application, new_service: NewService) -> FlaskClient:
    """A service whose answers only pages of two origins may read."""
    listed = replace(
        settings, origins=("*",), cors_origins=("HTTPS://Game.example:443", "http://localhost:3000")
    )
    return new_service(listed, application, AllThere()).test_client()


@pytest.mark.parametrize("path", ["/v1/bots", "/v1/games/x", "/healthz", "/openapi.json", "/nowhere"])
@pytest.mark.parametrize("method", ["GET", "OPTIONS", "POST"])
def test_only_listed_origins_are_named(listing: FlaskClient, path: str, method: str) -> None:
    """In every answer, whichever way it was made; caches are told that it depends on the origin."""
    for origin, named in ((LISTED, LISTED), ("http://localhost:3000", "http://localhost:3000")):
        answer = listing.open(path, method=method, headers={"Origin": origin})
        assert answer.headers.getlist(NAMED) == [named]
        assert "Origin" in answer.headers["Vary"]
    for origin in ("https://evil.example", "https://game.example.evil", "http://game.example", "null", ""):
        answer = listing.open(path, method=method, headers={"Origin": origin})
        assert NAMED not in answer.headers
    assert NAMED not in listing.open(path, method=method).headers


def test_every_origin_is_allowed_unless_some_are_listed(client: FlaskClient) -> None:
    """As there are no cookies, a page knows no more than anybody else."""
    assert client.get("/v1/bots", headers={"Origin": "https://evil.example"}).headers.getlist(NAMED) == ["*"]


@pytest.mark.parametrize("asked", ["authorization", "x-request-id, content-type,traceparent", "a" * 3000])
def test_a_preflight_is_allowed_the_headers_that_it_asks_for(client: FlaskClient, asked: str) -> None:
    """Whatever a client library sends."""
    answer = client.options("/v1/games", headers={"Access-Control-Request-Headers": asked})
    assert answer.headers["Access-Control-Allow-Headers"] == asked
    assert "Access-Control-Request-Headers" in answer.headers["Vary"]


@pytest.mark.parametrize("asked", ["", "a b", "a,,b", "a;b", "<script>", "é"])
def test_what_are_no_names_of_headers_is_not_repeated(client: FlaskClient, asked: str) -> None:
    """It is answered with the headers that the API reads."""
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
