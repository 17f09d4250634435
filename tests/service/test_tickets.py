"""Tickets: what they open and what not, until when, and what their streams show."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from unittest.mock import Mock

import orjson
import pytest
from flask.testing import FlaskClient

from domain.lifecycle import EventRecord
from domain.migrato.game import MIGRATO
from events.application import Application
from events.errors import StoreUnavailable, Unauthorized
from events.runtime import bootstrap
from events.runtime.settings import Settings
from events.store import keys
from events.store.link import link_to
from service.http import streaming
from service.http.schemas.games.events import MOST_EVENTS
from tests.service.conftest import NewService
from tests.service.contract import validator
from tests.service.table import (
    FIRST_MOVE,
    OURS,
    SECOND_MOVE,
    THEIRS,
    WITH_OPEN,
    Json,
    Table,
    bearer,
    code_of,
    errors_of,
    json_of,
    new_game,
    set_table,
)
from tests.support.recording import AllThere

STREAM = {"Accept": "text/event-stream"}
WHAT = ("type", "schema", "seat", "data")


def ticket_of(table: Table, seat: int | None, **wanted: Any) -> str:
    """A ticket for that seat, or with None for a stranger."""
    headers = {} if seat is None else table.bearer(seat)
    answer = table.client.post(f"{table.path}/tickets", json=wanted, headers=headers)
    assert answer.status_code == 201, answer.text
    return str(json_of(answer)["ticket"])


class Stream:
    """A stream that is open, read frame by frame."""

    def __init__(self, table: Table, query: str, **headers: str) -> None:
        sent = STREAM | {name.replace("_", "-"): value for name, value in headers.items()}
        self.answer = table.client.get(f"{table.path}/events?{query}", headers=sent)
        self._pieces = self.answer.iter_encoded()

    def next(self) -> list[Json]:
        """The frames that come next, comments left out."""
        while True:
            piece = next(self._pieces)
            if b"data: " in piece:
                return [_frame(one) for one in piece.decode().strip().split("\n\n")]

    def ids(self) -> list[str]:
        """The ids of the frames that come next."""
        return [frame["id"] for frame in self.next()]

    def state(self) -> Json:
        """The state that comes next, and nothing else."""
        (frame,) = self.next()
        state: Json = orjson.loads(frame["data"])
        return state

    def ends(self) -> bool:
        """True if it ends without another frame."""
        return not any(b"data: " in piece for piece in self._pieces)

    def close(self) -> None:
        """Hang up."""
        self.answer.close()


def _frame(text: str) -> Json:
    return dict(line.split(": ", 1) for line in text.splitlines())


def test_a_ticket_says_what_it_is_for(table: Table) -> None:
    """The answer names the viewer, the end and the stream's address; it is never cached."""
    answer = table.client.post(f"{table.path}/tickets", json={"expires_in": 60}, headers=table.bearer(1))
    document = json_of(answer)
    assert answer.headers["Cache-Control"] == "no-store"
    assert document["viewer"] == 1
    assert document["stream"] == f"{table.path}/events?ticket={document['ticket']}"
    left = (datetime.fromisoformat(document["expires_at"]) - datetime.now(UTC)).total_seconds()
    assert 50 < left <= 61
    assert table.tokens[1] not in answer.text


def test_it_opens_the_stream_again_and_again(table: Table) -> None:
    """With what the seat alone may see, from where the page was; a spectator's, which a seat may have, with less."""
    ticket, spectators = ticket_of(table, 0), ticket_of(table, 0, view="spectator")
    table.move(0, FIRST_MOVE)
    for query, redacted in (
        (f"ticket={ticket}&lastEventId=2", []),
        (f"after=2&ticket={ticket}", []),
        (f"after=2&ticket={spectators}", ["cards"]),
    ):
        stream = Stream(table, query)
        drawn = orjson.loads(stream.next()[2]["data"])
        stream.close()
        assert (drawn["type"], drawn["redacted"]) == ("cards_drawn", redacted)
    stream = Stream(table, f"ticket={ticket}&lastEventId=2", Last_Event_ID="4")
    assert stream.ids() == ["5"]
    stream.close()
    state = Stream(table, f"ticket={spectators}&views=true").state()
    assert [player["hand"] for player in state["view"]["state"]["players"]] == [None, None]
    assert (state["view"]["viewer"], state["legal_moves"]) == (None, None)


