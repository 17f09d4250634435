"""Claiming the win from a player who is away."""

from service.http.blueprint import Answer, ApiBlueprint
from service.http.request_context import calling_seat, keyed_request, use_cases
from service.http.request_parsing import query
from service.http.responses import NO_STORE, Reply, answer
from service.http.schemas.common.queries import LanguagesQuery
from service.http.schemas.games.events import PlayedMove

claims = ApiBlueprint("Claims", "Wins claimed from players who are away.")

_QUERY = LanguagesQuery()


@claims.operation(
    "POST",
    "/v1/games/{game_id}/claim",
    summary="Claim the win",
    query=_QUERY,
    headers=("Idempotency-Key",),
    token="required",
    answers={
        200: Answer("What was caused, and the game after it.", {"application/json": PlayedMove()}, ("ETag",))
    },
    problems=(
        "not-found",
        "game-not-started",
        "game-over",
        "time-is-up",
        "nothing-to-claim",
        "conflict",
        "idempotency-mismatch",
        "busy",
        "store-unavailable",
    ),
    foreign=True,
)
def claim_win(game_id: str) -> Reply:
    """From `claimable_at` on: the seat to act was not connected for `claim_after` seconds without an event. It loses as
    by a timeout (`win_claimed`, then `game_ended`).
    """
    seat, caller = calling_seat(game_id)
    languages = query(_QUERY)["languages"]
    done = use_cases().claims.claim(game_id, seat, caller, keyed_request({}))
    document = use_cases().moves.played_json(done, seat, languages)
    return answer(document, version=done.snapshot.version, cache=NO_STORE)
