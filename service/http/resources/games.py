"""Games: creating, joining, listing and looking at them."""

from typing import Any

from werkzeug.wrappers import Response

from domain.lifecycle import Json, Seat
from events.games.new_game import Created, NewGame
from events.log.snapshot import Snapshot
from service.http.blueprint import Answer, ApiBlueprint
from service.http.request_context import current_caller, in_crowd, keyed_request, seconds_to_wait, use_cases
from service.http.request_parsing import checked, entity_tags, json_body, meant, query
from service.http.responses import NO_STORE, answer, etag, not_modified
from service.http.schemas.games import NewGame as NewGameShape
from service.http.schemas.games import TakenSeat
from service.http.schemas.queries import ListQuery, NoQuery, ViewQuery
from service.http.schemas.responses import games as shapes
from service.http.streaming import when_changed

games = ApiBlueprint("Games", "Creating, joining, listing and looking at games.")

_NEW_GAME, _TAKEN_SEAT = NewGameShape(), TakenSeat()
_VIEW_QUERY, _LIST_QUERY, _NO_QUERY = ViewQuery(), ListQuery(), NoQuery()


@games.operation(
    "POST",
    "/v1/games",
    summary="Create a game",
    body=_NEW_GAME,
    body_required=False,
    headers=("Idempotency-Key",),
    answers={
        201: Answer(
            "The game, with a token for each human seat, and the new secrets of remote ones.",
            {"application/json": shapes.NewlyCreated()},
            ("Location", "ETag"),
        )
    },
    problems=(
        "unknown-bot",
        "unknown-game",
        "bad-deck",
        "idempotency-mismatch",
        "store-unavailable",
        "unauthorized",
        "forbidden",
    ),
)
def create_game() -> Response:
    """Everything has a default: an empty body makes a private game of one human against the bot `greedy`. The seats'
    tokens are in this answer alone; with an `Idempotency-Key` the same request gets the same answer again, as long as
    the game exists, less each token that was issued anew since, and for a request without a token of its own less that
    of each seat that has moved. A `remote` seat is played by a bot of your own: when it must
    act, its `url` gets a POST of the position, signed by Standard Webhooks, and answers `{"move": ...}`. Needs an app
    key where the service has any.
    """
    app = use_cases().callers.acting_app(current_caller())
    query(_NO_QUERY)
    given = json_body(_NEW_GAME, optional=True)
    wanted = checked(_NEW_GAME, given)
    return answer_created(
        use_cases().creation.create(app, _new_game(wanted), keyed_request(meant(given, wanted)))
    )


def _new_game(wanted: Json) -> NewGame:
    asked: dict[str, Any] = {name: wanted[name] for name in ("game", "options", "visibility")}
    if "seats" in wanted:
        asked["seats"], asked["remotes"] = seats_of(wanted["seats"])
    if "setup" in wanted:
        asked["setup"] = wanted["setup"]
    return NewGame(**asked)


def seats_of(wanted: list[Json]) -> tuple[tuple[Seat, ...], dict[int, tuple[str, str | None]]]:
    """Who is to sit where, and what nobody is to see of it: where the bots of remote seats are, and their secrets."""
    hidden = ("url", "secret")
    seats = [{name: value for name, value in seat.items() if name not in hidden} for seat in wanted]
    remotes = {
        number: (seat["url"], seat.get("secret"))
        for number, seat in enumerate(wanted)
        if seat["kind"] == "remote"
    }
    return tuple(Seat(**seat) for seat in seats), remotes


def answer_created(created: Created, **members: Any) -> Response:
    """201: the game with what is never shown again, and further members."""
    view = use_cases().views.game_document(created.snapshot, None)
    document = {name: view[name] for name in shapes.CREATED_MEMBERS}
    for seat, token in created.tokens.items():
        document["seats"][seat]["token"] = token
    for seat, secret in created.secrets.items():
        document["seats"][seat]["secret"] = secret
    document["fairness"] = {"commitment": view["fairness"]["commitment"]}
    document["links"] = links(view["id"])
    return answer(
        document | members,
        201,
        version=view["version"],
        cache=NO_STORE,
        headers={"Location": document["links"]["self"]},
    )


def links(game_id: str) -> Json:
    """Where a game's resources are."""
    at = f"/v1/games/{game_id}"
    return {"self": at, "moves": f"{at}/moves", "legal_moves": f"{at}/legal-moves", "events": f"{at}/events"}


@games.operation(
    "GET",
    "/v1/games",
    summary="The app's games, newest first",
    query=_LIST_QUERY,
    answers={200: Answer("A page of games.", {"application/json": shapes.GamesPage()})},
    problems=("unauthorized", "forbidden", "store-unavailable"),
)
def list_games() -> Response:
    """`next` is the cursor of the page after this one, or null. Needs an app key where the service has any."""
    app = use_cases().callers.acting_app(current_caller())
    page = use_cases().listing.page(app, **query(_LIST_QUERY))
    return answer({"games": page.games, "next": page.cursor})


