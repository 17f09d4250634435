"""Tickets: rights to open a stream, for pages, because a browser's EventSource sends no headers."""

from events.features.apps.scopes import READ
from service.http.blueprint import Answer, ApiBlueprint
from service.http.request_context import current_caller, use_cases
from service.http.request_parsing import checked, json_body, query
from service.http.responses import NO_STORE, VARY, Reply, answer, empty
from service.http.schemas.queries import NoQuery
from service.http.schemas.tickets import NewTicket, WantedTicket

tickets = ApiBlueprint("Tickets", "Streams for browsers, which send no token with one.")


_WANTED, _NO_QUERY = WantedTicket(), NoQuery()


@tickets.operation(
    "POST",
    "/v1/games/{game_id}/tickets",
    summary="Get a ticket for a stream",
    body=_WANTED,
    body_required=False,
    answers={201: Answer("The ticket.", {"application/json": NewTicket()})},
    problems=("not-found", "busy", "store-unavailable"),
    foreign=True,
    scope=READ,
)
def issue_ticket(game_id: str) -> Reply:
    """Give a caller who may watch the game a ticket for one view: the seat's own, or a spectator's. Only the event
    stream accepts it, as `?ticket=`, and as often as the page connects. It is no token: it plays no move and reads
    nothing else. It is void once it expires, once the token of the seat that asked for it is reissued, and once that
    seat or the app revokes its tickets. Nothing is stored of it.
    """
    caller = current_caller(game_id)
    query(_NO_QUERY)
    wanted = checked(_WANTED, json_body(_WANTED, optional=True))
    ticket = use_cases().tickets.issue(game_id, caller, wanted.get("view"), wanted["expires_in"])
    document = {
        "ticket": ticket.text,
        "viewer": ticket.viewer,
        "expires_at": ticket.expires_at,
        "stream": f"/v1/games/{game_id}/events?ticket={ticket.text}",
    }
    return answer(document, 201, cache=NO_STORE)


@tickets.operation(
    "DELETE",
    "/v1/games/{game_id}/tickets",
    summary="Revoke tickets",
    token="required",
    answers={204: Answer("The tickets are void.", {})},
    problems=("not-found", "unauthorized", "forbidden", "busy", "store-unavailable"),
    foreign=True,
    scope=READ,
)
def revoke_tickets(game_id: str) -> Reply:
    """Revokes every ticket of this game that the caller, a seat or the game's app, has asked for until now. From then
    on no stream opens with one of these tickets. Open streams get nothing more after a second, and end within 15
    seconds.
    """
    caller = current_caller(game_id)
    query(_NO_QUERY)
    use_cases().tickets.revoke(game_id, caller)
    return empty({"Cache-Control": NO_STORE, "Vary": VARY})
