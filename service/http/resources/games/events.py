"""A game's events: as a page of JSON, as lines, or as a stream that goes on while the game does."""

from collections.abc import Callable

import orjson
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

from domain.lifecycle import Json, Viewer
from events.engine.access import STRANGER, Caller
from events.errors import Busy, StoreUnavailable, VersionBeyondEnd
from events.log.notation import ONLY_ENGLISH
from events.log.snapshot import Snapshot
from service.http.blueprint import Answer, ApiBlueprint
from service.http.call import current_call
from service.http.compression import compressed
from service.http.parts import parts
from service.http.problems import RETRY_AFTER, Problem, invalid
from service.http.request_context import (
    admitted_caller,
    broadcast,
    current_caller,
    enter_stream,
    seconds_to_wait,
    use_cases,
    while_waiting,
)
from service.http.request_parsing import query, version_header
from service.http.responses import (
    AT_ONCE,
    CHECK_FIRST,
    JSON,
    STREAM,
    VARY,
    Reply,
    answer,
    empty,
    stream,
    text,
)
from service.http.schemas.games import events as shapes
from service.http.schemas.games.queries import EventsQuery
from service.http.streaming import NO_STATE, Framing, server_sent_events, sign_of_life, when_longer

events = ApiBlueprint("Events", "The events of a game, as the caller may see them.")

LINES = "application/x-ndjson"
_QUERY = EventsQuery()


@events.operation(
    "GET",
    "/v1/games/{game_id}/events",
    summary="Get the events of a game",
    query=_QUERY,
    headers=("Last-Event-ID",),
    answers={
        200: Answer(
            "The events, in the form that `Accept` asks for.",
            {JSON: shapes.EventsPage(), LINES: shapes.LINES, STREAM: shapes.StreamFrame()},
            ("Link",),
        ),
        204: Answer(
            "A stream resumed after the last event of a finished game: there are no more events.", {}
        ),
    },
    problems=("not-found", "busy", "store-unavailable"),
    foreign=True,
)
def game_events(game_id: str) -> Reply:
    """While the game runs, hidden fields are null and named in `redacted`; once it is over, everything is shown.
    `/guide/reference/events` says how each type changes the table. As `application/x-ndjson` each line is an event, and
    `Link: <...>; rel="next"` points to the next page. As `text/event-stream` (server-sent events) the response
    continues as long as the game: `id` is the version, `event` the type, `data` the event. `Last-Event-ID` resumes a
    stream. A silent stream sends a comment every few seconds, or with `heartbeats` the frame `event: heartbeat`,
    without an id, whose data says after how many `seconds`. After the last event of a game (`game_scored` or
    `game_aborted`) the frame `event: end` closes the stream. A stream ignores `limit` and `wait` and refuses `version`.
    With `views` it sends states in place of events: the view, with the legal moves if the caller is to act; a slow
    reader gets fewer of them. With `presence` it sends one, too, when somebody comes or goes. Each address and each
    token may have so many streams and long polls open; one more is 429. Without a token in a header, as from a
    browser's EventSource, which gives up for good after any error, an empty stream that says when to come again takes
    the place of 429 and 503.
    """
    try:
        return _answered(game_id)
    except (StoreUnavailable, Busy, Problem) as error:
        environ = current_call().environ
        is_mendable = not isinstance(error, Problem) or error.code == "rate-limited"
        if "HTTP_AUTHORIZATION" in environ or not is_mendable or _form(environ.get("HTTP_ACCEPT")) != STREAM:
            raise
        return _come_again(error)


def _answered(game_id: str) -> Reply:
    caller, requested, last_event_id = current_caller(game_id), query(_QUERY), version_header("Last-Event-ID")
    form = _form(current_call().environ.get("HTTP_ACCEPT"))
    if form != STREAM:
        _refuse_what_is_for_streams(requested)
    if "ticket" in requested:
        caller = admitted_caller(game_id, requested["ticket"])
    version, seat = requested.get("version"), requested.get("seat")
    looked = use_cases().views.look(game_id, caller, version, seat)
    snapshot, viewer = looked.then, looked.viewer
    if form == STREAM:
        if version is not None:
            raise invalid({"version": ["A stream takes no version; ask for JSON or NDJSON."]}, "query")
        if last_event_id is None:
            last_event_id = requested.get("lastEventId")
        return _stream(caller, snapshot, viewer, requested, last_event_id)
    after, limit = _start(snapshot, requested["after"]), requested["limit"]
    if version is None and (seconds := seconds_to_wait(requested)):
        with while_waiting(caller, snapshot.game_id):
            snapshot = when_longer(use_cases(), caller, snapshot, after, seconds)
    found = use_cases().views.visible_events(snapshot, viewer, after, limit, whole=looked.whole)
    following = found[-1]["version"] if found else after
    if form == LINES:
        parameters = "".join(
            f"&{name}={requested[name]}" for name in ("version", "seat") if name in requested
        )
        page = _lines(found, following, snapshot, parameters)
    else:
        page = answer({"events": found, "next": following, "version": snapshot.version})
    return compressed(page) if looked.is_for_all else page


