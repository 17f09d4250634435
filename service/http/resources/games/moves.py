"""Moves: sending one, and listing the legal ones."""

from service.http.blueprint import Answer, ApiBlueprint
from service.http.request_context import calling_seat, current_caller, use_cases
from service.http.request_parsing import query
from service.http.resources.games.posted_moves import played
from service.http.responses import Reply, answer
from service.http.schemas.games.events import LegalMoves, PlayedMove, PreviewedMove
from service.http.schemas.games.queries import MoveQuery, MovesQuery
from service.http.schemas.of_each_game import MOVES, OfGame

moves = ApiBlueprint("Moves", "Play. Requires the token of the seat.")

_MOVE_QUERY = MoveQuery()
_MOVES_QUERY = MovesQuery()


@moves.operation(
    "POST",
    "/v1/games/{game_id}/moves",
    summary="Play a move",
    query=_MOVE_QUERY,
    body=OfGame(MOVES),
    headers=("If-Match", "Idempotency-Key"),
    token="required",
    answers={
        200: Answer(
            "With `dry_run`: the events that the move would cause.", {"application/json": PreviewedMove()}
        ),
        201: Answer("The move was played.", {"application/json": PlayedMove()}, ("ETag",)),
    },
    problems=(
        "not-found",
        "not-your-turn",
        "game-not-started",
        "game-over",
        "time-is-up",
        "conflict",
        "version-mismatch",
        "illegal-move",
        "idempotency-mismatch",
        "busy",
        "store-unavailable",
    ),
    foreign=True,
)
def play_move(game_id: str) -> Reply:
    """All events that a move causes are appended in one step, together with the check of `If-Match` and the record
    of the `Idempotency-Key`. A repeat with the same key and body gets exactly the first response again, so after a
    503 or a lost connection it is safe to send the move again. A refused request does not use up its key. Without a
    key, a repeat is another move.
    """
    asked = query(_MOVE_QUERY)
    return played(game_id, asked["dry_run"], asked["languages"])


@moves.operation(
    "GET",
    "/v1/games/{game_id}/legal-moves",
    summary="List the legal moves",
    query=_MOVES_QUERY,
    answers={200: Answer("The legal moves, ready to be sent.", {"application/json": LegalMoves()})},
    problems=("not-found", "busy", "store-unavailable"),
    foreign=True,
)
def legal_moves(game_id: str) -> Reply:
    """Only the seat itself may ask, because the list may reveal its hand. Once the game is over, everybody who may
    watch it may ask with `seat`. The list is empty if another seat is to act. Each way to make a choice that a move
    requires is an entry of its own. What may be left out of a move is not listed, nor is resigning, which is always
    possible.
    """
    parameters = query(_MOVES_QUERY)
    seat = parameters["seat"] if "seat" in parameters else calling_seat(game_id)[0]
    views = use_cases().views
    then = views.look(game_id, current_caller(game_id), parameters.get("version"), seat).then
    moves = views.legal_moves(then, seat)
    view = views.game_document(then, seat) if moves else {}
    return answer(
        {
            "version": then.version,
            "turn_version": then.turn_version,
            "seat": seat,
            "moves": moves,
            "labels": views.labels(then, moves, view, parameters["languages"]),
        }
    )
