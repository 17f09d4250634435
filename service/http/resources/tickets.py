"""Tickets: rights in an address, which opens a stream, or a table in a frame."""

from urllib.parse import quote

from events.features.apps.scopes import READ
from service.http.admission.origins import FRAMES, framing_origin
from service.http.blueprint import Answer, ApiBlueprint
from service.http.parts import parts
from service.http.problems import invalid
from service.http.request_context import admit, calling_seat, current_caller, guessing, use_cases
from service.http.request_parsing import bearer_token, checked, idempotency_key, json_body, query
from service.http.responses import NO_STORE, VARY, Reply, answer, empty
from service.http.schemas.common.queries import NoQuery
from service.http.schemas.tickets import (
    NewEmbedTicket,
    NewTicket,
    Redeemed,
    WantedEmbedTicket,
    WantedTicket,
)

tickets = ApiBlueprint("Tickets", "Streams for browsers, which send no token with one.")


_WANTED, _EMBED, _NO_QUERY = WantedTicket(), WantedEmbedTicket(), NoQuery()


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


@tickets.operation(
    "POST",
    "/v1/games/{game_id}/embed-tickets",
    summary="Get a table for a frame",
    body=_EMBED,
    token="required",
    answers={201: Answer("The frame.", {"application/json": NewEmbedTicket()})},
    problems=("not-found", "busy", "store-unavailable"),
    foreign=True,
    limited="games",
)
def issue_embed_ticket(game_id: str) -> Reply:
    """The address of a frame in which the seat is played. Its ticket is good once, for two minutes."""
    seat, caller = calling_seat(game_id)
    query(_NO_QUERY)
    wanted = checked(_EMBED, json_body(_EMBED))["parent"]
    admit("games", caller)
    parent = framing_origin(parts().settings, wanted)
    if parent is None:
        raise invalid({"parent": [f"{FRAMES} does not list this origin."]}, "body")
    ticket = use_cases().embed_tickets.issue(game_id, seat, caller, bearer_token() or "")
    frame = f"/embed/{game_id}?parent={quote(parent, safe=':/')}&ticket={ticket.text}"
    return answer({"frame": frame, "expires_at": ticket.expires_at}, 201, cache=NO_STORE)


@tickets.operation(
    "POST",
    "/v1/games/{game_id}/embed-tickets/redeem",
    summary="Open a frame",
    headers=("Idempotency-Key",),
    token="required",
    answers={200: Answer("The seat.", {"application/json": Redeemed()})},
    problems=("not-found", "busy", "store-unavailable"),
    foreign=True,
)
def redeem_embed_ticket(game_id: str) -> Reply:
    """For the frame itself, which shows its ticket as a token: the token of the seat, once. The same `Idempotency-Key`
    gets it again.
    """
    query(_NO_QUERY)
    key = idempotency_key()
    with guessing():
        seat, token = use_cases().embed_tickets.redeem(game_id, bearer_token() or "", key)
    return answer({"seat": seat, "token": token}, 200, cache=NO_STORE)
