"""A game seen again, and gone on with from a former version."""

from werkzeug.wrappers import Response

from events.replay import step_document
from service.answers import answer, etag, not_modified
from service.callers import caller, use_cases
from service.reading import entity_tags, query
from service.schemas import answers as shapes
from service.schemas.queries import ReplayQuery
from service.topic import Answer, Topic

replay = Topic("Replay", "Looking back at a game, and going on from there.")

_REPLAY_QUERY = ReplayQuery()


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
    problems=("not-found", "store-unavailable"),
)
def replay_game(game_id: str) -> Response:
    """Each step is what somebody decided with all that followed from it, and the view after it: as the caller saw it
    at that time, or with the eyes of `seat` (0, 1 or `all`) if the game is over by now. `next` is what `after` is for
    the next page.
    """
    asker, asked, known = caller(game_id), query(_REPLAY_QUERY), entity_tags("If-None-Match")
    application = use_cases()
    seen = application.look(game_id, asker, None, asked.get("seat"))
    version, eyes = seen.then.version, seen.eyes or "spectator"
    if known is not None and known.name(etag(version, eyes)):
        return not_modified(version, eyes)
    steps = application.replays.page(seen, asked["after"], asked["limit"])
    page = {
        "items": [step_document(step, seen) for step in steps],
        "next": steps[-1].after.version if steps else asked["after"],
        "version": version,
    }
    return answer(page, version=version, eyes=eyes)
