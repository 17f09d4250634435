"""The lobby: games that wait for players."""

from service.http.blueprint import Answer, ApiBlueprint
from service.http.request_context import current_caller, use_cases
from service.http.request_parsing import query
from service.http.responses import Reply, answer
from service.http.schemas.matchmaking import LobbyPage, LobbyQuery

lobby = ApiBlueprint("Lobby", "Games that wait for players.")

_LOBBY_QUERY = LobbyQuery()


@lobby.operation(
    "GET",
    "/v1/lobby",
    summary="List games that can be joined",
    query=_LOBBY_QUERY,
    answers={200: Answer("A page of games.", {"application/json": LobbyPage()})},
    problems=("unauthorized", "forbidden", "store-unavailable"),
)
def view_lobby() -> Reply:
    """The app's games that have an open seat, newest first, with their options: by default those whose `joining` is
    `open`. A seat that was taken just now may still be shown as open for a moment. A page may be shorter than
    `limit`, or empty, before the last one.
    """
    app = use_cases().callers.acting_app(current_caller())
    page = use_cases().lobby.page(app, **query(_LOBBY_QUERY))
    return answer({"games": page.games, "next": page.cursor})
