"""Bots: the list of them, and their moves for any position."""

import time
from collections.abc import Sequence

import orjson

from domain.bot import Budget
from domain.errors import DomainError
from domain.game import Game
from domain.lifecycle import Json, budget_document
from domain.registry import DEFAULT_GAME, GAMES, game_named
from events.errors import EngineError, NoAnswer
from events.features.apps.scopes import CHOOSE
from events.features.bots.question_documents import Question
from events.features.bots.questions import MOST
from events.features.bots.queue import SLOT_BYTES, is_long
from events.times import time_of
from service.http.admission.preconditions import refuse_another
from service.http.blueprint import Answer, ApiBlueprint
from service.http.call import POSITION_LIMIT, current_call, current_request_id
from service.http.problems import Problem, document, invalid
from service.http.request_context import (
    admit,
    bot_questions,
    calling_seat,
    current_caller,
    seconds_to_wait,
    use_cases,
    while_waiting,
)
from service.http.request_parsing import checked, idempotency_key, json_body, preferences, query
from service.http.resources.registered_bots import bot_documents
from service.http.responses import CHECK_FIRST, NO_STORE, Reply, answer
from service.http.schemas.bots import (
    LONGEST_NAME,
    BotAnswers,
    BotCatalogue,
    BotsQuery,
    Hint,
    HintQuery,
    JobQuery,
    Position,
    Positions,
    ThoughtMove,
    WaitingJob,
)
from service.http.schemas.common.budgets import MOST_MILLISECONDS
from service.http.schemas.common.fields import OneOfForms
from service.http.schemas.common.queries import NoQuery

bots = ApiBlueprint("Bots", "The bots, and their moves for any position.")

_NO_QUERY, _BOTS_QUERY, _HINT_QUERY, _JOB_QUERY = NoQuery(), BotsQuery(), HintQuery(), JobQuery()
_POSITION, _POSITIONS = Position(), Positions()
_BODY, _ANSWER = OneOfForms(Position, Positions), OneOfForms(ThoughtMove, BotAnswers)
POLL_AFTER = "1"  # seconds


@bots.operation(
    "GET",
    "/v1/bots",
    summary="List the bots",
    query=_BOTS_QUERY,
    answers={200: Answer("The bots.", {"application/json": BotCatalogue()})},
    problems=("unknown-game", "store-unavailable"),
    foreign=True,
)
def list_bots() -> Reply:
    """To let a bot take a seat, create a game with the seat `{"kind": "bot", "bot": NAME}`. A bot sees what its
    seat may see.
    """
    own = bot_documents(app, use_cases().bots.all_of(app)) if (app := _asking_app()) else []
    asked = query(_BOTS_QUERY).get("game")
    games = list(GAMES.values()) if asked is None else [game_named(asked)]
    names = list(dict.fromkeys(name for game in games for name in game.bots))
    return answer({"bots": [_line(name, games) for name in names], "own": own}, cache=CHECK_FIRST)


def _asking_app() -> str | None:
    """The app that asks; None for any other caller."""
    caller = current_caller()
    if caller.kind == "app":
        return caller.app
    is_everybody = caller.kind == "anonymous" and not use_cases().callers.are_there_keys()
    return use_cases().callers.acting_app(caller) if is_everybody else None


def _line(name: str, games: Sequence[Game]) -> Json:
    """The bot of that name, with its figures in the first of the `games` that has one."""
    shown = next(game for game in games if name in game.bots)
    bot, strength = shown.bots[name], shown.strengths.get(name)
    playing = [game for game in GAMES.values() if name in game.bots]
    return {
        "name": bot.name,
        "version": bot.version,
        "versions": [bot.version, *_kept(name, shown)],
        "description": bot.description,
        "games": [game.name for game in playing],
        "rules": {game.name: list(game.rule_books) for game in playing},
        "strength": None if strength is None else strength._asdict(),
        "budget": None if bot.budget is None else budget_document(bot.budget),
        "milliseconds": bot.milliseconds,
        "remembers": bot.remembers,
    }


def _kept(name: str, game: Game) -> list[str]:
    """The former versions of the bot that games may still have."""
    return [bot.version for bot in game.kept_bots.values() if bot.name == name]


