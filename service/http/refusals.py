"""Refusals: the error that stopped a request, as a problem document (RFC 9457)."""

import logging

from werkzeug.exceptions import HTTPException, MethodNotAllowed

from domain.errors import DomainError
from events.engine.access import ANONYMOUS, hash_of, read_seat_token
from events.errors import (
    EngineError,
    GameNotFound,
    GamePruned,
    NoAnswer,
    QueueFull,
    QuotaSpent,
    StoreRefuses,
    StoreUnavailable,
    TooManyForks,
    TooManyGames,
    TooManyWaitingDeliveries,
)
from events.runtime.metrics import LIMITED
from service.http import problems
from service.http.call import Call, current_call
from service.http.documentation import guide
from service.http.operations.readiness import STORE_AWAY
from service.http.parts import parts
from service.http.problems import Problem
from service.http.request_context import use_cases
from service.http.request_parsing import bearer_token
from service.http.responses import Reply

log = logging.getLogger("migrato.app")


def refuse(error: Exception) -> Reply:
    """The answer to an error. An unexpected error is logged, and its text is not shown."""
    call = current_call()
    problem = _problem_of(error, call)
    if problem.code == "validation-error":
        _cite(problem, call)
    return problems.answer(problem)


def _cite(problem: Problem, call: Call) -> None:
    """Add the game's rule about the first member at fault to the problem, if there is one."""
    members = [field.partition(".")[0] for field in problem.members.get("errors", ())]
    rule = next((call.rules[member] for member in members if member in call.rules), None)
    if rule is not None and call.game is not None:
        problem.members |= {"rule": rule, "rule_url": guide.rule_url(call.game, rule)}


def _problem_of(error: Exception, call: Call) -> Problem:
    match error:
        case Problem():
            return error
        case StoreUnavailable():
            parts().warnings.warning(STORE_AWAY, error.said, kind=error.kind)
            after = {"Retry-After": str(error.seconds)} if isinstance(error, StoreRefuses) else {}
            return Problem(error.code, error.detail, headers=after)
        case NoAnswer():
            parts().warnings.warning("a question to a bot was not answered: %s", error.reason)
            return Problem(error.code, error.detail)
        case QueueFull():
            return Problem(error.code, error.detail, headers={"Retry-After": str(error.seconds)})
        case QuotaSpent():
            LIMITED.labels(error.data["limit"]["name"]).inc()
            after = {"Retry-After": str(error.seconds)}
            return Problem(error.code, error.detail, headers=after, **error.data)
        case TooManyGames() | TooManyForks() | TooManyWaitingDeliveries():
            LIMITED.labels(error.data["limit"]["name"]).inc()
            return Problem(error.code, error.detail, **error.data)
        case GamePruned() if not _may_know(error):
            return Problem(GameNotFound.code, GameNotFound(error.game_id).detail)
        case DomainError() | EngineError() if error.code in problems.KINDS and error.code != "internal-error":
            game = call.game
            rule_url = guide.rule_url(game, error.rule) if error.rule and game is not None else None
            return Problem(error.code, error.detail, rule=error.rule, rule_url=rule_url, **error.data)
        case HTTPException(code=int(status)) if status in problems.CODE_OF_STATUS:
            headers = {}
            if isinstance(error, MethodNotAllowed) and error.valid_methods is not None:
                headers["Allow"] = ", ".join(sorted(error.valid_methods))
            return Problem(problems.CODE_OF_STATUS[status], _sentence(status, call), headers=headers)
        case _:
            about = {"route": call.found.route.name or None}
            log.error("a request failed", exc_info=error, extra=about)
            return Problem("internal-error", "An error in the service stopped this request.")


def _may_know(pruned: GamePruned) -> bool:
    """True if the caller may know that this game existed: as `access.may_watch`, decided by what is left
    of the game.
    """
    callers = use_cases().callers
    if pruned.visibility == "public" or (
        pruned.app == ANONYMOUS and not pruned.tokens and not callers.are_there_keys()
    ):
        return True
    try:
        token = bearer_token()
        if token is None:
            return False
        if read_seat_token(token) is not None:
            return hash_of(token) in pruned.tokens
        return callers.who_asks(token).app == pruned.app is not None
    except (EngineError, Problem):
        return False


def _sentence(status: int, call: Call) -> str:
    match status:
        case 404:
            return "There is nothing at this address."
        case 405:
            return f"This resource has no method {call.method}."
        case _:
            return "The request could not be understood."
