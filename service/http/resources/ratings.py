"""The leaderboards of an app's players and bots."""

from domain.clocks.options import NO_CLOCK
from service.http.blueprint import Answer, ApiBlueprint
from service.http.request_context import current_caller, use_cases
from service.http.request_parsing import query
from service.http.responses import NO_STORE, Reply, answer
from service.http.schemas.ratings import Leaderboard, LeaderboardQuery

leaderboards = ApiBlueprint("Ratings", "How strong the players of an app and the bots are.")

_QUERY = LeaderboardQuery()


@leaderboards.operation(
    "GET",
    "/v1/leaderboard",
    summary="Get a leaderboard",
    query=_QUERY,
    answers={200: Answer("A page of the leaderboard.", {"application/json": Leaderboard()})},
    problems=("unknown-game", "unauthorized", "forbidden", "store-unavailable"),
)
def view_leaderboard() -> Reply:
    """The players of the app, and the bots that they met or that met each other in its games, rated by OpenSkill in
    this game and time class. A game counts once its result is confirmed, if it is `rated` and everybody at the table
    can be told apart: players whom the app named, and bots. Guests do not count. A player whose rating changes between
    two pages may come twice or not at all.
    """
    app = use_cases().callers.acting_app(current_caller())
    wanted = query(_QUERY)
    leaderboards, game = use_cases().leaderboards, wanted["game"]
    there = leaderboards.time_classes(app, game)
    wanted.setdefault("time_class", there[0] if there and NO_CLOCK not in there else NO_CLOCK)
    entries, following = leaderboards.page(app, **wanted)
    shown = {"game": game, "time_class": wanted["time_class"], "time_classes": there}
    return answer(shown | {"entries": entries, "next": following}, cache=NO_STORE)
