"""Players: what an app has told the engine about them, and how it is erased."""

from werkzeug.wrappers import Response

from service.http.blueprint import Answer, ApiBlueprint
from service.http.request_context import current_caller, use_cases
from service.http.request_parsing import query
from service.http.responses import NO_STORE, VARY, Reply, answer, empty
from service.http.schemas.queries import NoQuery, PlayerQuery
from service.http.schemas.responses import games as shapes

players = ApiBlueprint("Players", "The names of players. Events contain opaque ids instead.")

_NO_QUERY, _PLAYER_QUERY = NoQuery(), PlayerQuery()
_PROBLEMS = ("not-found", "unauthorized", "forbidden", "store-unavailable")


@players.operation(
    "GET",
    "/v1/players/<player_id:player_id>",
    summary="Get a player",
    query=_PLAYER_QUERY,
    answers={
        200: Answer("Everything that is stored about the player.", {"application/json": shapes.Player()})
    },
    problems=_PROBLEMS,
)
def view_player(player_id: str) -> Reply:
    """A player is created with the first game or seat in which the app uses a new name. A player of another app is
    not found. `ratings` has a member for each game and time class in which the player has a rated game;
    `recent_games` is a page of all the player's games. Requires an app key if the service has any.
    """
    app = use_cases().callers.acting_app(current_caller())
    wanted = query(_PLAYER_QUERY)
    player = use_cases().players.get(app, player_id)
    rankings = use_cases().rankings
    games, following = rankings.games_of(app, player_id, **wanted)
    links = {"self": f"/v1/players/{player_id}", "games": f"/v1/games?player={player_id}"}
    document = {
        "player_id": player.id,
        "player": player.name,
        "created_at": player.created_at,
        "ratings": rankings.of(app, player_id),
        "recent_games": {"game_ids": games, "next": following},
        "links": links,
    }
    return answer(document, cache=NO_STORE)


@players.operation(
    "DELETE",
    "/v1/players/<player_id:player_id>",
    summary="Erase a player",
    answers={204: Answer("The name is erased.", {})},
    problems=_PROBLEMS,
)
def erase_player(player_id: str) -> Response:
    """Destroys the name, its encryption key and the player's ratings. Games in which the player waits for others are
    aborted, a ticket of quick match is cancelled, and there are no rematches. Other games keep the player's id, go on
    and verify as before; the ratings of others stay as they are. This cannot be undone: the same name given again is
    another player. A second request gets 404, because the service no longer knows whose player it was. Requires an app
    key if the service has any.
    """
    app = use_cases().callers.acting_app(current_caller())
    query(_NO_QUERY)
    use_cases().erasure.erase(app, player_id)
    return empty(204, {"Cache-Control": NO_STORE, "Vary": VARY})
