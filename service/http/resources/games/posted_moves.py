# compiled into serving
"""A posted move, from the request to the answer: players' most frequent request."""

from typing import Any

from domain.errors import DomainError
from domain.game import Game, Rules
from domain.lifecycle import Json
from events.features.games.moves import Preview
from events.log.notation import Languages
from service.http.call import current_call
from service.http.request_context import calling_seat, use_cases
from service.http.request_parsing import (
    NO_VERSION,
    EntityTags,
    checked,
    entity_tags,
    idempotency_key,
    json_body,
)
from service.http.responses import NO_STORE, Reply, answer
from service.http.schemas.of_each_game import GAME_SCHEMAS, move_of


def played(game_id: str, dry_run: bool, languages: Languages) -> Reply:
    """Play the move in the request's body, or with `dry_run` only preview it. Returns the answer."""
    application = use_cases()
    views, moves = application.views, application.moves
    known = views.seen(game_id)
    seat, caller = calling_seat(game_id, known)
    if known is None:
        known = views.known(game_id)
    game = known.game
    current_call().game = game.name
    key = idempotency_key()
    document, move = _posted(game, is_keyed=key is not None)
    tags = entity_tags("If-Match")
    version, turn = (None, None) if tags is None else _wanted(game_id, tags)
    if dry_run:
        views.open_game(game_id, caller)
        return _previewed(moves.preview(game_id, seat, document, if_match=version, if_turn=turn))
    holder = caller.token_hash
    done = moves.play(
        game_id,
        seat,
        document,
        known=known,
        move=move,
        key=key,
        if_match=version,
        if_turn=turn,
        holder=holder,
    )
    return answer(
        moves.played_json(done, seat, languages), 201, version=done.snapshot.version, cache=NO_STORE
    )


def _posted(game: Game, *, is_keyed: bool) -> tuple[Json, Any]:
    """The checked body, and the parsed move; None for the move if the body has the form of one but means none.

    The schema accepts every move that a strict parser accepts, and reads nulls in the same way (tests check both). So
    the schema checks only moves that such a parser refuses, because its messages name every wrong member. Meaningless
    nulls are removed only if an idempotency key stands for the document.
    """
    name = game.name
    shape = move_of(name)
    body = json_body(shape)
    if GAME_SCHEMAS[name].parser_is_strict and isinstance(body, dict):
        move = None if is_keyed and not _is_bare(body) else _parsed(game, body)
        if move is not None:
            return body, move
        document = shape.cleared(body)
        move = None if document is None else _parsed(game, document)
        if document is not None and move is not None:
            return document, move
    return checked(shape, body), None


def _parsed(game: Rules, document: Json) -> Any:
    """The move that the document means; None if it means none."""
    try:
        return game.parse_move(document)
    except DomainError:
        return None


def _is_bare(body: Json) -> bool:
    """True if the body has no nulls and no nested objects, like most moves, and so nothing to remove."""
    return not any(value is None or type(value) is dict for value in body.values())


def _wanted(game_id: str, tags: EntityTags) -> tuple[int | None, int | None]:
    """The version and the turn_version at which the move may be made, None for any; a list of tags is compared with the
    game.
    """
    if tags.anything:
        return None, None
    if len(tags.texts) > 1:
        now = use_cases().views.snapshot(game_id)
        if now.turn_version in tags.turns:
            return None, now.turn_version
        return now.version if now.version in tags.strong else NO_VERSION, None
    if tags.turns:
        return None, tags.turns[0]
    return tags.strong[0] if tags.strong else NO_VERSION, None


def _previewed(preview: Preview) -> Reply:
    events = [event.document for event in preview.events]
    document = {"dry_run": True, "version": preview.version, "complete": preview.complete, "events": events}
    return answer(document, cache=NO_STORE)
