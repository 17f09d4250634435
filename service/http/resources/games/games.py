"""Games: creating, joining, listing and looking at them."""

from contextlib import nullcontext
from typing import Any

from domain.bot import Budget
from domain.lifecycle import Json, Seat
from events.engine.access import ANONYMOUS
from events.engine.new_game import Created, NewGame
from events.errors import Forbidden, GameNotFound, InviteVoid
from events.features.metadata import merged
from events.features.own_data.records import NOTHING, OwnData, OwnDataChange
from events.features.presence.presence import connected, show_connected
from events.log.ratings.unrated import APP
from events.log.snapshot import Snapshot
from service.http.blueprint import Answer, ApiBlueprint
from service.http.request_context import (
    admit,
    cite_rules,
    current_caller,
    guessing,
    keyed_request,
    seconds_to_wait,
    use_cases,
    while_waiting,
)
from service.http.request_parsing import checked, entity_tags, json_body, meant, query
from service.http.responses import NO_STORE, Reply, answer, etag, not_modified
from service.http.schemas import own_data as shapes_of_own_data
from service.http.schemas.common.queries import NoQuery
from service.http.schemas.games import responses as shapes
from service.http.schemas.games.queries import ListQuery, SeatQuery, ViewQuery
from service.http.schemas.games.requests import NewGame as NewGameShape
from service.http.schemas.games.requests import NewHolder, TakenSeat
from service.http.streaming import when_changed

games = ApiBlueprint("Games", "Create, join, list and view games.")

_NEW_GAME, _TAKEN_SEAT, _NEW_HOLDER = NewGameShape(), TakenSeat(), NewHolder()
_CHANGED = shapes_of_own_data.ChangedGame()
_VIEW_QUERY, _LIST_QUERY, _NO_QUERY, _SEAT_QUERY = ViewQuery(), ListQuery(), NoQuery(), SeatQuery()


@games.operation(
    "POST",
    "/v1/games",
    summary="Create a game",
    body=_NEW_GAME,
    body_required=False,
    headers=("Idempotency-Key",),
    answers={
        201: Answer(
            "The game, with the tokens of its human seats and the new secrets of its remote seats.",
            {"application/json": shapes.NewlyCreated()},
            ("Location", "ETag"),
        )
    },
    problems=(
        "unknown-bot",
        "unknown-game",
        "bad-deck",
        "conflict",
        "external-id-taken",
        "idempotency-mismatch",
        "store-unavailable",
        "unauthorized",
        "forbidden",
    ),
    limited="games",
)
def create_game() -> Reply:
    """Every member has a default: without a body, the response is a private game of the default game with its usual
    seats. Only this response contains the tokens of the seats. With an `Idempotency-Key` the same request gets the
    same response again as long as the game exists, without the tokens that were reissued since; if the request
    carries no token, also without the tokens of seats that have moved. A `remote` seat is played by a bot of yours:
    the service sends the position to its `url` in a POST request signed by Standard Webhooks, and the bot answers
    `{"move": ...}`.
    """
    caller = current_caller()
    app = use_cases().callers.acting_app(caller)
    admit("games", caller)
    query(_NO_QUERY)
    body = json_body(_NEW_GAME, optional=True)
    cite_rules(body.get("game") if isinstance(body, dict) else None)
    wanted = checked(_NEW_GAME, body)
    if wanted.get("rated") and app == ANONYMOUS:
        raise Forbidden(
            "`rated` can only be true where an app with a key says who has brought the players together."
        )
    own, sent = _own_data(wanted), keyed_request(meant(body, wanted))
    return answer_created(use_cases().creation.create(app, _new_game(wanted), sent, own), own)


def _own_data(wanted: Json) -> OwnData:
    given = {
        number: merged({}, seat.get("metadata"), "seats")
        for number, seat in enumerate(wanted.get("seats", ()))
    }
    seats = {number: metadata for number, metadata in given.items() if metadata}
    return OwnData(wanted.get("external_id"), wanted.get("metadata", {}), seats)