@bots.operation(
    "POST",
    "/v1/bots/{bot}/choose",
    summary="Ask a bot for a move in any position",
    body=_BODY,
    headers=("Idempotency-Key", "Prefer"),
    answers={
        200: Answer("The bot's move.", {"application/json": _ANSWER}),
        202: Answer(
            "The address of the result.",
            {"application/json": WaitingJob()},
            ("Location", "Preference-Applied", "Retry-After"),
        ),
    },
    problems=(
        "not-found",
        "unauthorized",
        "forbidden",
        "unknown-game",
        "idempotency-mismatch",
        "impossible-position",
        "rated-game",
        "queue-full",
        "no-answer",
        "bot-failed",
        "busy",
        "store-unavailable",
    ),
    limited="bots",
    scope=CHOOSE,
)
def choose(bot: str) -> Reply:
    """The position is the view of the seat to act, and the events that it has seen, as this API returns them.
    A contradictory position is refused, and so is one whose `view.id` is a game of this
    service that counts for ratings and is not over (`rated-game`). Nothing is stored. If the queue is full
    (`queue-full`), the same `Idempotency-Key` keeps your turn until `Retry-After`. If there is no answer 10 seconds
    after the bot's time is up, the response is 503 `no-answer`. With `Prefer: respond-async` the response is 202,
    and `Location` is the address of the result; the app's webhooks that name `choice.done` tell when it is there.
    With `wait=SECONDS` the service waits for the move first. Up to 100
    `positions` get as many `answers`, each the move or the problem; the response is 202 if that takes more than 15
    seconds. The body may have up to 1 MiB, each of several positions 128 KiB.
    """
    caller = current_caller()
    app = use_cases().callers.acting_app(caller)
    prefers, questions, key = preferences(), bot_questions(), idempotency_key()
    questions.refuse_early(app, key)
    admit("bots", caller)
    query(_NO_QUERY)
    body = json_body(_POSITION, limit=POSITION_LIMIT)
    many = _questions(bot, body) if isinstance(body, dict) and "positions" in body else None
    question = None if many else _question(bot, checked(_POSITION, body), may_be_long=prefers.respond_async)
    if many and len(many) > 1:
        admit("bots", caller, len(many) - 1)
    with while_waiting(caller):
        if question is None:
            job, most = questions.ask_all(app, many or [], key), MOST
        else:
            job, most = questions.ask(app, question, key), questions.seconds(question)
        thought = questions.answer(app, job, min(prefers.wait, most) if prefers.respond_async else most)
    if thought is not None:
        return answer(_told(thought), cache=NO_STORE)
    if not (prefers.respond_async or many):
        if key is None:
            questions.forget(job)
        raise NoAnswer
    questions.announce(app, job)
    applied = {"Preference-Applied": "respond-async"} if prefers.respond_async else {}
    return _waiting(job, applied)


def _questions(bot: str, body: Json) -> list[Question]:
    """Questions of a batch; a Problem names the position at fault."""
    found, may_be_long = [], _length() > SLOT_BYTES
    for at, one in enumerate(checked(_POSITIONS, body)["positions"]):
        # otherwise many batches at the same time could fill the queue's memory
        if may_be_long and len(orjson.dumps(one)) > SLOT_BYTES:
            why = f"Takes more than {SLOT_BYTES} bytes: ask for it alone."
            raise invalid({f"positions.{at}": [why]}, "body")
        try:
            found.append(_question(bot, one, may_be_long=False))
        except Problem as problem:
            raise Problem(problem.code, f"positions.{at}: {problem.detail}", **problem.members) from problem
    return found


def _told(thought: Json) -> Json:
    """The answer, or the answers of a batch, with refusals as problem documents."""
    if "answers" not in thought:
        return thought
    return {"answers": [_answered(one) for one in thought["answers"]]}


def _answered(one: Json | DomainError | EngineError) -> Json:
    if isinstance(one, dict):
        return {"answer": one, "problem": None}
    members = one.data | {"request_id": current_request_id()}
    return {"answer": None, "problem": document(one.code, one.detail, members)}


def _question(bot: str, body: Json, *, may_be_long: bool) -> Question:
    game = _game_asked_about(body)
    if game in GAMES and bot not in GAMES[game].bots:
        raise Problem("not-found", _no_such_bot(bot, game))
    position: Json = {name: body[name] for name in ("view", "history") if name in body}
    budget = Budget(**body["budget"]) if "budget" in body else None
    if is_long(budget) and not may_be_long:
        message = (
            f"Above {MOST_MILLISECONDS} only for a single position, with the header `Prefer: respond-async`."
        )
        raise invalid({"budget.milliseconds": [message]}, "body")
    return Question(game, bot, position, budget, body.get("seed"), _length())


