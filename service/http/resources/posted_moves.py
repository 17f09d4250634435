"""A posted move, from the request to the answer: what a game's players ask for most."""

from typing import Any

from domain.errors import DomainError
from domain.game import Game
from domain.lifecycle import Json
from events.use_cases.moves import Preview
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
from service.http.schemas.registry import GAME_SCHEMAS, move_of


def played(game_id: str, dry_run: bool) -> Reply:
    """Play the move in the request's body, or with `dry_run` only try it; the answer to that."""
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
    expected = None if tags is None else _version_of(game_id, tags)
    if dry_run:
        views.open_game(game_id, caller)
        return _previewed(moves.preview(game_id, seat, document, if_match=expected))
    holder = caller.token_hash
    done = moves.play(
        game_id, seat, document, known=known, move=move, key=key, if_match=expected, holder=holder
    )
    return answer(moves.played_json(done, seat), 201, version=done.snapshot.version, cache=NO_STORE)


def _posted(game: Game, *, is_keyed: bool) -> tuple[Json, Any]:
    """The move in the body, checked, and what it means; None if it has the form of a move and is none.

    What a strict parser takes, the schema takes too, and to both a null means the same (tests hold them to that). So
    the schema is only shown what such a parser refuses, for its messages name every member that is wrong. The nulls
    that mean nothing are only cleared where the document itself counts: a key stands for it.
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


def _parsed(game: Game, document: Json) -> Any:
    """Move that the document means; None if it is none."""
    try:
        return game.parse_move(document)
    except DomainError:
        return None


def _is_bare(body: Json) -> bool:
    """True if it has no nulls and no further objects, as most moves, and so nothing to clear."""
    return not any(value is None or type(value) is dict for value in body.values())


def _version_of(game_id: str, tags: EntityTags) -> int | None:
    """The one version at which the move may be made; a list of tags needs a look at the game."""
    if tags.anything:
        return None
    if len(tags.strong) < 2:
        return tags.strong[0] if tags.strong else NO_VERSION
    current = use_cases().views.snapshot(game_id).version
    return current if current in tags.strong else NO_VERSION


def _previewed(preview: Preview) -> Reply:
    events = [event.document for event in preview.events]
    document = {"dry_run": True, "version": preview.version, "complete": preview.complete, "events": events}
    return answer(document, cache=NO_STORE)
