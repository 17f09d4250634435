"""Embed tickets: who gets one, what it opens and how often; and whose pages may show a table in a frame."""

from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from events.application import Application
from events.runtime.settings import Settings
from events.store import keys
from events.store.link import link_to
from tests.service.conftest import NewService
from tests.service.table import FIRST_MOVE, Table, bearer, code_of, errors_of, json_of, set_table
from tests.service.thinking import Worker
from tests.support.recording import AllThere

APP = "http://localhost:3000"


@pytest.fixture
def table(settings: Settings, application: Application, worker: Worker, new_service: NewService) -> Table:
    """A private game of an engine whose tables one site may show."""
    known = replace(settings, embed_ancestors=("https://Club.example:443", APP))
    client = new_service(known, application, AllThere(), worker.bot_questions).test_client()
    return set_table(client, application)


def asked(table: Table, seat: int = 0, parent: Any = APP) -> TestResponse:
    """The answer to a seat that wants its table in a frame."""
    return table.client.post(
        f"{table.path}/embed-tickets", json={"parent": parent}, headers=table.bearer(seat)
    )


def ticket_of(table: Table, seat: int = 0) -> str:
    """A ticket for that seat, from the frame's address."""
    answer = asked(table, seat)
    assert answer.status_code == 201, answer.text
    return parse_qs(urlsplit(json_of(answer)["frame"]).query)["ticket"][0]


def redeemed(table: Table, ticket: str, key: str | None = None) -> TestResponse:
    """The answer to the frame that shows the ticket."""
    headers = bearer(ticket) | ({} if key is None else {"Idempotency-Key": key})
    return table.client.post(f"{table.path}/embed-tickets/redeem", headers=headers)


def test_a_ticket_opens_the_seat_once(table: Table) -> None:
    """For the request that was first, and that may come again under its key; the ticket shows nothing of the token."""
    answer = asked(table, 1)
    document = json_of(answer)
    assert answer.headers["Cache-Control"] == "no-store"
    assert document["frame"].startswith(f"/embed/{table.id}?parent={APP}&ticket=me_")
    assert table.tokens[1].split("_")[-1] not in document["frame"]
    ticket = document["frame"].split("ticket=")[1]
    for _ in range(2):
        first = redeemed(table, ticket, "of the frame")
        assert (first.status_code, json_of(first)) == (200, {"seat": 1, "token": table.tokens[1]})
        assert first.headers["Cache-Control"] == "no-store"
    for again in (redeemed(table, ticket, "of another"), redeemed(table, ticket)):
        assert code_of(again) == (401, "unauthorized")
        assert "This ticket was used" in json_of(again)["detail"]
    odd = ticket.replace("-", "+").replace("_", "/").replace("me/", "me_")
    for spelling in (f"{ticket}=", f"{ticket}.", f"{ticket[:9]}~{ticket[9:]}", *({odd} - {ticket})):
        assert code_of(redeemed(table, spelling)) == (401, "unauthorized")
    other = ticket_of(table, 1)
    assert redeemed(table, other).status_code == 200
    assert code_of(redeemed(table, other)) == (401, "unauthorized")  # without a key no request comes again


def test_only_a_seat_gets_one(table: Table) -> None:
    """For a page that may show it; it opens nothing else, and no other game."""
    path = f"{table.path}/embed-tickets"
    assert code_of(table.client.post(path, json={"parent": APP})) == (401, "unauthorized")
    for parent in ("http://localhost:3001", "https://localhost:3000", f"{APP}/", "*", "null", f"{APP} *", ""):
        answer = asked(table, parent=parent)
        assert (answer.status_code, errors_of(answer)) == (422, ["parent"])
    assert "parent=https://club.example&" in json_of(asked(table, parent="https://CLUB.example"))["frame"]
    ticket = ticket_of(table)
    stream = {"Accept": "text/event-stream"}
    assert errors_of(table.client.get(f"{table.path}/events?ticket={ticket}", headers=stream)) == ["ticket"]
    assert (
        code_of(table.client.post(f"{table.path}/moves", json=FIRST_MOVE, headers=bearer(ticket)))[0] == 401
    )
    elsewhere = set_table(table.client, table.application)
    for at, text in (
        (elsewhere, ticket),
        (table, ticket[:-1]),
        (table, f"{ticket}A"),
        (table, "me_"),
        (table, "a.b"),
    ):
        answer = redeemed(at, text)
        assert (code_of(answer), json_of(answer)["detail"]) == (
            (401, "unauthorized"),
            "This ticket is not known.",
        )
    nowhere = f"/v1/games/{'x' * 22}/embed-tickets/redeem"
    assert code_of(table.client.post(nowhere, headers=bearer(ticket))) == (401, "unauthorized")
    assert redeemed(table, ticket).status_code == 200  # after all of that