def _length() -> int:
    """Bytes of the body, as far as the request says; otherwise as many as it may have."""
    return int(current_call().environ.get("CONTENT_LENGTH") or POSITION_LIMIT)


def _game_asked_about(body: Json) -> str:
    """The game that `game` names, else `view.game`, else the default; a Problem if they name two games."""
    named, viewed = body.get("game"), body["view"].get("game")
    if named is None:
        return viewed if isinstance(viewed, str) and 1 <= len(viewed) <= LONGEST_NAME else DEFAULT_GAME
    if named in GAMES and isinstance(viewed, str) and viewed != named:
        message = f"Is {named}, but the view is of {viewed[:LONGEST_NAME]}: `view.game` says so."
        raise invalid({"game": [message]}, "body")
    return str(named)


def _no_such_bot(bot: str, game: str) -> str:
    """A refusal that names the games with a bot of that name, if there are some."""
    having = [other for other, its in GAMES.items() if bot in its.bots]
    if not having:
        return f"There is no bot {bot!r}; GET /v1/bots lists them."
    return (
        f"{game} has no bot {bot!r}; {' and '.join(having)} {'has' if len(having) == 1 else 'have'} one:"
        " send `game` with a view of that game."
    )


def _waiting(job: str, headers: dict[str, str] | None = None) -> Reply:
    """The answer that the job waits: its address, and the time at which it is removed."""
    address = f"/v1/bots/jobs/{job}"
    gone = time_of(round(1000 * (time.time() + bot_questions().seconds_left(job))))
    document = {"id": job, "status": "waiting", "expires_at": gone, "links": {"self": address}}
    found = {"Location": address} | headers if headers is not None else {}
    return answer(document, 202, cache=NO_STORE, headers=found | {"Retry-After": POLL_AFTER})


@bots.operation(
    "GET",
    "/v1/bots/jobs/{job}",
    summary="Get the result of a question to a bot",
    query=_JOB_QUERY,
    answers={
        200: Answer("The bot's move.", {"application/json": _ANSWER}),
        202: Answer("Still waiting.", {"application/json": WaitingJob()}, ("Retry-After",)),
    },
    problems=(
        "not-found",
        "unauthorized",
        "forbidden",
        "impossible-position",
        "no-answer",
        "bot-failed",
        "busy",
        "store-unavailable",
    ),
    scope=CHOOSE,
)
def bot_job(job: str) -> Reply:
    """The answer to a question that was sent with `Prefer: respond-async`, for its sender only. It stays available
    for 2 minutes, of a batch or long search until `expires_at`. Other questions go after 3 minutes.
    After that, and for everybody else, the response is 404.
    """
    caller = current_caller()
    app = use_cases().callers.acting_app(caller)
    with while_waiting(caller):
        thought = bot_questions().answer(app, job, seconds_to_wait(query(_JOB_QUERY)))
    return _waiting(job) if thought is None else answer(_told(thought), cache=NO_STORE)


@bots.operation(
    "GET",
    "/v1/games/{game_id}/hint",
    summary="Get a hint",
    query=_HINT_QUERY,
    token="required",
    answers={200: Answer("The bot's move for the seat.", {"application/json": Hint()})},
    problems=(
        "not-found",
        "unknown-bot",
        "not-your-turn",
        "time-is-up",
        "game-not-started",
        "game-over",
        "rated-game",
        "conflict",
        "queue-full",
        "no-answer",
        "bot-failed",
        "busy",
        "store-unavailable",
    ),
    foreign=True,
    limited="bots",
)
def hint(game_id: str) -> Reply:
    """Only the seat to act may ask, and not in a game that counts for ratings (`rated-game`). The bot sees what the
    seat may see. In another game that nobody prepared the event
    `hint_given` is recorded before the hint is returned and tells everybody about it; `game_version` includes it. It is
    safe to repeat the request: in the same situation the same bot gives the same answer, and no second event is
    recorded.
    """
    seat, caller = calling_seat(game_id)
    admit("bots", caller)
    bot = query(_HINT_QUERY).get("bot") or use_cases().views.game_of(game_id).hint_bot
    use_cases().views.open_game(game_id, caller)
    refuse_another(None)  # because the hint may be recorded
    with while_waiting(caller):
        hint = bot_questions().hint(game_id, seat, bot, caller.token_hash)
    document = {"game_version": hint.version, "seat": seat, "recorded": hint.recorded}
    members = ("bot", "version", "move", "considered", "iterations")
    return answer(document | {name: hint.decision[name] for name in members}, cache=NO_STORE)
