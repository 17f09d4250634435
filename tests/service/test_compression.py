"""Compressed answers: which, for whom, and that they say the same."""

import gzip

import pytest
from flask.testing import FlaskClient

from events.use_cases.application import Application
from service.http import compression
from tests.service.table import FIRST_MOVE, SECOND_MOVE, Table, set_table

GZIP = "gzip, deflate, br"
ASKS = {"Accept-Encoding": GZIP}
LARGE = ["/events", "/replay?limit=100", "/export"]


@pytest.fixture
def public(client: FlaskClient, application: Application, monkeypatch: pytest.MonkeyPatch) -> Table:
    """A public game of some moves; what it has to say counts as large."""
    monkeypatch.setattr(compression, "LARGE", 2000)
    table = set_table(client, application, visibility="public")
    table.move(0, FIRST_MOVE)
    table.move(1, SECOND_MOVE)
    return table


@pytest.mark.parametrize("what", LARGE)
@pytest.mark.parametrize("form", ["application/json", "application/x-ndjson"])
def test_what_everybody_may_see(public: Table, what: str, form: str) -> None:
    """The same document, shorter, and caches are told on what it depends."""
    plain, short = public.get(what, Accept=form), public.get(what, Accept=form, Accept_Encoding=GZIP)
    assert short.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(short.data) == plain.data
    assert len(short.data) * 2 < len(plain.data)
    assert "Content-Encoding" not in plain.headers
    for answer in (plain, short):
        assert "Accept-Encoding" in answer.headers["Vary"]
        assert "Authorization" in answer.headers["Vary"]
    if "ETag" in plain.headers:
        assert short.headers["ETag"] == f"W/{plain.headers['ETag']}"
        assert public.get(what, If_None_Match=short.headers["ETag"], Accept_Encoding=GZIP).status_code == 304


@pytest.mark.parametrize("what", LARGE)
def test_what_a_seat_alone_may_see(public: Table, what: str) -> None:
    """It is sent as it is while the game runs: names and seeds that others chose stand beside it."""
    assert "Content-Encoding" not in public.get(what, 0, Accept_Encoding=GZIP).headers
    public.move(0, {"type": "resign"})
    assert public.get(what, 0, Accept_Encoding=GZIP).headers["Content-Encoding"] == "gzip"


def test_what_has_a_token_or_is_asked_for_all_the_time(public: Table) -> None:
    """New games, seats, tickets; moves, views and legal moves."""
    assert "Content-Encoding" not in public.client.post("/v1/games", json={}, headers=ASKS).headers
    for seat in (None, 0):
        headers = ASKS | ({} if seat is None else public.bearer(seat))
        answers = [
            public.client.post(f"{public.path}/tickets", headers=headers),
            public.client.post(f"{public.path}/moves", json=FIRST_MOVE, headers=headers),
            public.client.get(public.path, headers=headers),
            public.client.get(f"{public.path}/legal-moves", headers=headers),
        ]
        assert not any("Content-Encoding" in answer.headers for answer in answers)


def test_what_is_small(public: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would gain nothing."""
    monkeypatch.setattr(compression, "LARGE", 1_000_000)
    assert "Content-Encoding" not in public.get("/events", Accept_Encoding=GZIP).headers


@pytest.mark.parametrize("path", ["/openapi.json", "/openapi.yaml", "/static/swagger-ui-bundle.js"])
def test_the_description_and_its_pages(client: FlaskClient, path: str) -> None:
    """The same for everybody; what the caller has is not sent again."""
    plain, short = client.get(path), client.get(path, headers=ASKS)
    assert gzip.decompress(short.data) == plain.data
    assert len(short.data) * 3 < len(plain.data)
    again = client.get(path, headers=ASKS | {"If-None-Match": short.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


@pytest.mark.parametrize(
    ("accepted", "is_compressed"),
    [
        ("gzip", True),
        ("br;q=1, GZIP ;q=0.5", True),
        ("x-gzip", True),
        ("gzip;q=0", False),
        ("gzip; q=0.0", False),
        ("br", False),
        ("", False),
        ("identity", False),
        ("gzipped", False),
    ],
)
def test_only_who_can_read_it_gets_it(public: Table, accepted: str, is_compressed: bool) -> None:
    """Whatever else the caller can read."""
    answer = public.get("/events", Accept_Encoding=accepted)
    assert ("Content-Encoding" in answer.headers) is is_compressed


def test_streams_are_never_compressed(public: Table) -> None:
    """A frame would wait for the next one."""
    answer = public.get("/events", Accept="text/event-stream", Accept_Encoding=GZIP)
    assert "Content-Encoding" not in answer.headers
    answer.close()
