"""The events of all games of an app: as a page of JSON, or as a stream."""

from functools import partial

from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header
from werkzeug.wrappers import Response

from domain.lifecycle import Json
from events.games.access import Caller
from events.use_cases.callers import Callers
from service.http.blueprint import Answer, ApiBlueprint
from service.http.call import current_call
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
from service.http.resources.webhooks.app_stream import stream
from service.http.responses import AT_ONCE, NO_STORE, Reply, answer
from service.http.schemas.responses import webhooks as shapes
from service.http.schemas.webhooks import EVENT_ID, AppEventsQuery

app_events = ApiBlueprint("App events", "The events of all games of an app.")

JSON, STREAM = "application/json", "text/event-stream"
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
def list_app_events() -> Reply | Response:
    """Events in all games of the app: the events of each game are in order, and each is there once. `next` and
    every `id` are cursors: `after` resumes there, also after a restart. The first request begins the app's log; what
    happened before is not in it. Events are kept for 7 days, the last 100,000 of them, and as long as somebody asks for
    them at least once in 7 days; a cursor from before that gets 410. As `text/event-stream` (server-sent events) the
    response goes on for ever: `id` is the event's id, `event` its type, and `Last-Event-ID` resumes the stream. An
    event says what everybody may see of its game, and without app keys of a private game only what the listing shows.
    Requires an app key if the service has any.
    """
    caller = current_caller()
    app = use_cases().callers.acting_app(caller)
    requested = query(_QUERY)
    logs, types = use_cases().app_logs, requested.get("types")
    if _is_stream():
        after = _last_event_id() or requested["after"]
        page = logs.page(app, after, 1, types)  # refuses a cursor that has expired, and begins the log
        leave = enter_wait(caller)
        frames = stream(
            logs,
            app,
            page.next if after == "now" else after,
            types,
            named=requested["events"] == "named",
            confirm=partial(_confirm, use_cases().callers, caller),
            warnings=broadcast().warnings,
        )
        response = Response(frames, headers=AT_ONCE, content_type=STREAM)
        response.call_on_close(leave)
        return response
    _refuse_what_is_for_streams(requested)
    after, limit, seconds = requested["after"], requested["limit"], seconds_to_wait(requested)
    page = logs.page(app, after, limit, types)
    if seconds and not page.messages and page.is_end:
        with while_waiting(caller):
            page = logs.wait_page(app, page.next, limit, types, seconds)
            _confirm(use_cases().callers, caller)
    document = {"events": [logged.document() for logged in page.messages], "next": page.next}
    return answer(document, cache=NO_STORE)


def _confirm(callers: Callers, caller: Caller) -> None:
    """Unauthorized if the caller's key is good no more, or if a key is needed by now. StoreUnavailable."""
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
    if requested["events"] != "named":
        raise invalid({"events": [f"Is for streams only: Accept: {STREAM}."]}, "query")