def _new_game(wanted: Json) -> NewGame:
    parameters: dict[str, Any] = {name: wanted[name] for name in ("game", "options", "visibility", "joining")}
    if "seats" in wanted:
        parameters["seats"], parameters["remotes"] = seats_of(wanted["seats"])
    for name in ("setup", "clock", "rated"):
        if name in wanted:
            parameters[name] = wanted[name]
    if wanted.get("rated"):
        parameters["pairing"] = APP
    return NewGame(**parameters)


def seats_of(wanted: list[Json]) -> tuple[tuple[Seat, ...], dict[int, tuple[str, str | None]]]:
    """Seats of a new game, and their hidden part: the URLs and secrets of remote seats' bots."""
    hidden = ("url", "secret", "metadata")
    seats = [{name: value for name, value in seat.items() if name not in hidden} for seat in wanted]
    for seat in seats:
        if "budget" in seat:
            seat["budget"] = Budget(**seat["budget"])
    remotes = {
        number: (seat["url"], seat.get("secret"))
        for number, seat in enumerate(wanted)
        if seat["kind"] == "remote"
    }
    return tuple(Seat(**seat) for seat in seats), remotes


def answer_created(created: Created, own: OwnData = NOTHING, **members: Any) -> Reply:
    """201: the game with the app's own data, its secrets, which are never shown again, and further members."""
    view = use_cases().views.game_document(created.snapshot, None)
    document: Json = {name: view[name] for name in shapes.CREATED_MEMBERS if name in view}
    for seat, token in created.tokens.items():
        document["seats"][seat]["token"] = token
    for seat, secret in created.secrets.items():
        document["seats"][seat]["secret"] = secret
    document |= _clock(view)
    document["fairness"] = {"commitment": view["fairness"]["commitment"]}
    document["links"] = links(view["id"])
    own.show(document)
    return answer(
        document | members,
        201,
        version=view["version"],
        cache=NO_STORE,
        headers={"Location": document["links"]["self"]},
    )


def _clock(view: Json) -> Json:
    """The member of a game with a clock."""
    return {"clock": view["clock"]} if "clock" in view else {}


def expiry(until: str | None) -> Json:
    """The member of a game that will be removed."""
    return {} if until is None else {"expires_at": until}


def links(game_id: str) -> Json:
    """Addresses of a game's resources."""
    at = f"/v1/games/{game_id}"
    return {"self": at, "moves": f"{at}/moves", "legal_moves": f"{at}/legal-moves", "events": f"{at}/events"}


@games.operation(
    "GET",
    "/v1/games",
    summary="List games",
    query=_LIST_QUERY,
    answers={200: Answer("A page of games.", {"application/json": shapes.GamesPage()})},
    problems=("unauthorized", "forbidden", "store-unavailable"),
)
def list_games() -> Reply:
    """A page may be short, or empty, before the last one, where few of many games pass the filters."""
    app = use_cases().callers.acting_app(current_caller())
    page = use_cases().listing.page(app, **query(_LIST_QUERY))
    return answer({"games": page.games, "next": page.cursor})


@games.operation(
    "GET",
    "/v1/games/{game_id}/seats/{seat}",
    summary="Get a seat",
    query=_SEAT_QUERY,
    answers={200: Answer("The seat.", {"application/json": shapes.SeatDetails()}, ("ETag",))},
    problems=("not-found", "busy", "store-unavailable"),
    foreign=True,
)
def view_seat(game_id: str, seat: int) -> Reply:
    """The game before somebody takes a seat of it, for everybody who may take it: the rules, the commitment to the
    engine's seed, the client seeds of taken seats, and the head, which binds all events so far.
    """
    caller, is_signed = current_caller(game_id), query(_SEAT_QUERY)["signed"]
    application = use_cases()
    snapshot = application.seats.look(game_id, seat, caller)
    view = application.views.game_document(snapshot, None)
    shown = {name: view[name] for name in ("game", "status", "version", "setup", "options", "fairness")}
    shown |= _clock(view) | {"links": links(game_id), "head": snapshot.stream_head.head}
    signed = application.heads.signed(snapshot) if is_signed else None
    if is_signed:
        shown["key_id"] = None if signed is None else signed.key_id
        shown["signature"] = None if signed is None else signed.signature
    label = "" if signed is None else signed.key_id
    return answer(view["seats"][seat] | shown, version=view["version"], label=label)


