"""Moves: posting one, and asking which there are."""

from typing import Any

from domain.errors import DomainError
from domain.game import Game
from domain.lifecycle import Json
from events.games.command_handler import Played
from events.use_cases.moves import Preview
from service.http.blueprint import Answer, ApiBlueprint
from service.http.call import current_call
from service.http.request_context import calling_seat, current_caller, use_cases
from service.http.request_parsing import (
    NO_VERSION,
    EntityTags,
    checked,
    entity_tags,
    idempotency_key,
    json_body,
    query,
)
from service.http.responses import NO_STORE, Reply, answer
from service.http.schemas.queries import MoveQuery, MovesQuery
from service.http.schemas.registry import GAME_SCHEMAS, MOVES, OfGame, move_of
from service.http.schemas.responses.events import LegalMoves, PlayedMove, PreviewedMove

moves = ApiBlueprint("Moves", "Play. Requires the token of the seat.")

_MOVE_QUERY = MoveQuery()
_MOVES_QUERY = MovesQuery()


@moves.operation(
    "POST",
    "/v1/games/<game_id:game_id>/moves",
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
        "conflict",
        "version-mismatch",
        "illegal-move",
        "idempotency-mismatch",
        "busy",
        "store-unavailable",
    ),
    foreign=True,
    hot=True,
)
def play_move(game_id: str) -> Reply:
    """All events that a move causes are appended in one step, together with the check of `If-Match` and the record
    of the `Idempotency-Key`. A repeat with the same key and body gets exactly the first response again, so after a
    503 or a lost connection it is safe to send the move again. A refused request does not use up its key. Without a
    key, a repeat is another move.
    """
    seat, caller = calling_seat(game_id)
    dry_run = query(_MOVE_QUERY)["dry_run"]
    game = use_cases().views.game_of(game_id)
    current_call().game = game.name
    document, move = _posted(game)
    key, tags = idempotency_key(), entity_tags("If-Match")
    expected = None if tags is None else _version_of(game_id, tags)
    if dry_run:
        use_cases().views.open_game(game_id, caller)
        return _previewed(use_cases().moves.preview(game_id, seat, document, if_match=expected))
    holder = caller.token_hash
    played = use_cases().moves.play(
        game_id, seat, document, move=move, key=key, if_match=expected, holder=holder
    )
    return _played(seat, played)


def _posted(game: Game) -> tuple[Json, Any]:
    """The move in the body, checked, and what it means; None if it has the form of a move and is none.

    What a strict parser takes, the schema takes too (tests hold it to that). So the schema is only shown what such a
    parser refuses, for its messages name every member that is wrong.
    """
    shape = move_of(game.name)
    body = json_body(shape)
    document = shape.cleared(body) if GAME_SCHEMAS[game.name].parser_is_strict else None
    if document is not None:
        try:
            return document, game.parse_move(document)
        except DomainError:
            pass
    return checked(shape, body), None


def _version_of(game_id: str, tags: EntityTags) -> int | None:
    """The one version at which the move may be made; a list of tags needs a look at the game."""
    if tags.anything:
        return None
    if len(tags.strong) < 2:
        return tags.strong[0] if tags.strong else NO_VERSION
    current = use_cases().views.snapshot(game_id).version
    return current if current in tags.strong else NO_VERSION


def _previewed(preview: Preview) -> Reply:
    events = [event._asdict() for event in preview.events]
    document = {"dry_run": True, "version": preview.version, "complete": preview.complete, "events": events}
    return answer(document, cache=NO_STORE)


def _played(seat: int, played: Played) -> Reply:
    document = use_cases().moves.played_document(played, seat)
    return answer(document, 201, version=played.snapshot.version, cache=NO_STORE)


@moves.operation(
    "GET",
    "/v1/games/<game_id:game_id>/legal-moves",
    summary="List the legal moves",
    query=_MOVES_QUERY,
    answers={200: Answer("The legal moves, ready to be sent.", {"application/json": LegalMoves()})},
    problems=("not-found", "busy", "store-unavailable"),
    foreign=True,
    hot=True,
)
def legal_moves(game_id: str) -> Reply:
    """Only the seat itself may ask, because the list may reveal its hand. Once the game is over, whoever may watch it
    may ask with `seat`. The list is empty if another seat is to act. Each way to make a choice that a move requires
    is an entry of its own. What may be left out of a move is not listed, nor is resigning, which is always
    possible.
    """
    parameters = query(_MOVES_QUERY)
    seat = parameters["seat"] if "seat" in parameters else calling_seat(game_id)[0]
    then = use_cases().views.look(game_id, current_caller(game_id), parameters.get("version"), seat).then
    return answer({"version": then.version, "seat": seat, "moves": use_cases().views.legal_moves(then, seat)})
