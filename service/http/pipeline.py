# compiled into serving
"""The pipeline: the steps of every request, in their order, whether the short way or Flask found its route.

A request finds its route without Flask (`service.http.routing.short_way`) or by Flask's router (`service.http.app`).
Then the steps that admit it run, its view, and the steps that check the answer, until one of them refuses. The steps
that write the answer always run.
"""

from collections.abc import Callable
from typing import Final

from service.http.admission.hosts import refuse_impossible_host
from service.http.admission.preconditions import refuse_other_than_wanted, refuse_unread
from service.http.call import REQUEST_ID, Call
from service.http.operations.request_metrics import note_answer
from service.http.parts import parts
from service.http.refusals import refuse
from service.http.request_context import refuse_foreign_page
from service.http.responses import NO_BODY, Reply


def check_host(call: Call) -> None:
    """Refuse a request whose Host header cannot name a host."""
    refuse_impossible_host(call.environ)


def keep_pace(call: Call) -> None:
    """Count the request, and refuse it if its caller has sent too many."""
    pace = parts().pace
    if pace is not None and call.found.route.paced:
        pace.count(call)


def check_origin(call: Call) -> None:
    """Refuse a page of another site, unless app keys identify callers or the operation is open to such pages."""
    if not call.found.route.foreign:
        refuse_foreign_page()


def check_conditions(call: Call) -> None:
    """Refuse a change with a condition (If-Match, If-None-Match) that the view does not read."""
    environ, reads = call.environ, call.found.route.reads
    if reads is not None and ("HTTP_IF_MATCH" in environ or "HTTP_IF_NONE_MATCH" in environ):
        refuse_unread(environ, reads)


def check_tag(call: Call) -> None:
    """Refuse an answer whose entity tag is not the one that If-Match names."""
    if "HTTP_IF_MATCH" in call.environ:
        refuse_other_than_wanted(call.environ, call.reply)


def write_length(call: Call) -> None:
    """Add the length of the body, if it is known and the status allows a body."""
    reply = call.reply
    if reply.pieces is None and reply.status not in NO_BODY:
        reply.lines += f"Content-Length: {len(reply.body)}\r\n"


def write_origin(call: Call) -> None:
    """Add `Vary: Origin` if answers may depend on the page that asks."""
    if parts().are_answers_by_origin:
        call.reply.vary("Origin")


def write_quota(call: Call) -> None:
    """Add the rest of the limit that the request was counted for, unless the answer has it already."""
    if call.quota and "RateLimit: " not in call.reply.lines:
        call.reply.lines += call.quota


def write_request_id(call: Call) -> None:
    """Add the id by which logs name the request."""
    call.reply.lines += f"{REQUEST_ID}: {call.request_id}\r\n"


def write_readers(call: Call) -> None:
    """Add the sites whose pages may read the answer."""
    call.reply.lines += parts().cors.lines(call.environ)


def note(call: Call) -> None:
    """Count the answer in the metrics, and note it in the access log."""
    note_answer(call, parts().access_log)


Step = Callable[[Call], None]

ADMIT: Final[tuple[Step, ...]] = (
    check_host,
    keep_pace,
    check_origin,
    check_conditions,
)
# The view checks the caller's rights, the query and the body, and answers.
CHECK: Final[tuple[Step, ...]] = (check_tag,)
WRITE: Final[tuple[Step, ...]] = (
    write_length,
    write_origin,
    write_quota,
    write_request_id,
    write_readers,
    note,
)


def run(call: Call) -> Reply:
    """The answer to a request with a known route, complete with its headers."""
    try:
        for step in ADMIT:
            step(call)
        call.reply = call.found.route.view(**call.found.parameters)
        for step in CHECK:
            step(call)
    except Exception as error:  # noqa: BLE001 -- every error is answered
        call.reply = refuse(error)
    for step in WRITE:
        step(call)
    return call.reply