@games.operation(
    "POST",
    "/v1/games/{game_id}/seats/{seat}",
    summary="Take an open seat",
    body=_TAKEN_SEAT,
    headers=("Idempotency-Key",),
    answers={
        201: Answer(
            "The seat, with its token.", {"application/json": shapes.SeatWithToken()}, ("Location", "ETag")
        )
    },
    problems=(
        "not-found",
        "seat-taken",
        "game-over",
        "forbidden",
        "conflict",
        "idempotency-mismatch",
        "busy",
        "store-unavailable",
    ),
)
def take_seat(game_id: str, seat: int) -> Reply:
    """The game's `joining` says which callers may take a seat. With `open`, everybody may who may see the game; if no
    app keys are configured, these are all who know its id. With `invite`, the first caller may who sends an invite to
    the seat; with `app`, the game's own app. An invite that is used, expired, revoked, or for another seat or game gets
    403; a caller who may not see the game gets 404, as without an invite. The game starts when its last open seat is
    taken. Only this response contains the token. With an `Idempotency-Key` the same request gets the same response
    again; if it carries no token, only until the seat has moved, so that a leaked key does not give away the seat.
    """
    caller = current_caller(game_id)
    query(_NO_QUERY)
    body = json_body(_TAKEN_SEAT)
    wanted = checked(_TAKEN_SEAT, body)
    client_seed, sent = wanted.get("client_seed"), keyed_request(meant(body, wanted) | {"seat": seat})
    invite = wanted.get("invite")
    # an app may pass on codes that other people typed
    may_guess = invite is not None and caller.kind != "app"
    with guessing(InviteVoid, GameNotFound) if may_guess else nullcontext():
        after, token = use_cases().seats.take(
            game_id, seat, wanted["player"], client_seed, caller, sent, invite
        )
    return _answer_seated(game_id, seat, after, token)


@games.operation(
    "POST",
    "/v1/games/{game_id}/seats/{seat}/token",
    summary="Reissue the token of a seat",
    answers={
        201: Answer(
            "The seat, with its new token.",
            {"application/json": shapes.SeatWithToken()},
            ("Location", "ETag"),
        )
    },
    problems=("not-found", "game-over", "no-more-tokens", "conflict", "store-unavailable"),
)
def reissue_token(game_id: str, seat: int) -> Reply:
    """For the game's own app, if a player has lost the seat's token. The former token is void at once, and only
    this response contains the new one. The event `seat_token_reissued` tells everybody who sees the game that the
    seat may have another holder. Each request issues a new token, up to 20 for a seat.
    """
    caller = current_caller(game_id)
    use_cases().callers.acting_app(caller)
    query(_NO_QUERY)
    return _answer_seated(game_id, seat, *use_cases().seats.reissue(game_id, seat, caller))


@games.operation(
    "POST",
    "/v1/games/{game_id}/seats/{seat}/hand-over",
    summary="Hand a seat over",
    body=_NEW_HOLDER,
    answers={
        201: Answer(
            "The seat, with its new token.",
            {"application/json": shapes.SeatWithToken()},
            ("Location", "ETag"),
        )
    },
    problems=(
        "not-found",
        "forbidden",
        "game-over",
        "no-more-tokens",
        "conflict",
        "busy",
        "store-unavailable",
    ),
)
def hand_over_seat(game_id: str, seat: int) -> Reply:
    """The seat's player, or the game's own app, gives the seat to another player. The former token is void at once, and
    only this response contains the new one. The event `seat_handed_over` names the new player, and the app if it
    decided so. For ratings a player who gives the seat of a running game away has lost. A seat can be handed over up to
    20 times.
    """
    caller = current_caller(game_id)
    query(_NO_QUERY)
    wanted = checked(_NEW_HOLDER, json_body(_NEW_HOLDER))
    after, token = use_cases().seats.hand_over(game_id, seat, wanted["player"], caller)
    return _answer_seated(game_id, seat, after, token)


