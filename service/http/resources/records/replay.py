"""Replays of a game, and forks that go on from one of its versions."""

from domain.lifecycle import Json
from events.features.games.forks import WantedFork
from events.log.snapshot import Snapshot
from service.http.blueprint import Answer, ApiBlueprint
from service.http.compression import compressed
from service.http.request_context import admit_fork, admit_player, current_caller, keyed_request, use_cases
from service.http.request_parsing import checked, entity_tags, json_body, meant, query
from service.http.resources.games.games import answer_created, expiry, seats_of
from service.http.responses import Reply, answer, etag, not_modified
from service.http.schemas.common.queries import NoQuery
from service.http.schemas.games import events as shapes
from service.http.schemas.games.requests import NewFork
from service.http.schemas.games.responses import NewlyForked
from service.http.schemas.records import ReplayQuery

replay = ApiBlueprint("Replay", "Replay a game, or fork it.")

_REPLAY_QUERY, _NO_QUERY, _NEW_FORK = ReplayQuery(), NoQuery(), NewFork()


@replay.operation(
    "GET",
    "/v1/games/{game_id}/replay",
    summary="Replay a game",
    query=_REPLAY_QUERY,
    headers=("If-None-Match",),
    answers={
        200: Answer("A page of steps.", {"application/json": shapes.ReplayPage()}, ("ETag",)),
        304: Answer("Not modified.", {}, ("ETag",)),
    },
    problems=("not-found", "busy", "store-unavailable"),
    foreign=True,
)
def replay_game(game_id: str) -> Reply:
    """A step is a decision with all events that follow from it, and the view after them, as the caller saw it at
    that time. Once the game is over, `seat` shows it as any seat saw it, or with nothing hidden (`all`). Use `next`
    as `after` for the next page.
    """
    caller, parameters, known = current_caller(game_id), query(_REPLAY_QUERY), entity_tags("If-None-Match")
    application = use_cases()
    viewpoint = application.views.look(game_id, caller, None, parameters.get("seat"))
    version, label = viewpoint.then.version, viewpoint.label or "spectator"
    if known is not None and known.name(etag(version, label)):
        return not_modified(version, label)

    def view(after: Snapshot) -> Json:
        return application.views.game_document(after, viewpoint.viewer, whole=viewpoint.whole, past=True)

    steps = application.replays.page(viewpoint, parameters["after"], parameters["limit"])
    page = {
        "items": application.replays.documents(steps, viewpoint, view),
        "next": steps[-1].after.version if steps else parameters["after"],
        "version": version,
    }
    document = answer(page, version=version, label=label)
    return compressed(document) if viewpoint.is_for_all else document


@replay.operation(
    "POST",
    "/v1/games/{game_id}/fork",
    summary="Fork a game",
    body=_NEW_FORK,
    headers=("Idempotency-Key",),
    answers={
        201: Answer(
            "The new game and its origin.",
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
        "rated-game",
        "unknown-bot",
        "conflict",
        "idempotency-mismatch",
        "game-ended",
        "busy",
        "store-unavailable",
    ),
    limited="forks",
)
def fork_game(game_id: str) -> Reply:
    """Creates a new, unrated game with its own seed. A fork of a finished game continues from exactly the same
    position, hidden cards included. A running game can only be forked by a seat, with `resample: true`: every card that
    the seat could not know at that version is drawn anew from those that are possible, so the fork reveals nothing; one
    that counts for ratings cannot be forked before it is over (`rated-game`). The first event of the fork names its
    origin. A seat's fork belongs to no app. It is removed at `expires_at`, and the seats of a game can have a limited
    number of such forks, forks of forks included. With an `Idempotency-Key` the same request gets the same response
    again, as for a new game, and 410 once that fork is gone. Without a seat's token it requires an app key if the
    service has any.
    """
    caller = current_caller(game_id)
    admit_player("forks", caller)
    query(_NO_QUERY)
    body = json_body(_NEW_FORK)
    wanted = checked(_NEW_FORK, body)
    seats, remotes = seats_of(wanted["seats"]) if "seats" in wanted else (None, {})
    fork = WantedFork(wanted["version"], wanted["resample"], seats, wanted["visibility"], remotes)
    sent = keyed_request(meant(body, wanted))
    forks = use_cases().forks
    created, origin = forks.fork(game_id, caller, fork, sent, approve=admit_fork)
    new = created.snapshot
    until = forks.kept_until(new.game_id, new.secrets.first_origin)
    return answer_created(created, origin=origin, **expiry(until))
