"""Quick match: a partner for each player who asks, or a bot if nobody comes."""

from typing import Final

from domain.lifecycle import Json
from events.features.apps.scopes import WRITE
from events.features.matchmaking.quick_match import QuickMatchTicket, Wanted
from service.http.blueprint import Answer, ApiBlueprint
from service.http.request_context import (
    admit,
    current_caller,
    keyed_request,
    seconds_to_wait,
    use_cases,
    while_waiting,
)
from service.http.request_parsing import checked, json_body, meant, query
from service.http.resources.games.games import links
from service.http.responses import NO_STORE, VARY, Reply, answer, empty
from service.http.schemas.common.queries import NoQuery
from service.http.schemas.matchmaking import USUAL_WAIT, MatchQuery, MatchTicket, WantedMatch

quick_match = ApiBlueprint("Quick match", "A partner for each player who wants one.")

_WANTED, _MATCH_QUERY, _NO_QUERY = WantedMatch(), MatchQuery(), NoQuery()
_PATH: Final = "/v1/quick-match/{ticket}"
_PROBLEMS: Final = ("unauthorized", "forbidden", "busy", "store-unavailable")


@quick_match.operation(
    "POST",
    "/v1/quick-match",
    summary="Join quick match",
    body=_WANTED,
    headers=("Idempotency-Key",),
    answers={
        201: Answer(
            "The ticket, and the game if there was a partner.",
            {"application/json": MatchTicket()},
            ("Location",),
        )
    },
    problems=(*_PROBLEMS, "unknown-game", "unknown-bot", "already-waiting", "idempotency-mismatch"),
    limited="games",
)
def join_quick_match() -> Reply:
    """Pairs two players of the app who want the same game with the same options and clock, and whose ratings are within
    each other's `range`; of several, the nearest. The game starts at once. A player without a partner waits, and asks
    with the ticket. A ticket that nobody asks for is gone after 60 seconds. `cancelled` means that the partner was
    erased just now. Send an `Idempotency-Key`: a repeat then gets the same ticket, as long as it is there, and no
    partner is lost with a response.
    """
    caller = current_caller()
    app = use_cases().callers.acting_app(caller)
    admit("games", caller)
    query(_NO_QUERY)
    body = json_body(_WANTED)
    wanted = checked(_WANTED, body)
    sent = keyed_request(meant(body, wanted))
    state = use_cases().quick_match.join(
        app,
        Wanted(
            player=wanted["player"],
            game=wanted["game"],
            options=wanted["options"],
            visibility=wanted["visibility"],
            client_seed=wanted.get("client_seed"),
            rating=wanted.get("rating"),
            reach=wanted.get("range"),
            bot=wanted.get("bot"),
            patience=wanted.get("bot_after", USUAL_WAIT),
            clock=wanted.get("clock"),
        ),
        sent,
    )
    headers = {"Location": f"/v1/quick-match/{state.ticket}"}
    return answer(_document(state), 201, cache=NO_STORE, headers=headers)


@quick_match.operation(
    "GET",
    _PATH,
    summary="Get a ticket of quick match",
    query=_MATCH_QUERY,
    answers={200: Answer("How it stands.", {"application/json": MatchTicket()})},
    problems=(*_PROBLEMS, "not-found", "rate-limited"),
    scope=WRITE,
)
def view_match(ticket: str) -> Reply:
    """Matched, the response has the game, the ticket's seat and its token, for an hour. The bot, if one was wanted,
    steps in once its time has come and somebody asks; while the app has as many running games as it may, it does not,
    and the response is 429.
    """
    caller = current_caller()
    app = use_cases().callers.acting_app(caller)
    seconds = seconds_to_wait(query(_MATCH_QUERY))
    if seconds == 0:
        return answer(_document(use_cases().quick_match.look(app, ticket)), cache=NO_STORE)
    with while_waiting(caller):
        state = use_cases().quick_match.look(app, ticket, seconds)
    use_cases().callers.confirm(caller)
    return answer(_document(state), cache=NO_STORE)


@quick_match.operation(
    "DELETE",
    _PATH,
    summary="Leave quick match",
    answers={204: Answer("The player waits no longer.", {})},
    problems=(*_PROBLEMS, "not-found", "already-matched"),
)
def cancel_match(ticket: str) -> Reply:
    """Nobody is paired with the player after this response. If somebody was before, it is 409 `already-matched`."""
    app = use_cases().callers.acting_app(current_caller())
    query(_NO_QUERY)
    use_cases().quick_match.cancel(app, ticket)
    return empty({"Cache-Control": NO_STORE, "Vary": VARY})


def _document(state: QuickMatchTicket) -> Json:
    game, match = state.game, None
    if game is not None:
        match = {
            "id": game.game_id,
            "seat": state.seat,
            "token": state.token,
            "links": links(game.game_id),
        }
    return {
        "ticket": state.ticket,
        "status": state.status,
        "created_at": state.since,
        "expires_at": state.expires_at,
        "rating": state.rating,
        "range": state.reach,
        "match": match,
    }
