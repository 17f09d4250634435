"""Players: everything stored about one, the name that people are shown, and erasure."""

from domain.lifecycle import Json
from events.features.players.players import Player
from service.http.blueprint import Answer, ApiBlueprint
from service.http.request_context import current_caller, use_cases
from service.http.request_parsing import checked, json_body, query
from service.http.responses import NO_STORE, VARY, Reply, answer, empty
from service.http.schemas import players as shapes
from service.http.schemas.common.queries import NoQuery
from service.http.schemas.players import PlayerNameQuery, PlayerQuery

players = ApiBlueprint("Players", "The names of players. Events contain opaque ids instead.")

_NO_QUERY, _PLAYER_QUERY, _NAME_QUERY = NoQuery(), PlayerQuery(), PlayerNameQuery()
_CHANGED = shapes.ChangedPlayer()
_PROBLEMS = ("not-found", "unauthorized", "forbidden", "store-unavailable")


@players.operation(
    "GET",
    "/v1/players/{player_id}",
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
    `recent_games` is a page of all the player's games.
    """
    app = use_cases().callers.acting_app(current_caller())
    wanted = query(_PLAYER_QUERY)
    return answer(_document(app, use_cases().players.get(app, player_id), **wanted), cache=NO_STORE)


def _document(app: str, player: Player, limit: int = 20, cursor: str | None = None) -> Json:
    leaderboards = use_cases().leaderboards
    games, following = leaderboards.games_of(app, player.id, limit, cursor)
    links = {"self": f"/v1/players/{player.id}", "games": f"/v1/games?player={player.id}"}
    return {
        "player_id": player.id,
        "player": player.name,
        "display_name": player.display_name,
        "created_at": player.created_at,
        "ratings": leaderboards.of(app, player.id),
        "recent_games": {"game_ids": games, "next": following},
        "links": links,
    }


@players.operation(
    "GET",
    "/v1/players",
    summary="Find a player by name",
    query=_NAME_QUERY,
    answers={200: Answer("The player, if there is one.", {"application/json": shapes.PlayersFound()})},
    problems=("unauthorized", "forbidden", "store-unavailable"),
)
def find_player() -> Reply:
    """The player whom the app has given this name, with all that GET /v1/players/{player_id} shows; an empty list if
    there is none. Names that differ in spaces, or in Unicode's form, are the same.
    """
    app = use_cases().callers.acting_app(current_caller())
    found = use_cases().players.named(app, query(_NAME_QUERY)["player"])
    return answer({"players": [] if found is None else [_document(app, found)]}, cache=NO_STORE)


@players.operation(
    "PATCH",
    "/v1/players/{player_id}",
    summary="Change a player",
    body=_CHANGED,
    answers={200: Answer("The player.", {"application/json": shapes.Player()})},
    problems=_PROBLEMS,
)
def change_player(player_id: str) -> Reply:
    """Changes the name that people are shown. Views, lists, events and the leaderboard show it beside `player`, within
    10 seconds, in games that are over, too. It is erased with the player.
    """
    app = use_cases().callers.acting_app(current_caller())
    query(_NO_QUERY)
    wanted = checked(_CHANGED, json_body(_CHANGED))
    changed = use_cases().players.rename(app, player_id, wanted["display_name"])
    return answer(_document(app, changed), cache=NO_STORE)


@players.operation(
    "DELETE",
    "/v1/players/{player_id}",
    summary="Erase a player",
    answers={204: Answer("The name is erased.", {})},
    problems=_PROBLEMS,
)
def erase_player(player_id: str) -> Reply:
    """Destroys the name, its encryption key and the player's ratings. Games in which the player waits for others are
    aborted, a ticket of quick match is cancelled, and there are no rematches. Other games keep the player's id, go on
    and verify as before; the ratings of others stay as they are. This cannot be undone: the same name given again is
    another player. A second request gets 404.
    """
    app = use_cases().callers.acting_app(current_caller())
    query(_NO_QUERY)
    use_cases().erasure.erase(app, player_id)
    return empty({"Cache-Control": NO_STORE, "Vary": VARY})
