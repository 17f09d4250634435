"""Decisions of a game's own app about it, when its players cannot or will not end it themselves."""

from events.engine.access import Caller
from events.features.interventions import Verdict
from events.log.snapshot import Snapshot
from service.http.blueprint import Answer, ApiBlueprint
from service.http.request_context import current_caller, keyed_request, use_cases
from service.http.request_parsing import checked, json_body, meant, query
from service.http.responses import NO_STORE, Reply, answer
from service.http.schemas.common.queries import NoQuery
from service.http.schemas.games.responses import GameView
from service.http.schemas.interventions import Adjudication, Substitute

interventions = ApiBlueprint("Interventions", "What a game's own app may decide about it.")

_ADJUDICATION, _SUBSTITUTE, _NO_QUERY = Adjudication(), Substitute(), NoQuery()
_AFTER = {
    200: Answer("The game after it, as a spectator sees it.", {"application/json": GameView()}, ("ETag",))
}
_PROBLEMS = ("not-found", "game-over", "conflict", "idempotency-mismatch", "busy", "store-unavailable")


@interventions.operation(
    "POST",
    "/v1/games/{game_id}/abort",
    summary="Abort a game",
    headers=("Idempotency-Key",),
    answers=_AFTER,
    problems=_PROBLEMS,
)
def abort_game(game_id: str) -> Reply:
    """For the game's own app: ends a game that waits for players or is played, without a result. Its `status` is
    `finished`, its `result` null, and `aborted` is true. It is not rated and not scored. The event `game_aborted`
    names the app.
    """
    caller = _app(game_id)
    return _answered(use_cases().interventions.abort(game_id, caller, keyed_request({})))


@interventions.operation(
    "POST",
    "/v1/games/{game_id}/adjudication",
    summary="Adjudicate a game",
    body=_ADJUDICATION,
    headers=("Idempotency-Key",),
    answers=_AFTER,
    problems=(*_PROBLEMS, "game-not-started"),
)
def adjudicate_game(game_id: str) -> Reply:
    """For the game's own app: ends a running game with the places that the app decides. Send the seat that wins, the
    seat that loses, or the places of all seats. The scores are those on the table. The event `game_adjudicated` names
    the app, and `game_ended` follows with the reason `adjudicated`.
    """
    caller = _app(game_id)
    body = json_body(_ADJUDICATION)
    wanted = checked(_ADJUDICATION, body)
    places = wanted.get("places")
    verdict = Verdict(wanted.get("winner"), wanted.get("loser"), None if places is None else tuple(places))
    sent = keyed_request(meant(body, wanted))
    return _answered(use_cases().interventions.adjudicate(game_id, verdict, caller, sent))


@interventions.operation(
    "POST",
    "/v1/games/{game_id}/seats/{seat}/bot",
    summary="Put a bot in a player's place",
    body=_SUBSTITUTE,
    headers=("Idempotency-Key",),
    answers=_AFTER,
    problems=(*_PROBLEMS, "unknown-bot"),
)
def replace_player(game_id: str, seat: int) -> Reply:
    """For the game's own app, if a player has left: from now on a bot of the service plays the seat, and moves at once
    if it is the seat's turn. The token of the seat becomes void, and the game stops being rated. The event
    `player_replaced` names the app and the bot.
    """
    caller = _app(game_id)
    body = json_body(_SUBSTITUTE)
    wanted = checked(_SUBSTITUTE, body)
    sent = keyed_request(meant(body, wanted))
    return _answered(use_cases().interventions.replace_player(game_id, seat, wanted["bot"], caller, sent))


def _app(game_id: str) -> Caller:
    """The app that asks. Seats are refused, and where there are app keys, so are callers without one."""
    caller = current_caller(game_id)
    use_cases().callers.acting_app(caller)
    query(_NO_QUERY)
    return caller


def _answered(after: Snapshot) -> Reply:
    """200: the game right after the decision."""
    return answer(use_cases().views.game_document(after, None), version=after.version, cache=NO_STORE)