@games.operation(
    "GET",
    "/v1/games/<game_id:game_id>/seats/<seat:seat>",
    summary="A seat, before it is taken",
    answers={200: Answer("The seat.", {"application/json": shapes.SeatDetails()}, ("ETag",))},
    problems=("not-found", "busy", "store-unavailable"),
    foreign=True,
)
def view_seat(game_id: str, seat: int) -> Response:
    """What to know before sitting down: the rules, whether the deck was set up instead of shuffled, the commitment to
    the engine's seed, and the client seeds of the seats that are taken. Whoever may take the seat may ask, also where
    the game is private and may not be looked at.
    """
    caller = current_caller(game_id)
    query(_NO_QUERY)
    application = use_cases()
    view = application.views.game_document(application.seats.look(game_id, seat, caller), None)
    shown = {name: view[name] for name in ("game", "status", "version", "setup", "options", "fairness")}
    return answer(view["seats"][seat] | shown | {"links": links(game_id)}, version=view["version"])


@games.operation(
    "POST",
    "/v1/games/<game_id:game_id>/seats/<seat:seat>",
    summary="Take an open seat",
    body=_TAKEN_SEAT,
    headers=("Idempotency-Key",),
    answers={
        201: Answer(
            "The seat, with its token.", {"application/json": shapes.SeatWithToken()}, ("Location", "ETag")
        )
    },
    problems=("not-found", "seat-taken", "conflict", "idempotency-mismatch", "busy", "store-unavailable"),
)
def take_seat(game_id: str, seat: int) -> Response:
    """Whoever may see the game may sit down; where no app keys are configured, so may whoever knows its id. The
    game starts with its last open seat; the token is in this answer alone. With an `Idempotency-Key` the same request
    gets the same answer again; one that carries no token only until the seat has moved, so that nobody who learns the
    key later gets the seat by it. If an answer is lost for good, the game's app can have the token issued anew.
    """
    caller = current_caller(game_id)
    query(_NO_QUERY)
    given = json_body(_TAKEN_SEAT)
    wanted = checked(_TAKEN_SEAT, given)
    client_seed, sent = wanted.get("client_seed"), keyed_request(meant(given, wanted) | {"seat": seat})
    after, token = use_cases().seats.take(game_id, seat, wanted["player"], client_seed, caller, sent)
    return _answer_seated(game_id, seat, after, token)


@games.operation(
    "POST",
    "/v1/games/<game_id:game_id>/seats/<seat:seat>/token",
    summary="A new token for a seat",
    answers={
        201: Answer(
            "The seat, with its new token.",
            {"application/json": shapes.SeatWithToken()},
            ("Location", "ETag"),
        )
    },
    problems=("not-found", "game-over", "no-more-tokens", "conflict", "store-unavailable"),
)
def reissue_token(game_id: str, seat: int) -> Response:
    """For the game's own app, whose player has lost the token, or never got it: the seat's former token is void at
    once, and this answer alone has the new one. Whoever can see the game is told by an event, `seat_token_reissued`,
    for somebody else may hold the seat now. Sent again, it issues another token, up to 20 for a seat in one game. Needs
    an app key where the service has any.
    """
    caller = current_caller(game_id)
    use_cases().callers.acting_app(caller)
    query(_NO_QUERY)
    return _answer_seated(game_id, seat, *use_cases().seats.reissue(game_id, seat, caller))


def _answer_seated(game_id: str, seat: int, after: Snapshot, token: str) -> Response:
    """201: the seat with its token, which is never shown again."""
    view = use_cases().views.game_document(after, None)
    document = view["seats"][seat] | {"token": token, "status": view["status"], "version": view["version"]}
    document["links"] = links(game_id)
    return answer(
        document, 201, version=after.version, cache=NO_STORE, headers={"Location": document["links"]["self"]}
    )


@games.operation(
    "GET",
    "/v1/games/<game_id:game_id>",
    summary="The game as the caller may see it",
    query=_VIEW_QUERY,
    headers=("If-None-Match",),
    answers={
        200: Answer("The view.", {"application/json": shapes.GameView()}, ("ETag",)),
        304: Answer("The caller has this version already.", {}, ("ETag",)),
    },
    problems=("not-found", "rate-limited", "busy", "store-unavailable"),
    foreign=True,
)
def view_game(game_id: str) -> Response:
    """A seat sees its own hand, everybody else (an app too) what a spectator sees; once the game is over everybody
    sees everything. `state` is null while the game waits for players. With `version` the view is the one of that time,
    to the byte, whatever has happened since; only with `seat` it shows more of a game that is over by now.
    """
    caller, asked, known = current_caller(game_id), query(_VIEW_QUERY), entity_tags("If-None-Match")
    application, seat = use_cases(), asked.get("seat")
    seen = application.views.look(game_id, caller, asked.get("version"), seat)
    snapshot, label = seen.then, "" if seat is None else seen.label
    if known is not None and "version" not in asked and seat is None and (seconds := seconds_to_wait(asked)):
        with in_crowd(caller):
            snapshot = when_changed(application, caller, snapshot, known, seconds)
    if known is not None and known.name(etag(snapshot.version, label)):
        return not_modified(snapshot.version, label)
    view = application.views.game_document(snapshot, seen.viewer, whole=seen.whole)
    return answer(view, version=snapshot.version, label=label)
