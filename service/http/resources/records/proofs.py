"""Proofs of a game: signed heads and their keys, exports, and the server's own check."""

from collections.abc import Callable, Iterator
from itertools import chain

from events.engine.access import Caller
from events.log.serialisers import is_over
from events.log.snapshot import Snapshot
from service.http.blueprint import Answer, ApiBlueprint
from service.http.compression import compressed
from service.http.request_context import admit, current_caller, enter_exports, use_cases
from service.http.request_parsing import entity_tags, query
from service.http.responses import CHECK_FIRST, VARY, Pieces, Reply, answer, etag, not_modified, text
from service.http.schemas import records as shapes
from service.http.schemas.common.queries import NoQuery, VersionQuery

audit = ApiBlueprint("Audit", "Proofs: signed heads, exports, checks.")

_NO_QUERY, _VERSION_QUERY = NoQuery(), VersionQuery()
LINES = "application/x-ndjson"
EXPORT = "A header, events, an end: each line a JSON document in canonical form."
KEYS_CACHE = "public, max-age=300"


@audit.operation(
    "GET",
    "/.well-known/migrato-keys.json",
    summary="List the keys that sign heads",
    token="none",
    answers={
        200: Answer("The public keys, the current one first.", {"application/json": shapes.PublicKeys()})
    },
    foreign=True,
)
def signing_keys() -> Reply:
    """The public keys as a JWK set (RFC 7517), former keys included. The set is empty if the service does not sign.
    If you cache the set and meet a signature by an unknown key, fetch it again.
    """
    query(_NO_QUERY)
    return answer(use_cases().heads.published(), cache=KEYS_CACHE)


@audit.operation(
    "GET",
    "/v1/games/{game_id}/head",
    summary="Get the signed head of a game",
    query=_VERSION_QUERY,
    answers={200: Answer("The head.", {"application/json": shapes.Head()}, ("ETag",))},
    problems=("not-found", "busy", "store-unavailable"),
    foreign=True,
)
def signed_head(game_id: str) -> Reply:
    """The head of the event chain after the last event, or after `version`. It is signed with Ed25519 over four
    lines: `migrato-head/1`, game id, version, head. With a stored head you can prove any later change of the events
    before it. The final head of a game is signed once. `key_id` and `signature` are null if the service does not
    sign.
    """
    caller, parameters = current_caller(game_id), query(_VERSION_QUERY)
    then = use_cases().views.open_game(game_id, caller, parameters.get("version"))
    signed = use_cases().heads.signed(then)
    document = {
        "game_id": game_id,
        "version": then.version if signed is None else signed.version,
        "head": then.stream_head.head if signed is None else signed.head,
        "key_id": None if signed is None else signed.key_id,
        "signature": None if signed is None else signed.signature,
    }
    return answer(document, version=then.version, label="" if signed is None else signed.key_id)


@audit.operation(
    "GET",
    "/v1/games/{game_id}/export",
    summary="Export a game",
    headers=("If-None-Match",),
    answers={
        200: Answer("The game in a format of exports.", {LINES: EXPORT}, ("ETag", "Content-Disposition")),
        304: Answer("Not modified.", {}, ("ETag",)),
    },
    problems=("not-found", "busy", "store-unavailable"),
    foreign=True,
    limited="records",
)
def export_game(game_id: str) -> Reply:
    """A header line, one line for each event, and a last line; each is canonical JSON. The export of a finished
    game is complete, and has the same bytes for everybody. While the game runs, the export shows what the caller
    may see.
    """
    caller, known = current_caller(game_id), entity_tags("If-None-Match")
    admit("records", caller)
    query(_NO_QUERY)
    # before the game is read, so that a caller who asks too often costs nothing
    leave = enter_exports(caller)
    try:
        snapshot = use_cases().views.open_game(game_id, caller)
        label = viewer_label(snapshot, caller)
        if known is not None and known.name(etag(snapshot.version, label)):
            leave()
            return not_modified(snapshot.version, label)
        pieces = use_cases().exports.pieces(snapshot, caller.viewer)
        first = next(pieces)  # before the answer begins, so that a store that does not answer is a 503
    except BaseException:
        leave()
        raise
    name = f"{snapshot.game.name}-{game_id}-{snapshot.version}.ndjson"
    headers = {
        "Cache-Control": CHECK_FIRST,
        "Vary": VARY,
        "ETag": etag(snapshot.version, label),
        "Content-Disposition": f'attachment; filename="{name}"',
    }
    reply = text(b"", LINES, headers)
    reply.pieces = Pieces(_and_then(chain([first], pieces), leave), pieces.close, leave)
    return compressed(reply) if caller.viewer is None or is_over(snapshot) else reply


def _and_then(pieces: Iterator[bytes], leave: Callable[[], None]) -> Iterator[bytes]:
    yield from pieces
    leave()


@audit.operation(
    "GET",
    "/v1/games/{game_id}/audit",
    summary="Verify a game on the server",
    headers=("If-None-Match",),
    answers={
        200: Answer("The checks and their results.", {"application/json": shapes.Audit()}, ("ETag",)),
        304: Answer("Not modified.", {}, ("ETag",)),
    },
    problems=("not-found", "busy", "store-unavailable"),
    foreign=True,
    limited="records",
)
def audit_game(game_id: str) -> Reply:
    """The result of `migrato verify` for the export that the caller would get. Use it for a first look: a check by
    the server itself proves nothing. For proof, download the export and verify it yourself.
    """
    caller, known = current_caller(game_id), entity_tags("If-None-Match")
    admit("records", caller)
    query(_NO_QUERY)
    snapshot = use_cases().views.open_game(game_id, caller)
    label = viewer_label(snapshot, caller)
    if known is not None and known.name(etag(snapshot.version, label)):
        return not_modified(snapshot.version, label)
    report = use_cases().exports.check(snapshot, caller.viewer)
    return answer(report.document, version=snapshot.version, label=label)


def viewer_label(snapshot: Snapshot, caller: Caller) -> str:
    """Label of an export beside its version: the viewer, and the signing key."""
    viewer = caller.viewer
    view = "whole" if is_over(snapshot) else "spectator" if viewer is None else f"seat-{viewer}"
    signed = snapshot.secrets.signature
    return view if signed is None else f"{view}-{signed.key_id}"
