"""Events, as a page of JSON and as lines; streams are tried on a real gunicorn."""

import orjson
import pytest
from flask.testing import FlaskClient

from tests.service.table import FIRST_MOVE, SECOND_MOVE, Table, bearer, code_of, json_of

LINES, STREAM = "application/x-ndjson", "text/event-stream"


@pytest.fixture
def moved(table: Table) -> Table:
    """A move on."""
    table.move(0, FIRST_MOVE)
    return table


@pytest.fixture
def settled(moved: Table) -> Table:
    """A game of two moves that is over and scored."""
    moved.move(1, SECOND_MOVE)
    moved.finish()
    return moved


def test_pages_lead_to_the_end(moved: Table) -> None:
    """`next` is where to go on, `version` how far the game is; each event once, and then `next` stays."""
    after, found = 0, []
    while page := json_of(moved.get(f"/events?after={after}&limit=2&wait=30", 0)):
        found.append([event["version"] for event in page["events"]])
        if page["next"] == page["version"]:
            break
        after = page["next"]
    assert found == [[1, 2], [3, 4], [5]]
    assert json_of(moved.get("/events?after=5", 0)) == {"events": [], "next": 5, "version": 5}


def test_members_of_an_event(moved: Table) -> None:
    """An event comes with the digests of what others do not see, and with the salts of what the viewer sees."""
    own, others = (json_of(moved.get("/events?after=4", seat))["events"][0] for seat in (0, 1))
    fixed = {
        "version",
        "type",
        "schema",
        "at",
        "seat",
        "data",
        "redacted",
        "sealed",
        "salts",
        "commitment",
        "head",
    }
    assert set(own) == set(others) == fixed
    assert (list(own["salts"]), others["salts"], list(others["sealed"])) == (["/cards"], {}, ["/cards"])
    assert (own["type"], own["data"]["cards"], own["redacted"]) == ("cards_drawn", ["G4d", "K4d"], [])
    assert (others["data"]["cards"], others["redacted"]) == (None, ["cards"])
    same = fixed - {"data", "redacted", "salts"}
    assert {name: own[name] for name in same} == {name: others[name] for name in same}


def test_lines(moved: Table) -> None:
    """The same events, one a line, with a link to what follows (RFC 8288)."""
    answer = moved.get("/events", 0, Accept=LINES)
    assert answer.content_type == LINES
    events = json_of(moved.get("/events", 0))["events"]
    assert [orjson.loads(line) for line in answer.text.splitlines()] == events
    assert "Link" not in answer.headers
    answer = moved.get("/events?limit=1", 0, Accept=LINES)
    assert answer.headers["Link"] == f'<{moved.path}/events?after=1>; rel="next"'


def test_accept(table: Table) -> None:
    """JSON unless something else is preferred; what is not known here is taken for no wish."""
    for accept, given in {
        "": "application/json",
        "*/*": "application/json",
        "text/html": "application/json",
        "text/html, */*;q=0.1": "application/json",
        f"application/json;q=0.5, {LINES}": LINES,
        f"{LINES};q=0.5, application/json": "application/json",
        "application/x-*": "application/json",
        "nonsense": "application/json",
    }.items():
        answer = table.get("/events", 0, Accept=accept)
        assert answer.mimetype == given, accept
        assert answer.headers["Vary"] == "Authorization, Accept, Origin"
        assert answer.headers["Cache-Control"] == "private, no-cache"


def test_nothing_comes_of_a_settled_game(settled: Table) -> None:
    """No poll waits for it, and a stream resumed after the last event is 204, which tells an EventSource to stop."""
    version = len(settled.log())
    page = json_of(settled.get(f"/events?after={version}&wait=30", 0))
    assert page == {"events": [], "next": version, "version": version}
    answer = settled.get("/events", 0, Accept=STREAM, Last_Event_ID=str(version))
    assert (answer.status_code, answer.data) == (204, b"")


def test_a_finished_game_streams_to_its_end(settled: Table) -> None:
    """All frames, in order, with version, type and document; then the end, without an id."""
    answer = settled.get("/events?after=2", 0, Accept=STREAM)
    assert answer.mimetype == STREAM
    assert answer.headers["Cache-Control"] == "no-store, no-transform"
    *frames, end, nothing = [f for f in answer.text.split("\n\n") if not f.startswith(":")]
    events = json_of(settled.get("/events?after=2", 0))["events"]
    for frame, event in zip(frames, events, strict=True):
        id_, type_, data = frame.split("\n")
        assert (id_, type_) == (f"id: {event['version']}", f"event: {event['type']}")
        assert orjson.loads(data.removeprefix("data: ")) == event
    assert events[-1]["type"] == "game_scored"
    assert (end, nothing) == ("event: end\ndata: {}", "")


def test_a_stream_for_who_has_seen_nothing(client: FlaskClient, table: Table) -> None:
    """An empty `Last-Event-ID` is none; and no proxy may compress what comes, which would hold it back."""
    stream = {"Accept": "text/event-stream"}
    seat = stream | bearer(table.tokens[0])
    for path, headers in (
        (f"{table.path}/events", seat | {"Last-Event-ID": ""}),
        (f"{table.path}/events?lastEventId=", seat),
        (f"{table.path}/events?views=true", seat | {"Last-Event-ID": ""}),
        ("/v1/events", stream | {"Last-Event-ID": ""}),
    ):
        answer = client.get(path, headers=headers)
        assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store, no-transform"), path
        answer.close()
    for path, headers in (
        (f"{table.path}/events?lastEventId=x", seat),
        ("/v1/events", stream | {"Last-Event-ID": "x"}),
    ):
        assert code_of(client.get(path, headers=headers)) == (422, "validation-error")
