"""Takebacks of a move, to which everybody must agree."""

from domain.takebacks.decide import AnswerTakeback
from service.http.blueprint import Answer, ApiBlueprint
from service.http.request_context import calling_seat, current_caller, keyed_request, use_cases
from service.http.request_parsing import checked, json_body, meant, query
from service.http.responses import NO_STORE, Reply, answer
from service.http.schemas.common.queries import LanguagesQuery, NoQuery
from service.http.schemas.games.events import PlayedMove
from service.http.schemas.takebacks import Takeback, TakebackWord

takebacks = ApiBlueprint(
    "Takebacks", "A move that is taken back, if all agree and nobody has learnt anything."
)

_WORD, _NO_QUERY, _QUERY = TakebackWord(), NoQuery(), LanguagesQuery()


@takebacks.operation(
    "POST",
    "/v1/games/{game_id}/takeback",
    summary="Ask to take a move back, or answer",
    query=_QUERY,
    body=_WORD,
    body_required=False,
    headers=("Idempotency-Key",),
    token="required",
    answers={
        200: Answer("What was caused, and the game after it.", {"application/json": PlayedMove()}, ("ETag",))
    },
    problems=(
        "not-found",
        "game-not-started",
        "game-over",
        "time-is-up",
        "nothing-to-take-back",
        "something-was-learnt",
        "no-more-takebacks",
        "rated-game",
        "conflict",
        "idempotency-mismatch",
        "busy",
        "store-unavailable",
    ),
    foreign=True,
)
def say_of_takeback(game_id: str) -> Reply:
    """For the seats of a running game. Without a body, the seat that has made the last move asks to take it back; with
    `agree`, another seat answers; `to_version` says which request, should another one have taken its place. As soon
    as all people who still play have agreed, the move is taken back in the same step (`moves_taken_back`); against
    bots only, at once. A refusal ends the request; so does any move. It can only be taken back while nobody has
    learnt anything by it: no card that was hidden from anybody, nothing drawn or laid out. Used time stays used,
    except that a turn that has a time of its own begins anew if a person agreed. A game that counts for ratings has
    no takebacks (`rated-game`).
    """
    seat, caller = calling_seat(game_id)
    languages = query(_QUERY)["languages"]
    body = json_body(_WORD, optional=True)
    wanted = checked(_WORD, body)
    sent, requests = keyed_request(meant(body, wanted)), use_cases().takebacks
    if "agree" in wanted:
        said = AnswerTakeback(wanted["agree"], wanted.get("to_version"))
        done = requests.answer(game_id, seat, said, caller, sent)
    else:
        done = requests.ask(game_id, seat, caller, sent)
    document = use_cases().moves.played_json(done, seat, languages)
    return answer(document, version=done.snapshot.version, cache=NO_STORE)


@takebacks.operation(
    "GET",
    "/v1/games/{game_id}/takeback",
    summary="See how a takeback stands",
    answers={200: Answer("How it stands.", {"application/json": Takeback()})},
    problems=("not-found", "conflict", "busy", "store-unavailable"),
    foreign=True,
)
def view_takeback(game_id: str) -> Reply:
    """Shows everybody who may watch the game which seat asks, and whose consent is missing; shows a seat also whether
    it may ask. The events tell the same as it happens.
    """
    caller = current_caller(game_id)
    query(_NO_QUERY)
    status = use_cases().takebacks.look(game_id, caller)
    return answer(
        {
            "version": status.version,
            "asked_by": status.asked_by,
            "to_version": status.to_version,
            "agreed": list(status.agreed),
            "missing": list(status.missing),
            "may_ask": status.may_ask,
            "refusal": status.refusal,
            "left": status.left,
        },
        cache=NO_STORE,
    )