def _answer_seated(game_id: str, seat: int, after: Snapshot, token: str) -> Reply:
    """201: the seat with its token, which is never shown again."""
    view = use_cases().views.game_document(after, None)
    document = view["seats"][seat] | {"token": token, "status": view["status"], "version": view["version"]}
    document["links"] = links(game_id)
    return answer(
        document, 201, version=after.version, cache=NO_STORE, headers={"Location": document["links"]["self"]}
    )


@games.operation(
    "GET",
    "/v1/games/{game_id}",
    summary="Get the view of a game",
    query=_VIEW_QUERY,
    headers=("If-None-Match",),
    answers={
        200: Answer("The view.", {"application/json": shapes.GameView()}, ("ETag",)),
        304: Answer("Not modified.", {}, ("ETag",)),
    },
    problems=("not-found", "busy", "store-unavailable"),
    foreign=True,
)
def view_game(game_id: str) -> Reply:
    """A seat sees its own cards, such as its hand. Everybody else, also an app, gets a spectator's view. Once the game
    is over, everybody sees everything. `state` is null until the game starts. With `version` the response is the view
    of that time, with the players' names of today, and without `connected`; add `seat` to see more of a finished game.
    A clock is shown at the time of the response, which its `now` tells: it runs on while the version, and so the ETag,
    stays. `connected` changes without a new version, too: to follow it, ask without `If-None-Match`, or take a stream
    of states. So do `external_id` and `metadata`, which the game's app alone sees.
    """
    caller, parameters, known = current_caller(game_id), query(_VIEW_QUERY), entity_tags("If-None-Match")
    application, seat = use_cases(), parameters.get("seat")
    viewpoint = application.views.look(game_id, caller, parameters.get("version"), seat)
    snapshot, label = viewpoint.then, "" if seat is None else viewpoint.label
    if (
        known is not None
        and "version" not in parameters
        and seat is None
        and (seconds := seconds_to_wait(parameters))
    ):
        with while_waiting(caller, game_id):
            snapshot = when_changed(application, caller, snapshot, known, seconds)
    if known is not None and known.name(etag(snapshot.version, label)):
        return not_modified(snapshot.version, label)
    past = "version" in parameters
    view = application.views.game_document(snapshot, viewpoint.viewer, whole=viewpoint.whole, past=past)
    if not past and view["status"] != "finished":
        standing = application.presence.look(game_id)
        show_connected(view, connected(standing))
        application.claims.show(view, snapshot, standing)
    if not past:
        application.leaderboards.show(view, snapshot, caller)
    application.own_data.seen_by(caller, snapshot).show(view)
    return answer(view, version=snapshot.version, label=label)


@games.operation(
    "PATCH",
    "/v1/games/{game_id}",
    summary="Change the app's data about a game",
    body=_CHANGED,
    answers={200: Answer("The data.", {"application/json": shapes_of_own_data.GameOwnData()})},
    problems=("not-found", "external-id-taken", "busy", "store-unavailable"),
)
def change_game(game_id: str) -> Reply:
    """Its `external_id`, and the metadata of the game and its seats, which its own app alone changes and sees. Members
    and keys that are left out stay. The game gets no event and no new version.
    """
    caller = current_caller(game_id)
    use_cases().callers.acting_app(caller)
    query(_NO_QUERY)
    wanted = checked(_CHANGED, json_body(_CHANGED))
    seats = {seat["seat"]: seat["metadata"] for seat in wanted.pop("seats", ())}
    game, own = use_cases().own_data.change(game_id, caller, OwnDataChange(wanted, seats))
    document = {
        "id": game_id,
        "external_id": own.external_id,
        "metadata": own.metadata,
        "seats": [
            {"seat": seat, "metadata": own.seats.get(seat, {})} for seat in range(len(game.status.seats))
        ],
    }
    return answer(document, cache=NO_STORE)
