"""The events of all games of an app: as a page of JSON, or as a stream."""

from functools import partial

from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

from domain.lifecycle import Json
from events.engine.access import Caller
from events.features.apps.callers import Callers
from service.http.blueprint import Answer, ApiBlueprint
from service.http.call import current_call
from service.http.parts import parts
from service.http.problems import invalid
from service.http.request_context import (
    broadcast,
    current_caller,
    enter_wait,
    seconds_to_wait,
    use_cases,
    while_waiting,
)
from service.http.request_parsing import query
from service.http.resources.webhooks import app_stream
from service.http.responses import JSON, NO_STORE, STREAM, Reply, answer, stream
from service.http.schemas import webhooks as shapes
from service.http.schemas.webhooks import EVENT_ID, AppEventsQuery
from service.http.streaming import sign_of_life

app_events = ApiBlueprint("App events", "The events of all games of an app.")

_QUERY = AppEventsQuery()


@app_events.operation(
    "GET",
    "/v1/events",
    summary="Get the events of all games of the app",
    query=_QUERY,
    headers=("Last-Event-ID of an app",),
    answers={
        200: Answer(
            "The events, in the form that `Accept` asks for.",
            {JSON: shapes.AppEventsPage(), STREAM: shapes.AppEventFrame()},
        )
    },
    problems=("unauthorized", "forbidden", "events-expired", "rate-limited", "busy", "store-unavailable"),
)
def list_app_events() -> Reply:
    """Events in all games of the app: the events of each game are in order, and each is there once. `next` and every
    `id` are cursors: `after` resumes there, also after a restart. The first request begins the app's log; what happened
    before is not in it. Events are kept for 7 days, the last 100,000 of them, and as long as somebody asks for them at
    least once in 7 days; a cursor from before that gets 410. As `text/event-stream` (server-sent events) the response
    goes on for ever: `id` is the event's id, `event` its type, and `Last-Event-ID` resumes the stream. With
    `heartbeats` a silent stream sends frames without an id, `event: heartbeat`. An event contains only what everybody
    may see of its game; without app keys, of a private game only what the listing shows.
    """
    caller = current_caller()
    app = use_cases().callers.acting_app(caller)
    requested = query(_QUERY)
    logs, types = use_cases().app_logs, requested.get("types")
    if _is_stream():
        if requested["views"]:
            raise invalid({"views": [f"Is for pages only: Accept: {JSON}."]}, "query")
        after = _last_event_id() or requested["after"]
        page = logs.page(app, after, 1, types)  # refuses an expired cursor, and begins the log
        leave = enter_wait(caller)
        frames = app_stream.stream(
            logs,
            app,
            page.next if after == "now" else after,
            types,
            named=requested["events"] == "named",
            confirm=partial(_confirm, use_cases().callers, caller),
            warnings=broadcast().warnings,
            alive=sign_of_life(parts().settings.stream_heartbeat, requested),
        )
        return stream(*parts().open_streams.metered(app, frames, leave))
    _refuse_what_is_for_streams(requested)
    after, limit, seconds = requested["after"], requested["limit"], seconds_to_wait(requested)
    if requested["views"]:
        limit = min(limit, shapes.MOST_VIEWS)
    page = logs.page(app, after, limit, types)
    if seconds and not page.messages and page.is_end:
        with while_waiting(caller):
            page = logs.wait_page(app, page.next, limit, types, seconds)
            _confirm(use_cases().callers, caller)
    payloads = use_cases().webhooks.payloads
    shown = (payloads if requested["views"] else logs).documents(app, page.messages)
    return answer({"events": shown, "next": page.next}, cache=NO_STORE)


def _confirm(callers: Callers, caller: Caller) -> None:
    """Unauthorized if the caller's key is no longer valid, or if a key is needed by now. StoreUnavailable."""
    callers.confirm(caller)
    callers.acting_app(caller)


def _is_stream() -> bool:
    accept = current_call().environ.get("HTTP_ACCEPT", "")
    return parse_accept_header(accept, MIMEAccept).best_match((JSON, STREAM), JSON) == STREAM


def _last_event_id() -> str | None:
    text: str = current_call().environ.get("HTTP_LAST_EVENT_ID", "")
    if text and not EVENT_ID.fullmatch(text):
        raise invalid({"Last-Event-ID": ["Must be the `id` of an event."]}, "header")
    return text or None


def _refuse_what_is_for_streams(requested: Json) -> None:
    usual = {"events": "named", "heartbeats": False}
    wrong = [name for name, value in usual.items() if requested[name] != value]
    if wrong:
        raise invalid({name: [f"Is for streams only: Accept: {STREAM}."] for name in wrong}, "query")
