"""A game seen again, and gone on with from a former version."""

from werkzeug.wrappers import Response

from domain.lifecycle import Json
from events.log.snapshot import Snapshot
from events.use_cases.forks import WantedFork
from service.http.blueprint import Answer, ApiBlueprint
from service.http.request_context import current_caller, keyed_request, use_cases
from service.http.request_parsing import checked, entity_tags, json_body, meant, query
from service.http.resources.games import answer_created, seats_of
from service.http.responses import answer, etag, not_modified
from service.http.schemas.games import NewFork
from service.http.schemas.queries import NoQuery, ReplayQuery
from service.http.schemas.responses import events as shapes
from service.http.schemas.responses.games import NewlyForked

replay = ApiBlueprint("Replay", "Looking back at a game, and going on from there.")

_REPLAY_QUERY, _NO_QUERY, _NEW_FORK = ReplayQuery(), NoQuery(), NewFork()


@replay.operation(
    "GET",
    "/v1/games/<game_id:game_id>/replay",
    summary="The game, step by step",
    query=_REPLAY_QUERY,
    headers=("If-None-Match",),
    answers={
        200: Answer("A page of steps.", {"application/json": shapes.ReplayPage()}, ("ETag",)),
        304: Answer("The caller has this page already.", {}, ("ETag",)),
    },
    problems=("not-found", "busy", "store-unavailable"),
    foreign=True,
)
def replay_game(game_id: str) -> Response:
    """Each step is what somebody decided with all that followed from it, and the view after it: as the caller saw it
    at that time, or with the eyes of `seat` (0, 1 or `all`) if the game is over by now. `next` is what `after` is for
    the next page.
    """
    caller, asked, known = current_caller(game_id), query(_REPLAY_QUERY), entity_tags("If-None-Match")
    application = use_cases()
    seen = application.views.look(game_id, caller, None, asked.get("seat"))
    version, label = seen.then.version, seen.label or "spectator"
    if known is not None and known.name(etag(version, label)):
        return not_modified(version, label)

    def view(after: Snapshot) -> Json:
        return application.views.game_document(after, seen.viewer, whole=seen.whole)

    steps = application.replays.page(seen, asked["after"], asked["limit"])
    page = {
        "items": application.replays.documents(steps, seen, view),
        "next": steps[-1].after.version if steps else asked["after"],
        "version": version,
    }
    return answer(page, version=version, label=label)


@replay.operation(
    "POST",
    "/v1/games/<game_id:game_id>/fork",
    summary="Go on from a version of the game",
    body=_NEW_FORK,
    headers=("Idempotency-Key",),
    answers={
        201: Answer(
            "The new game, as when a game is created, and its origin.",
            {"application/json": NewlyForked()},
            ("Location", "ETag"),
        )
    },
    problems=(
        "not-found",
        "game-not-started",
        "game-running",
        "game-over",
        "within-a-move",
        "impossible-position",
        "unknown-bot",
        "idempotency-mismatch",
        "busy",
        "store-unavailable",
    ),
)
def fork_game(game_id: str) -> Response:
    """A new, unrated game with a seed of its own. Of a game that is over it goes on from exactly what was there, the
    order of the deck included. Of a game that runs only a seat may fork, with `resample: true`: then every card that
    the seat could not know at that version is drawn anew from what it may know, so that the fork tells nothing of the
    true ones. Its first event names the origin. With an `Idempotency-Key` the same request gets the same answer again,
    as when a game is created. Without a seat's token it needs an app key where the service has any.
    """
    caller = current_caller(game_id)
    query(_NO_QUERY)
    given = json_body(_NEW_FORK)
    wanted = checked(_NEW_FORK, given)
    seats, remotes = seats_of(wanted["seats"]) if "seats" in wanted else (None, {})
    told = WantedFork(wanted["version"], wanted["resample"], seats, wanted["visibility"], remotes)
    created, origin = use_cases().forks.fork(game_id, caller, told, keyed_request(meant(given, wanted)))
    return answer_created(created, origin=origin)
