"""Conditions of a caller on the document that it reads, the same for every resource (RFC 9110, 13)."""

from typing import Final

from werkzeug.wrappers import Response

from service.http.call import current_call
from service.http.problems import Problem
from service.http.request_parsing import entity_tags
from service.http.responses import Reply

READS: Final = ("GET", "HEAD")
NOT_MODIFIED: Final = 304


def held(answer: Reply | Response) -> Reply | Response:
    """The answer to a request that reads, if it has an entity tag that If-Match names, or nothing else is wanted.

    Raises Problem "precondition-failed", "validation-error".
    """
    environ = current_call().environ
    if "HTTP_IF_MATCH" not in environ or environ["REQUEST_METHOD"] not in READS:
        return answer
    status = answer.status if isinstance(answer, Reply) else answer.status_code
    if not (200 <= status < 300 or status == NOT_MODIFIED):
        return answer
    try:
        refuse_another(dict(answer.headers).get("ETag"))
    except Problem:
        if isinstance(answer, Response):
            answer.close()
        raise
    return answer


def refuse_another(there: str | None) -> None:
    """Problem "precondition-failed" if If-Match names another entity tag than is `there`; None has no name but `*`.

    A view that changes something asks before it does; all others are asked when they have answered.
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
