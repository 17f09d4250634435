"""Compressed answers: which, for whom, and that they say the same."""

import gzip
from itertools import product

import pytest
from flask.testing import FlaskClient

from events.application import Application
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


def test_answers_that_everybody_may_see(public: Table) -> None:
    """The same document, shorter, and caches are told on what it depends."""
    for what, form in product(LARGE, ("application/json", "application/x-ndjson")):
        plain, short = public.get(what, Accept=form), public.get(what, Accept=form, Accept_Encoding=GZIP)
        assert short.headers["Content-Encoding"] == "gzip", (what, form)
        assert gzip.decompress(short.data) == plain.data
        assert len(short.data) * 2 < len(plain.data)
        assert "Content-Encoding" not in plain.headers
        for answer in (plain, short):
            assert "Accept-Encoding" in answer.headers["Vary"]
            assert "Authorization" in answer.headers["Vary"]
        if "ETag" in plain.headers:
            known = short.headers["ETag"]
            assert known == f"W/{plain.headers['ETag']}"
            assert public.get(what, If_None_Match=known, Accept_Encoding=GZIP).status_code == 304


def test_answers_that_a_seat_alone_may_see(public: Table) -> None:
    """They are sent as they are while the game runs: names and seeds that others chose stand beside them."""
    for what in LARGE:
        assert "Content-Encoding" not in public.get(what, 0, Accept_Encoding=GZIP).headers, what
    public.move(0, {"type": "resign"})
    for what in LARGE:
        assert public.get(what, 0, Accept_Encoding=GZIP).headers["Content-Encoding"] == "gzip", what


def test_answers_with_a_token_or_asked_for_all_the_time(public: Table) -> None:
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


def test_small_answers(public: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small answers are not compressed, because they would gain nothing."""
    monkeypatch.setattr(compression, "LARGE", 1_000_000)
    assert "Content-Encoding" not in public.get("/events", Accept_Encoding=GZIP).headers


@pytest.mark.parametrize("path", ["/openapi.json", "/static/scalar.standalone.js"])
def test_the_description_and_its_pages(client: FlaskClient, path: str) -> None:
    """The same for everybody; what the caller has is not sent again."""
    plain, short = client.get(path), client.get(path, headers=ASKS)
    assert gzip.decompress(short.data) == plain.data
    assert len(short.data) * 3 < len(plain.data)
    again = client.get(path, headers=ASKS | {"If-None-Match": short.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_only_who_can_read_it_gets_it(public: Table) -> None:
    """Only a caller that accepts the compressed form gets it, whatever else that caller accepts."""
    for accepted in ("gzip", "br;q=1, GZIP ;q=0.5", "x-gzip"):
        assert "Content-Encoding" in public.get("/events", Accept_Encoding=accepted).headers, accepted
    for accepted in ("gzip;q=0", "gzip; q=0.0", "br", "", "identity", "gzipped"):
        assert "Content-Encoding" not in public.get("/events", Accept_Encoding=accepted).headers, accepted


def test_streams_are_never_compressed(public: Table) -> None:
    """Streams are not compressed, because each frame would wait for the next one."""
    answer = public.get("/events", Accept="text/event-stream", Accept_Encoding=GZIP)
    assert "Content-Encoding" not in answer.headers
    answer.close()