def _refuse_what_is_for_streams(requested: Json) -> None:
    usual: Json = {"ticket": None, "lastEventId": None, "views": False, "events": "named"}
    usual |= {"heartbeats": False, "presence": False, "languages": ONLY_ENGLISH}
    wrong = [name for name, value in usual.items() if requested.get(name) != value]
    if wrong:
        message = f"Is for streams only: Accept: {STREAM}."
        raise invalid({name: [message] for name in wrong}, "query")


def _come_again(error: StoreUnavailable | Busy | Problem) -> Reply:
    """A stream that ends immediately and tells the client to come back: an EventSource would never recover from an
    error.
    """
    seconds = error.headers["Retry-After"] if isinstance(error, Problem) else RETRY_AFTER[error.code]
    if isinstance(error, StoreUnavailable):
        broadcast().warnings.warning("the store does not answer: %s", error.reason)
    frame = f": {error.code}\nretry: {seconds}000\n\n".encode()
    reply = text(frame, STREAM, AT_ONCE | {"Retry-After": seconds})
    reply.streams = True
    return reply


def _form(accept: str | None) -> str | None:
    if accept is None or accept in ("*/*", JSON):
        return JSON
    return parse_accept_header(accept, MIMEAccept).best_match((JSON, LINES, STREAM), JSON)


def _start(snapshot: Snapshot, after: int) -> int:
    if after > snapshot.version:
        raise VersionBeyondEnd(after, snapshot.version)
    return after


def _lines(found: list[Json], following: int, snapshot: Snapshot, parameters: str) -> Reply:
    headers = {"Cache-Control": CHECK_FIRST, "Vary": VARY}
    if following < snapshot.version:
        headers["Link"] = f'</v1/games/{snapshot.game_id}/events?after={following}{parameters}>; rel="next"'
    body = b"".join(orjson.dumps(event, option=orjson.OPT_APPEND_NEWLINE) for event in found)
    return text(body, LINES, headers)


def _stream(
    caller: Caller, snapshot: Snapshot, viewer: Viewer, requested: Json, last_event_id: int | None
) -> Reply:
    named, presence = requested["events"] == "named", requested["presence"]
    framing = Framing(requested["views"], named, presence, requested["languages"])
    seen = requested["after"] if last_event_id is None else last_event_id
    after = NO_STATE if framing.states else _start(snapshot, seen)
    if snapshot.is_settled and seen == snapshot.version:
        return empty(AT_ONCE)  # tells an EventSource not to come again
    is_shared = "ticket" in requested and caller.kind == "app"
    # Holders of a shared ticket count as spectators, not as the app.
    leave, streams = enter_stream(STRANGER if is_shared else caller, snapshot.game_id), broadcast()
    frames = server_sent_events(
        use_cases(),
        snapshot.game_id,
        viewer,
        after,
        broadcast=streams,
        caller=caller,
        framing=framing,
        confirm=_confirmation(caller, requested.get("ticket")),
        alive=sign_of_life(parts().settings.stream_heartbeat, requested),
        seen=seen,
    )
    return stream(*parts().open_streams.metered(snapshot.secrets.app, frames, leave))


def _confirmation(caller: Caller, ticket: str | None) -> Callable[[Snapshot], None] | None:
    """A check that raises Unauthorized once the ticket, or the app's key, is no longer valid; None if there
    is neither.
    """
    if ticket is not None:
        tickets = use_cases().tickets
        return lambda snapshot: tickets.confirm(snapshot, ticket)
    if caller.key_id is not None:
        callers = use_cases().callers
        return lambda _: callers.confirm(caller)
    return None
