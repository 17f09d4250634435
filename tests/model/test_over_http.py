"""The real service against the naive model, over HTTP."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from drills.ports import free_port
from tests.model.differential import Match
from tests.model.http_check import random_game_over_http
from tests.project.running import running

# In the first the deck is shuffled again and Return Flights are taken; in the second all birds arrive on the standard
# deck before anything is drawn by the service's own chance.
SEEDS = [27, 202]
FURTHER = range(203, 223)  # where these have not had all
MORE = int(os.environ.get("MIGRATO_MODEL_HTTP_GAMES", "0"))


@pytest.fixture
def service_address(redis_url: str, tmp_path: Path) -> Iterator[str]:
    """A real gunicorn on an empty real store; or the service that MIGRATO_TEST_URL names."""
    if "MIGRATO_TEST_URL" in os.environ:
        yield os.environ["MIGRATO_TEST_URL"]
        return
    port = free_port()
    command = [
        "gunicorn",
        "-c",
        "python:service.http.server.gunicorn_conf",
        "service.http.server.wsgi:application",
    ]
    environment = {"MIGRATO_REDIS_URL": redis_url, "MIGRATO_PORT": str(port), "MIGRATO_LIMITS": "off"}
    address = f"http://127.0.0.1:{port}"
    with running(command, environment, tmp_path / "web.log", f"{address}/healthz"):
        yield address


def test_random_games_over_http(service_address: str) -> None:
    """Each seat and a spectator are told what the model says, after every move; refusals have their shape."""
    matches = [random_game_over_http(service_address, seed) for seed in [*SEEDS, *range(1000, 1000 + MORE)]]
    further = iter(FURTHER)
    while not have_had_all(matches):
        matches.append(random_game_over_http(service_address, next(further)))


def have_had_all(matches: list[Match]) -> bool:
    """True if the games had a reshuffle and a regular end: in both a theft, which is by chance, may lead elsewhere."""
    return any(match.model.seen["R3 reshuffle"] for match in matches) and any(
        match.model.result["reason"] == "all_arrived" for match in matches if match.model.result
    )
