"""Rematches: the same game again for the same players."""

from domain.lifecycle import Json
from events.features.rematches.rematches import RematchStatus
from service.http.blueprint import Answer, ApiBlueprint
from service.http.request_context import (
    admit_player,
    calling_seat,
    current_caller,
    refuse_foreign_page,
    use_cases,
)
from service.http.request_parsing import bearer_token, query
from service.http.resources.games.games import expiry, links
from service.http.responses import NO_STORE, VARY, Reply, answer, empty
from service.http.schemas.common.queries import NoQuery
from service.http.schemas.rematches import Rematch

rematches = ApiBlueprint("Rematches", "The same game again, each player one seat further.")

_NO_QUERY = NoQuery()
_ANSWERS = {200: Answer("How the rematch stands.", {"application/json": Rematch()})}
_PROBLEMS = ("not-found", "forbidden", "game-running", "no-rematch", "busy", "store-unavailable")


@rematches.operation(
    "POST",
    "/v1/games/{game_id}/rematch",
    summary="Ask for a rematch",
    answers=_ANSWERS,
    problems=(*_PROBLEMS, "unknown-bot"),
    limited="games",
    foreign=True,
)
def ask_for_rematch(game_id: str) -> Reply:
    """For the seats of a finished game, and for its app. A seat that asks agrees; bots agree by themselves. As soon as
    all have agreed, there is a new game with the same options, in which everybody sits one seat further. The game's own
    app decides at once. There is one rematch of a game, however often anybody asks. Each seat gets its new token from
    its own request, with its former token: from this one if the game has begun, later by asking again. Consent lasts
    for a week, and for 5 minutes if the game has a clock of the class `rapid` or `live`. The rematch of a seat's fork
    is removed at its `expires_at`, and then there is no other one.
    """
    caller = current_caller(game_id)
    if caller.seat is None:
        refuse_foreign_page()
    admit_player("games", caller)
    query(_NO_QUERY)
    return _answered(game_id, use_cases().rematches.ask(game_id, caller, bearer_token()))


@rematches.operation(
    "GET",
    "/v1/games/{game_id}/rematch",
    summary="Get a rematch",
    answers=_ANSWERS,
    problems=_PROBLEMS,
    foreign=True,
)
def view_rematch(game_id: str) -> Reply:
    """Shows everybody who may watch the first game which seats agree, and the id of the new game once it has begun. A
    seat that has agreed finds its token here.
    """
    caller = current_caller(game_id)
    query(_NO_QUERY)
    return _answered(game_id, use_cases().rematches.look(game_id, caller, bearer_token()))


@rematches.operation(
    "DELETE",
    "/v1/games/{game_id}/rematch",
    summary="Withdraw consent to a rematch",
    token="required",
    answers={204: Answer("The seat does not agree.", {})},
    problems=(*_PROBLEMS, "conflict", "unauthorized"),
    foreign=True,
)
def withdraw_rematch(game_id: str) -> Reply:
    """A seat of the first game may do this until the rematch begins."""
    _, caller = calling_seat(game_id)
    query(_NO_QUERY)
    use_cases().rematches.withdraw(game_id, caller)
    return empty({"Cache-Control": NO_STORE, "Vary": VARY})


def _answered(game_id: str, status: RematchStatus) -> Reply:
    match: Json | None = None
    if status.game_id is not None:
        until = use_cases().forks.kept_until(status.game_id, status.first_origin)
        match = {
            "id": status.game_id,
            "seat": status.seat,
            "token": status.token,
            **expiry(until),
            "links": links(status.game_id),
        }
    document = {"rematch_of": game_id, "agreed": list(status.agreed), "missing": list(status.missing)}
    return answer(document | {"match": match}, cache=NO_STORE)