def test_it_opens_nothing_else(table: Table) -> None:
    """As a parameter it is refused by name, and as a token it is not known; it plays no move, nor gets a ticket."""
    ticket = ticket_of(table, 0)
    for what in ("", "/legal-moves", "/events", "/export", "/head", "/replay", "/audit", "/hint"):
        answer = table.get(f"{what}?ticket={ticket}", 0)
        assert errors_of(answer) == ["ticket"]
        assert ticket not in answer.text
        assert code_of(table.get(what, Authorization=f"Bearer {ticket}")) == (401, "unauthorized")
    for what in ("moves", "tickets"):
        answer = table.client.post(f"{table.path}/{what}", json=FIRST_MOVE, headers=bearer(ticket))
        assert code_of(answer) == (401, "unauthorized")
    assert code_of(table.client.post(f"{table.path}/moves?ticket={ticket}", json=FIRST_MOVE))[0] == 422
    both = table.get(f"/events?ticket={ticket}", 0, Accept="text/event-stream")
    assert errors_of(both) == ["ticket"]  # beside a token: which of them counts is for nobody to guess


def refusal(table: Table, ticket: str) -> tuple[int, str]:
    """Status and code by which the stream refuses the ticket."""
    answer = table.get(f"/events?ticket={ticket}", Accept="text/event-stream")
    assert ticket not in answer.text
    return code_of(answer)