@pytest.mark.parametrize("how", ["expired", "revoked", "a new token of the seat", "a clock that was ahead"])
def test_void_tickets(table: Table, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """Each is refused with its reason; a ticket that is asked for afterwards is good."""
    store = table.application.embed_tickets._store
    now = store.ticket_facts(table.id)
    with monkeypatch.context() as clock:
        if how == "a clock that was ahead":
            clock.setattr(store, "ticket_facts", lambda _: replace(now, now=now.now + 7_200_000))
        ticket = ticket_of(table)
    with monkeypatch.context() as clock:
        match how:
            case "expired":
                clock.setattr(store, "ticket_facts", lambda _: replace(now, now=now.now + 121_000))
            case "revoked":
                assert (
                    table.client.delete(f"{table.path}/tickets", headers=table.bearer(0)).status_code == 204
                )
            case "a new token of the seat":
                renewed = table.client.post(f"{table.path}/seats/0/token")
                table = replace(table, tokens=(json_of(renewed)["token"], table.tokens[1]))
        answer = redeemed(table, ticket)
    assert code_of(answer) == (401, "unauthorized")
    assert ("another token" if "token" in how else how) in json_of(answer)["detail"]
    assert json_of(redeemed(table, ticket_of(table)))["token"] == table.tokens[0]


def test_marks_of_used_tickets(table: Table, redis_url: str) -> None:
    """Nothing is kept of a ticket before its use; after it, the mark of its use is kept for three hours."""
    link = link_to(redis_url, 5.0)
    ticket = ticket_of(table)
    assert link.call("KEYS", "*used-ticket*") == []
    redeemed(table, ticket)
    (key,) = link.call("KEYS", "*used-ticket*")
    assert key.decode().startswith(keys.used_ticket(table.id, ""))
    assert 10_000 < link.call("TTL", key) <= 10_800


def test_pages_that_may_show_a_table_in_a_frame(table: Table) -> None:
    """The page that the address names, if it is one of the setting's; by default nobody."""

    def policy(client: FlaskClient, query: str) -> str:
        answer = client.get(f"/embed/{table.id}{query}")
        assert answer.status_code == 200
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        found = dict(
            one.strip().split(" ", 1) for one in answer.headers["Content-Security-Policy"].split(";")
        )
        assert found["script-src"] == found["connect-src"] == "'self'"
        assert f'data-framed="{found["frame-ancestors"].strip(chr(39)).replace("none", "")}"' in answer.text
        return found["frame-ancestors"]

    assert policy(table.client, f"?parent={APP}&ticket=me_x") == APP
    for query in (
        "",
        "?parent=",
        "?parent=https://evil.example",
        f"?parent={APP}%20*",
        f"?parent={APP};x",
        "?parent=*",
    ):
        assert policy(table.client, query) == "'none'"
    assert "frame-ancestors 'none'" in table.client.get("/").headers["Content-Security-Policy"]


def test_any_page_may_where_the_operator_says_so(
    settings: Settings, application: Application, worker: Worker, new_service: NewService
) -> None:
    """By `*`: still one page at a time, the one that is named."""
    for allowed, expected in ((("*",), "https://a.example"), ((), "'none'")):
        service = new_service(
            replace(settings, embed_ancestors=allowed), application, AllThere(), worker.bot_questions
        )
        answer = service.test_client().get("/embed/x?parent=https://a.example")
        assert answer.headers["Content-Security-Policy"].endswith(f"frame-ancestors {expected}")
