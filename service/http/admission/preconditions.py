"""Conditions of a caller on what it reads or changes, the same for every resource (RFC 9110, 13)."""

from collections.abc import Collection
from typing import Final
from wsgiref.types import WSGIEnvironment

from werkzeug.wrappers import Response

from service.http.call import current_call
from service.http.problems import Problem
from service.http.request_parsing import entity_tags
from service.http.responses import Reply

READS: Final = ("GET", "HEAD")
CHANGES: Final = ("POST", "PUT", "PATCH", "DELETE")
CONDITIONS: Final = {"If-Match": "HTTP_IF_MATCH", "If-None-Match": "HTTP_IF_NONE_MATCH"}
NOT_MODIFIED: Final = 304


def refuse_other_than_wanted(environ: WSGIEnvironment, reply: Reply) -> None:
    """Problem "precondition-failed" if If-Match does not name the entity tag of the document that was read."""
    if environ["REQUEST_METHOD"] not in READS:
        return
    if not (200 <= reply.status < 300 or reply.status == NOT_MODIFIED):
        return
    try:
        refuse_another(dict(reply.headers).get("ETag"))
    except Problem:
        reply.close()
        raise


def refuse_unread(environ: WSGIEnvironment, read: Collection[str]) -> None:
    """Problem "precondition-failed" for a change with a condition that its operation does not check.

    `read` are the headers that the operation reads. `If-Match: *` is allowed: it asks only that the resource exists,
    which every operation checks.
    """
    if environ["REQUEST_METHOD"] not in CHANGES:
        return
    for name, field in CONDITIONS.items():
        value = environ.get(field)
        if value is None or name in read or (name == "If-Match" and value.strip(" \t") == "*"):
            continue
        which = "Of all requests that change something only moves read If-Match, and none reads If-None-Match"
        raise Problem(
            "precondition-failed",
            f"This request does not read {name}, so it did nothing: send it without. {which}.",
        )


def refuse_another(there: str | None) -> None:
    """Problem "precondition-failed" if If-Match names another entity tag than `there`; None matches only `*`.

    A view that changes something calls this before the change; for all others the answer is checked.
    """
    wanted = entity_tags("If-Match")
    if wanted is None or wanted.anything or (there is not None and wanted.name_strongly(there)):
        return
    what = "There is no entity tag" if there is None else f"The entity tag is {there}"
    raise Problem("precondition-failed", f"{what}, and If-Match names another.")


def unless_known(response: Response) -> Response:
    """A response with an entity tag; 304 without its body where If-None-Match names that."""
    environ = current_call().environ
    return response.make_conditional({name: environ[name] for name in environ if name != "HTTP_IF_MATCH"})