@pytest.mark.parametrize("how", ["expired", "a new token of the seat", "revoked"])
def test_void_tickets(table: Table, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """Those of the seat end in the middle of a stream, with what comes next unsent, and are refused.

    It is the store's clock that counts. The other seat's stay, and one that is asked for afterwards is good.
    """
    monkeypatch.setattr("events.features.tickets.tickets.FRESH", 0.0)
    mine = [ticket_of(table, 0, expires_in=100), ticket_of(table, 0, expires_in=100, view="spectator")]
    other = Stream(table, f"ticket={ticket_of(table, 1, expires_in=1000)}")
    streams = [Stream(table, f"ticket={ticket}") for ticket in mine]
    assert [stream.ids() for stream in (*streams, other)] == [["1", "2"]] * 3
    match how:
        case "expired":
            store = table.application.tickets._store
            now = store.ticket_facts(table.id)
            monkeypatch.setattr(store, "ticket_facts", lambda _: replace(now, now=now.now + 100_001))
        case "revoked":
            for _ in range(2):
                answer = table.client.delete(f"{table.path}/tickets", headers=table.bearer(0))
                assert answer.status_code == 204
        case _:
            answer = table.client.post(f"{table.path}/seats/0/token")
            table = replace(table, tokens=(json_of(answer)["token"], table.tokens[1]))
    table.move(0, FIRST_MOVE)
    assert [stream.ends() for stream in streams] == [True, True]
    assert [refusal(table, ticket) for ticket in mine] == [(401, "unauthorized")] * 2
    assert other.ids()[-1] == str(len(table.log()))
    other.close()
    again = Stream(table, f"ticket={ticket_of(table, 0)}")
    assert len(again.next()) == len(table.log())
    again.close()


def test_a_clock_that_is_set_back(table: Table, monkeypatch: pytest.MonkeyPatch, redis_url: str) -> None:
    """Tickets from before are void, for nobody could revoke them; those from then on are good, and can be revoked."""
    tickets, link = table.application.tickets, link_to(redis_url, 5.0)
    store = tickets._store
    ahead = store.ticket_facts(table.id).now + 7_200_000
    with monkeypatch.context() as wrong:
        facts = replace(store.ticket_facts(table.id), now=ahead)
        wrong.setattr(store, "ticket_facts", lambda _: facts)
        early = ticket_of(table, 0, expires_in=100)
    link.call("HSET", keys.tickets(table.id), "0", ahead)  # and were revoked by the same clock
    with pytest.raises(Unauthorized, match="by a clock that was ahead"):
        tickets.admit(table.id, early)
    for _ in range(2):
        late = ticket_of(table, 0)
        assert tickets.admit(table.id, late).seat == 0
        table.client.delete(f"{table.path}/tickets", headers=table.bearer(0))
        with pytest.raises(Unauthorized, match="was revoked"):
            tickets.admit(table.id, late)


def test_only_holders_get_and_revoke_them(table: Table, client: FlaskClient) -> None:
    """A private game is not there for strangers, the token of another game is none here, a seat's view is its own."""
    public = set_table(client, table.application, visibility="public")
    for path in (table.path, public.path, "/v1/games/nowhere"):
        assert code_of(client.delete(f"{path}/tickets")) == (401, "unauthorized")
    assert code_of(client.delete(f"{public.path}/tickets", headers=table.bearer(0))) == (403, "forbidden")
    assert code_of(client.post(f"{table.path}/tickets")) == (404, "not-found")
    assert code_of(client.post(f"{public.path}/tickets", json={"view": "seat"})) == (403, "forbidden")
    assert len(Stream(public, f"ticket={ticket_of(public, None)}").next()) == 2
    for wanted in (
        {"expires_in": 0},
        {"expires_in": 86_401},
        {"expires_in": "60"},
        {"view": "all"},
        {"seat": 1},
    ):
        answer = client.post(f"{table.path}/tickets", json=wanted, headers=table.bearer(0))
        assert errors_of(answer) == list(wanted)
    for none in ("", "x" * 129):
        assert errors_of(table.get(f"/events?ticket={none}", Accept="text/event-stream")) == ["ticket"]


def test_thousands_leave_nothing_behind(table: Table, redis_url: str) -> None:
    """Those who revoke leave one number for a day.

    Another process on this server may write a few keys meanwhile: of a thousand tickets there are none.
    """
    link = link_to(redis_url, 5.0)
    ticket_of(table, 0)
    keys_before, secrets_before = set(link.call("KEYS", "*")), link.call("HLEN", keys.secrets(table.id))
    caller = table.application.callers.who_asks(table.tokens[0], table.id)
    for _ in range(1_000):
        table.application.tickets.issue(table.id, caller, None, 60)
    new = set(link.call("KEYS", "*")) - keys_before
    assert len(new) < 20, new
    assert not [key for key in new if table.id.encode() in key or b"ticket" in key]
    assert link.call("HLEN", keys.secrets(table.id)) == secrets_before
    for _ in range(50):
        table.application.tickets.revoke(table.id, caller)
    assert link.call("HLEN", keys.tickets(table.id)) == 1
    assert 0 < link.call("TTL", keys.tickets(table.id)) <= 86_400


def test_every_process_takes_it(
    client: FlaskClient, application: Application, settings: Settings, new_service: NewService
) -> None:
    """One that has never heard of it, and one that knew the game before its seat was taken through another."""
    here = set_table(client, application, seats=WITH_OPEN)
    elsewhere = new_service(settings, bootstrap.application(settings), AllThere()).test_client()
    token = json_of(elsewhere.post(f"{here.path}/seats/1", json={"player": "bo"}))["token"]
    ticket = json_of(elsewhere.post(f"{here.path}/tickets", headers=bearer(token)))["ticket"]
    here.get(seat=0)
    stream = Stream(here, f"ticket={ticket}&views=true")
    assert stream.state()["view"]["viewer"] == 1
    here.move(0, FIRST_MOVE)
    assert stream.state()["legal_moves"]
    stream.close()
    there = Table(elsewhere, application, here.id, here.tokens)
    assert len(Stream(there, f"ticket={ticket_of(here, 0)}").next()) == 6
    link_to(str(settings.redis_url), 5.0).call("DEL", keys.TICKETS_SECRET)
    assert refusal(there, ticket) == (401, "unauthorized")


def test_the_app_has_a_spectators_ticket_of_a_private_game(guarded: FlaskClient) -> None:
    """It can revoke the ticket; another app has none."""
    at = new_game(guarded, OURS)["links"]["self"]
    assert guarded.post(f"{at}/tickets", headers=THEIRS).status_code == 404
    assert guarded.post(f"{at}/tickets", json={"view": "seat"}, headers=OURS).status_code == 403
    ticket = json_of(guarded.post(f"{at}/tickets", headers=OURS))
    assert ticket["viewer"] is None
    with guarded.get(f"{ticket['stream']}&views=true", headers=STREAM) as stream:
        state = next(piece for piece in stream.response if b"data: " in piece)
        assert b'"viewer":null' in state
    assert guarded.delete(f"{at}/tickets", headers=THEIRS).status_code == 404
    assert guarded.delete(f"{at}/tickets", headers=OURS).status_code == 204
    assert guarded.get(ticket["stream"], headers=STREAM).status_code == 401


class TestStates:
    """`views=true`: the caller's whole view, after each change."""

    @pytest.mark.parametrize("viewer", [0, 1, None])
    def test_a_state_is_what_the_view_says(
        self, client: FlaskClient, application: Application, viewer: int | None
    ) -> None:
        """Byte for byte, with the legal moves of whoever is to act and of nobody else."""
        table = set_table(client, application, visibility="public")
        query = "views=true" if viewer is None else f"views=true&ticket={ticket_of(table, viewer)}"
        stream = Stream(table, query)
        for move in (None, (0, FIRST_MOVE), (1, SECOND_MOVE), (0, {"type": "resign"})):
            if move is not None:
                table.move(*move)
            (frame,) = stream.next()
            state = orjson.loads(frame["data"])
            view = table.get(seat=viewer)
            assert (frame["event"], frame["id"]) == ("state", str(json_of(view)["version"]))
            validator({"$ref": "#/components/schemas/StreamedState"}).validate(state)
            assert orjson.dumps(state["view"]) == view.data
            if json_of(view)["status"] == "playing" and json_of(view)["to_act"] == viewer:
                assert state["legal_moves"] == json_of(table.get("/legal-moves", viewer))["moves"]
            else:
                assert state["legal_moves"] is None
        application.bot_turns.score_game(table.id)
        assert stream.next()[0]["event"] == "state"
        assert stream.next() == [{"event": "end", "data": "{}"}]
        assert stream.ends()

    @pytest.mark.parametrize("viewer", [0, 1, None])
    def test_a_state_says_what_has_happened(
        self, client: FlaskClient, application: Application, viewer: int | None
    ) -> None:
        """The events since the last frame in the bytes of /events, each with a line; labels for the legal moves.

        Also after two moves at once, and for who comes again: as far back as a frame goes.
        """
        table = set_table(client, application, visibility="public")
        query = "views=true&languages=de,en" + (
            "" if viewer is None else f"&ticket={ticket_of(table, viewer)}"
        )
        stream = Stream(table, query)
        first = stream.state()
        assert (first["after"], first["events"], first["notation"]) == (2, [], {"en": [], "de": []})
        at = first["version"]
        for moves in ([(0, FIRST_MOVE)], [(1, SECOND_MOVE), (0, {"type": "resign"})]):
            for move in moves:
                assert table.move(*move).status_code == 201
            (frame,) = stream.next()
            state = orjson.loads(frame["data"])
            shown = table.get(f"/events?after={at}", viewer)
            assert (state["after"], state["version"]) == (at, json_of(shown)["version"])
            assert orjson.dumps(state["events"]) in shown.data
            happened = [EventRecord(*(one[name] for name in WHAT)) for one in state["events"]]
            for language in ("en", "de"):
                assert state["notation"][language] == [MIGRATO.notation(one, language) for one in happened]
            if state["legal_moves"] is not None:
                labels = json_of(table.get("/legal-moves?languages=en,de", viewer))["labels"]
                assert state["labels"] == labels
                assert len(labels["en"]) == len(labels["de"]) == len(state["legal_moves"])
            at = state["version"]
        stream.close()
        again = Stream(table, query, Last_Event_ID="3").state()
        assert [event["version"] for event in again["events"]] == [*range(4, at + 1)]
        for nothing in ("0", str(at + 1)):
            assert Stream(table, query, Last_Event_ID=nothing).state()["events"] == []

    def test_a_state_goes_back_so_far_and_no_further(self, table: Table) -> None:
        """`after` is later than what the reader has seen, who can ask for the rest."""
        for turn in range(MOST_EVENTS // 2 + 2):
            assert table.move(turn % 2, {"type": "exchange"}).status_code == 201
        version = json_of(table.get(seat=0))["version"]
        state = Stream(table, f"views=true&ticket={ticket_of(table, 0)}", Last_Event_ID="1").state()
        assert (state["after"], len(state["events"])) == (version - MOST_EVENTS, MOST_EVENTS)

    def test_begun_late_or_read_slowly(self, table: Table) -> None:
        """It begins with a state whatever was seen, and two moves while somebody took a frame are one frame."""
        query = f"views=true&ticket={ticket_of(table, 0)}"
        for seen in ("0", "2", "77"):  # the last one is of a version that the store has lost
            stream = Stream(table, query, Last_Event_ID=seen)
            assert stream.ids() == ["2"]
            stream.close()
        stream = Stream(table, query)
        seats = stream.state()["view"]["seats"]
        assert seats[0]["player"] == "ada"
        table.move(0, FIRST_MOVE)
        table.move(1, SECOND_MOVE)
        assert stream.ids() == [str(json_of(table.get(seat=0))["version"])]
        stream.close()
        assert table.client.delete(f"/v1/players/{seats[0]['player_id']}").status_code == 204
        stream = Stream(table, query)
        assert stream.state()["view"]["seats"][0]["player"] is None
        stream.close()

    def test_its_end_is_for_good(self, table: Table) -> None:
        """204 for who has seen the last state of a finished game; who has not gets it.

        With `events=message` the data says what frames are, the end and heartbeats too.
        """
        table.finish()
        version = json_of(table.get(seat=0))["version"]
        assert Stream(table, f"views=true&lastEventId={version}", **table.bearer(0)).answer.status_code == 204
        assert len(Stream(table, "views=true", **table.bearer(0)).next()) == 1
        for query, first in (("", "game_created"), ("&views=true", "state")):
            text = table.get(f"/events?events=message{query}", 0, Accept=STREAM["Accept"]).text
            frames = [_frame(frame) for frame in text.strip().split("\n\n") if "data: " in frame]
            assert not any("event" in frame for frame in frames)
            kinds = [orjson.loads(frame["data"])["type"] for frame in frames]
            assert (kinds[0], kinds[-1]) == (first, "end")
            query = f"events=message&heartbeats=true{query}"
            beating = table.get(f"/events?{query}", 0, Accept=STREAM["Accept"]).text
            beat = 'data: {"type":"heartbeat","seconds":5}\n\n'
            assert beating == beat + text.removeprefix(streaming.STILL_HERE.decode())


def test_parameters_of_streams_are_refused_elsewhere(table: Table) -> None:
    """Parameters of streams are refused by their names where JSON or lines are asked for."""
    for name in ("ticket=x", "lastEventId=1", "views=true", "events=message", "heartbeats=true"):
        for form in ("application/json", "application/x-ndjson"):
            assert errors_of(table.get(f"/events?{name}", 0, Accept=form)) == [name.partition("=")[0]]


class TestMending:
    """Errors that a reconnect can mend do not close an EventSource for good."""

    @pytest.mark.plain
    def test_a_silent_store(self, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
        """An empty stream that says when to come again; who shows a token is told by the status."""
        ticket = ticket_of(table, 0)
        monkeypatch.setattr(table.application.views, "open_game", Mock(side_effect=StoreUnavailable("gone")))
        answer = table.get(f"/events?ticket={ticket}", Accept="text/event-stream")
        assert (answer.status_code, answer.mimetype) == (200, "text/event-stream")
        assert answer.data == b": store-unavailable\nretry: 1000\n\n"
        assert code_of(table.get("/events", 0, Accept="text/event-stream")) == (503, "store-unavailable")
        assert code_of(table.get("/events")) == (503, "store-unavailable")

    def test_beyond_mending(self, table: Table) -> None:
        """A mistake that no reconnect can mend is answered by an error, so that the page learns of it."""
        for query, status in (
            ("ticket=nonsense", 401),
            ("after=99", 404),
            ("version=1", 404),
            ("nonsense=1", 422),
        ):
            answer = table.get(f"/events?{query}", Accept="text/event-stream")
            assert answer.status_code == status, query


@pytest.mark.plain
def test_no_log_or_metric_has_a_ticket(
    table: Table, client: FlaskClient, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No log or metric has a ticket, neither when all is well nor when everything fails."""
    ticket = ticket_of(table, 0)
    Stream(table, f"ticket={ticket}").close()
    refusal(table, ticket[:-1] + "-")
    fails = Mock(side_effect=RuntimeError("something nobody foresaw"))
    monkeypatch.setattr(table.application.views, "open_game", fails)
    assert code_of(table.get(f"/events?ticket={ticket}", Accept="text/event-stream"))[0] == 500
    assert "failed" in caplog.text
    assert not re.search(r"mt_\w", caplog.text + client.get("/metrics").text)
    assert ticket[-43:] not in caplog.text
