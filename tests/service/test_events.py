"""Events, as a page of JSON and as lines; streams are tried on a real gunicorn."""

import orjson
from flask.testing import FlaskClient

from events.use_cases.application import Application
from tests.service.table import FIRST_MOVE, SECOND_MOVE, Table, code_of, json_of, set_table

LINES = "application/x-ndjson"


def test_a_page(table: Table) -> None:
    """`next` is where to go on, `version` how far the game is."""
    table.move(0, FIRST_MOVE)
    page = json_of(table.get("/events?after=1&limit=2", 0))
    assert [event["version"] for event in page["events"]] == [2, 3]
    assert (page["next"], page["version"]) == (3, 5)


def test_pages_lead_to_the_end(table: Table) -> None:
    """Following `next` gives every event once; at the end the page is empty and `next` stays."""
    table.move(0, FIRST_MOVE)
    after, found = 0, []
    while page := json_of(table.get(f"/events?after={after}&limit=2", 0)):
        found += [event["version"] for event in page["events"]]
        if not page["events"]:
            break
        after = page["next"]
    assert found == [1, 2, 3, 4, 5]
    assert page == {"events": [], "next": 5, "version": 5}


def test_members_of_an_event(table: Table) -> None:
    """An event that is seen whole comes with its salt, a redacted one without."""
    table.move(0, FIRST_MOVE)
    own, others = (json_of(table.get("/events?after=4", seat))["events"][0] for seat in (0, 1))
    fixed = {"version", "type", "schema", "at", "seat", "data", "redacted", "commitment", "head"}
    assert set(own) == fixed | {"salt"}
    assert set(others) == fixed
    assert own["data"]["cards"] == ["G4d", "K4d"]
    same = fixed - {"data", "redacted"}
    assert {name: own[name] for name in same} == {name: others[name] for name in same}


def test_nothing_is_redacted_once_the_game_is_over(client: FlaskClient, application: Application) -> None:
    """Then everybody sees all of it."""
    table = set_table(client, application, visibility="public")
    table.move(0, FIRST_MOVE)
    hidden = [event["type"] for event in json_of(table.get("/events"))["events"] if event["redacted"]]
    assert "game_started" in hidden
    table.move(0, {"type": "resign"})
    events = json_of(table.get("/events"))["events"]
    assert all(event["redacted"] == [] and "salt" in event for event in events)


def test_lines(table: Table) -> None:
    """The same events, one a line."""
    table.move(0, FIRST_MOVE)
    page = json_of(table.get("/events", 0))
    answer = table.get("/events", 0, Accept=LINES)
    assert answer.content_type == LINES
    assert [orjson.loads(line) for line in answer.text.splitlines()] == page["events"]
    assert "Link" not in answer.headers


def test_lines_link_to_what_follows(table: Table) -> None:
    """RFC 8288."""
    answer = table.get("/events?limit=1", 0, Accept=LINES)
    assert answer.headers["Link"] == f'<{table.path}/events?after=1>; rel="next"'


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
        assert table.get("/events", 0, Accept=accept).mimetype == given, accept


def test_caches_ask_first_and_know_what_was_accepted(table: Table) -> None:
    """The same address has several forms and several viewers."""
    for form in ("application/json", LINES):
        answer = table.get("/events", 0, Accept=form)
        assert answer.headers["Vary"] == "Authorization, Accept, Origin"
        assert answer.headers["Cache-Control"] == "private, no-cache"


def test_not_waiting_when_there_is_something(table: Table) -> None:
    """`wait` is for the first event."""
    assert json_of(table.get("/events?wait=30", 0))["next"] == 2


def test_not_waiting_for_a_settled_game(table: Table) -> None:
    """Nothing will come any more."""
    table.move(0, {"type": "resign"})
    table.application.bot_turns.score_game(table.id)
    assert json_of(table.get("/events?after=5&wait=30", 0)) == {"events": [], "next": 5, "version": 5}


def test_an_empty_stream_says_so(table: Table) -> None:
    """A stream resumed after the last event of a settled game is 204, which tells an EventSource to stop."""
    table.move(0, {"type": "resign"})
    table.application.bot_turns.score_game(table.id)
    answer = table.get("/events", 0, Accept="text/event-stream", Last_Event_ID="5")
    assert (answer.status_code, answer.data) == (204, b"")


def test_a_finished_game_streams_to_its_end(table: Table) -> None:
    """All frames, in order, with version, type and document; then the end, without an id."""
    table.move(0, FIRST_MOVE)
    table.move(1, SECOND_MOVE)
    table.move(0, {"type": "resign"})
    table.application.bot_turns.score_game(table.id)
    answer = table.get("/events?after=2", 0, Accept="text/event-stream")
    assert answer.mimetype == "text/event-stream"
    assert answer.headers["Cache-Control"] == "no-store"
    *frames, end, nothing = [f for f in answer.text.split("\n\n") if not f.startswith(":")]
    events = json_of(table.get("/events?after=2", 0))["events"]
    for frame, event in zip(frames, events, strict=True):
        id_, type_, data = frame.split("\n")
        assert id_ == f"id: {event['version']}"
        assert type_ == f"event: {event['type']}"
        assert orjson.loads(data.removeprefix("data: ")) == event
    assert events[-1]["type"] == "game_scored"
    assert (end, nothing) == ("event: end\ndata: {}", "")


def test_a_stranger_streams_nothing(table: Table) -> None:
    """A private game is not there, in any form."""
    for form in ("application/json", LINES, "text/event-stream"):
        answer = table.client.get(f"{table.path}/events", headers={"Accept": form})
        assert code_of(answer) == (404, "not-found")


def test_head_of_a_stream(table: Table) -> None:
    """HEAD does not begin to stream."""
    headers = table.bearer(0) | {"Accept": "text/event-stream"}
    answer = table.client.head(f"{table.path}/events", headers=headers)
    assert (answer.status_code, answer.data) == (200, b"")
